// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>

#include <map>

#include "ui/charts/end_labels.h"
#include "ui/charts/line_chart.h"
#include "ui/charts/series_scene.h"

namespace lookback::ui {

/// State and drawing of a LineChart; its events are in line_chart.cpp, its painting in line_chart_paint.cpp.
struct LineChart::Private {
    enum class Drag { None, Zoom, Pan };

    Private(LineChart *chart, XView *xView, Abscissa abscissa, Quantity quantity);

    // --- what is shown ---
    LineChart *q;
    XView *view;
    Abscissa x;
    Quantity y;
    std::vector<ChartCurve> curves;
    std::map<QString, CurveData> data;
    std::vector<Stage> stages;
    std::vector<ReferenceLine> references;
    ReferenceCurve referenceCurve;
    bool hasBottomNumbers = true;
    bool hasIntervals = true;
    bool hasWhiskers = false;
    bool hasLabels = true;
    double labelShare = 0.0; ///< 0 = as wide as they are.
    bool isFullRange = false;
    double smoothing = 0.0;
    std::optional<Range> yHeld; ///< While the view holds.

    // --- as last laid out ---
    Theme theme;
    PlotMetrics metrics;
    QRectF area;
    qreal numbers = 0;
    qreal column = 0; ///< Width of the end labels.
    Axis xAxis;
    Axis yAxis;
    std::optional<Axis> top;
    RobustRange bulk;
    SeriesScene scene;
    std::vector<QString> labelIds;
    std::vector<QRectF> labels;
    QString offScale;
    QRectF offScaleRect;

    // --- drawing ---
    QPixmap cache; ///< All but cross-hair, hover and zoom box.
    bool isCacheValid = false;
    bool isDirty = true;
    QTimer timer;
    QElapsedTimer sinceRefresh;

    // --- pointer ---
    Drag drag = Drag::None;
    bool isDragFar = false; ///< Moved enough not to be a click.
    QPointF dragStart;
    QPointF dragNow;
    Range dragX;
    Range dragY;
    QString hovered;
    QString spoken; ///< What was last announced.

    void schedule();
    void refresh();
    void readTheme();
    void layOut();
    void updateSeries();
    std::vector<EndLabel> endLabels();
    const ThinnedCurve &shownLine(CurveData &curve, const PlotPainter &plot);

    void paintCache();
    void paintCurves(const PlotPainter &plot, QPainter &painter);
    void paintNotes(QPainter &painter);
    void paintOverlay(QPainter &painter);
    static bool isHair(const ChartCurve &curve) { return curve.isFaint && !curve.isSelected; }
    qreal widthOf(const ChartCurve &curve) const
    {
        return curve.isSelected ? metrics.selectedCurve : curve.isFaint ? metrics.hairline : metrics.curve;
    }

    PlotPainter plotPainter(QPainter &painter) const { return {painter, area, xAxis, yAxis, theme, metrics}; }
    /// The logged x of a shown curve that is nearest to it.
    std::optional<double> snapped(double value) const;
    /// The logged x `count` places further among all shown curves.
    std::optional<double> stepped(double from, int count) const;
    Range loggedRange() const;
    void setCrossHair(std::optional<double> value);
    void describe();
    QString curveNear(const QPointF &position) const;
    QString labelAt(const QPointF &position) const;
    void chooseNext(int direction);

    /// Zooms about a point of the plot area; 0..1 from left and from below.
    void zoomAt(const QPointF &share, double xFactor, double yFactor);
    void setYRange(const Range &range);
    void finishDrag(const QPointF &position);
};

} // namespace lookback::ui
