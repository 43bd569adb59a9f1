// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <span>
#include <vector>

#include "ui/charts/plot_painter.h"

namespace lookback::ui {

/// The name of a curve at its right end.
struct EndLabel {
    QString text;
    QString brief = {}; ///< Used where the text does not fit; may be empty.
    QString value = {}; ///< Second line, smaller; may be empty.
    SeriesStyle style = {};
    QPointF end = {}; ///< Last point of the curve, in the painter's units.
    bool isStrong = false; ///< Semi-bold: own runs among published curves, the selected run.
};

/// How labels fit into a column of that height.
enum class LabelFit { WithValues, NamesOnly, TooMany };
LabelFit labelFit(std::span<const EndLabel> labels, qreal height, const PlotMetrics &metrics, QPaintDevice *device);

/// Width of the column that the labels want, leaders included, at most `most`.
qreal endLabelsWidth(std::span<const EndLabel> labels, qreal most, const PlotMetrics &metrics, QPaintDevice *device);

/// Draws labels into a column at the right of a plot, moved apart, with a leader from the end of the curve. Long names
/// are shortened in the middle. If there are too many the first ones are drawn, and "+3 more". Returns the rectangles
/// of the drawn labels, in their order (null for those left out).
std::vector<QRectF> drawEndLabels(QPainter &painter, std::span<const EndLabel> labels, const QRectF &column,
                                  const Theme &theme, const PlotMetrics &metrics);

/// Chooses the largest label type of 8, 7 or 6 pt at which all names fit into that height, and sets it in `metrics`.
/// False if even 6 pt is too large: then a legend is needed.
bool fitLabelType(std::span<const EndLabel> labels, qreal height, PlotMetrics &metrics, QPaintDevice *device);

/// A legend in columns, each entry with its swatch: for more curves than labels have room for. Names are whole if the
/// legend is not higher than `most` then; otherwise there are more columns, and names are shortened in the middle.
qreal legendHeight(std::span<const EndLabel> labels, const QSizeF &most, const PlotMetrics &metrics,
                   QPaintDevice *device);
void drawLegend(QPainter &painter, std::span<const EndLabel> labels, const QRectF &rect, const Theme &theme,
                const PlotMetrics &metrics);

} // namespace lookback::ui
