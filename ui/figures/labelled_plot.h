// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <vector>

#include "ui/charts/plot_painter.h"

class QPainter;

namespace lookback::ui {

/// A curve with its name at the right end.
struct LabelledCurve {
    QString text;
    SeriesStyle style;
    std::vector<CurvePoint> points = {};
    std::vector<IntervalPoint> intervals = {}; ///< May be empty.
    bool isBand = false; ///< Intervals as a band instead of whiskers.
    bool isStrong = false;
    bool hasMarkers = true;
    bool hasName = true;
    bool isHair = false; ///< Behind the others, thin.
};

/// A plot of few curves, each named at its end, or in a legend below where they are too many.
struct LabelledPlot {
    std::vector<LabelledCurve> curves;
    std::function<Axis(int most)> x; ///< With at most about so many labels.
    std::function<Axis(int most)> y;
    QString widestX; ///< Its widest label.
    std::vector<ReferenceLine> lines;
    ReferenceCurve reference;
    QString title; ///< Above the area; may be empty.
    // Plots above each other share these, so that their areas align: the wider one's; 0 = its own.
    qreal numbers = 0.0; ///< Width of the numbers of y.
    qreal column = 0.0; ///< Width of the column of names.
};

/// What such a plot needs of a page so wide.
qreal numbersOf(const LabelledPlot &plot, QPaintDevice *device);
qreal columnOf(const LabelledPlot &plot, qreal width, QPaintDevice *device);

/// Linear, in the quantity's own unit.
Axis plainAxis(const Range &range, int most, const QString &title);

/// Hue and marker of number `place` in a list of things that have no colour of their own; solid.
SeriesStyle listedStyle(std::size_t place, const Theme &theme);

/// Draws it into that part of the page.
void drawLabelledPlot(QPainter &painter, const QRectF &page, const LabelledPlot &plot, const Theme &theme);

/// Draws sentences at the foot of a page and returns what remains of it; none on pages lower than 120 points.
QRectF drawCaptionBelow(QPainter &painter, const QSizeF &size, const QString &caption, const Theme &theme);

} // namespace lookback::ui
