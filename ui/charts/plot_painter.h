// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QList>
#include <QMarginsF>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <optional>
#include <span>
#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/note_space.h"
#include "ui/charts/thinning.h"
#include "ui/theme/theme.h"

class QPainter;
class QPaintDevice;

namespace lookback::ui {

/// Hair lines of the seeds behind a band.
inline constexpr qreal kHairOpacity = 0.6;

/// Fonts and sizes of a plot, in the painter's units: pixels on screen, points on paper.
struct PlotMetrics {
    QFont numbers; ///< Axis numbers.
    QFont titles; ///< Axis titles.
    QFont labels; ///< Direct labels.
    QFont notes; ///< Second lines, reference lines, captions.
    qreal curve = 2.0;
    qreal selectedCurve = 3.0;
    qreal marker = 8.0;
    qreal hairline = 1.0;
    qreal tick = 5.0;
    qreal gap = 4.0;
    qreal whiskerOpacity = 0.55;
    qreal columnsPerUnit = 1.0; ///< Pixel columns that thinning reckons with.
    bool isScreen = true; ///< Speed counts more than few pieces.

    /// For a widget with that font.
    static PlotMetrics screen(const QFont &font);
    /// 8 pt type, 1.2 pt curves, 4 pt markers, 0.5 pt hairlines; thinned for 288 dpi.
    static PlotMetrics paper();
};

/// A thin line in the text colour with a note: chance, training length.
struct ReferenceLine {
    Qt::Orientation orientation = Qt::Horizontal;
    double value = 0.0; ///< On the other axis: y of a horizontal line.
    QString text;
    std::optional<double> textFrom =
        {}; ///< Horizontal: x at which the note should begin; empty = it ends at the right.
    bool isStrong = false; ///< Twice as wide: a place that moves, among borders that do not.
    bool operator==(const ReferenceLine &) const = default;
};

/// A thin curve in the text colour with a note: what a simple strategy would reach.
struct ReferenceCurve {
    std::vector<QPointF> points; ///< Values on the axes.
    QString text;
    bool operator==(const ReferenceCurve &) const = default;
};

/// A stretch of the x axis with a name at its top: a curriculum stage.
struct Stage {
    double from = 0.0;
    double to = 0.0;
    QString text;
    bool operator==(const Stage &) const = default;
};

/// A 95 % interval at one x.
struct IntervalPoint {
    double x = 0.0;
    double low = 0.0;
    double high = 0.0;
    bool operator==(const IntervalPoint &) const = default;
};

/// Draws the parts of a plot into a rectangle: the one place for the look of charts, on screen and on paper. A value
/// for the duration of one painting; each call leaves the painter as it was. Curves are clipped by geometry, because
/// SVG files know no clipping.
class PlotPainter {
public:
    PlotPainter(QPainter &painter, const QRectF &area, const Axis &x, const Axis &y, const Theme &theme,
                const PlotMetrics &metrics);

    QPointF map(double x, double y) const;
    const QRectF &area() const { return m_area; }

    /// Shaded every second stage, a hairline at each border, the text centred above the area where it fits.
    void stages(const std::vector<Stage> &stages) const;
    /// Horizontal hairlines at the y ticks, 12 % of the text colour.
    void grid() const;
    /// Lines and curve with their notes, which stay clear of each other, and as far as possible of lines and of the
    /// curves that `notes` knows. A note of a vertical line stands along it and is left out where there is no room.
    void references(std::span<const ReferenceLine> lines, const ReferenceCurve &curve, NoteSpace notes) const;

    /// Line, ticks outside, numbers and title.
    void bottomAxis(bool hasNumbers) const;
    void topAxis(const Axis &axis) const;
    /// The title stands left of `numbersWidth`, so that plots above each other align.
    void leftAxis(qreal numbersWidth) const;

    /// The 18 % band of intervals, or whiskers. Of many intervals in one pixel column the band shows the extremes.
    void band(std::span<const IntervalPoint> points, const QColor &colour) const;
    void whiskers(std::span<const IntervalPoint> points, const QColor &colour) const;
    void curve(const ThinnedCurve &curve, const SeriesStyle &style, qreal width, qreal opacity = 1.0) const;
    /// Dots for values that stand alone between two gaps; part of curve().
    void lonePoints(const ThinnedCurve &curve, const SeriesStyle &style, qreal width, qreal opacity = 1.0) const;
    void markers(std::span<const QPointF> points, const SeriesStyle &style, qreal size) const;
    /// A small cross at the lower edge at each break, in the "wrong" colour.
    void breaks(const ThinnedCurve &curve, const SeriesStyle &style) const;
    /// Small triangles at the edge where points are off scale.
    void offScale(const ThinnedCurve &curve, const SeriesStyle &style) const;

    /// Number of pixel columns of the area for thinning.
    int columns() const;
    /// Tells `notes` where a curve lies.
    void occupy(NoteSpace &notes, const ThinnedCurve &curve) const;

private:
    void horizontalNote(const ReferenceLine &line, NoteSpace &notes) const;
    void curveNote(const QList<QPointF> &places, const QString &note, NoteSpace &notes) const;
    void verticalNote(const ReferenceLine &line, NoteSpace &notes) const;
    void text(const QRectF &rect, int flags, const QString &text, const QFont &font, const QColor &colour) const;

    QPainter &m_painter;
    QRectF m_area;
    const Axis &m_x;
    const Axis &m_y;
    const Theme &m_theme;
    const PlotMetrics &m_metrics;
};

/// Width of the widest number of an axis.
qreal numbersWidth(const Axis &axis, const PlotMetrics &metrics, QPaintDevice *device);

/// Room that axes and names of stages need on each side of the plot area; right is 0.
QMarginsF axisMargins(qreal numbersWidth, const Axis *top, bool hasBottomNumbers, const PlotMetrics &metrics,
                      QPaintDevice *device);

/// How many labels of that text fit side by side (at least 2).
int fittingLabels(qreal width, const QString &text, const QFont &font, QPaintDevice *device);

} // namespace lookback::ui
