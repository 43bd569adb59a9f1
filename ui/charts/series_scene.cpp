// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/series_scene.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lookback::ui {

namespace {

/// A run whose every other value is broken has hundreds of segments. Making a series costs about 0.1 ms; what is beyond
/// this many is drawn by hand with the same pen.
constexpr std::size_t kMostSeries = 48;

struct Line {
    std::vector<QLineSeries *> series; ///< Owned by the chart; may be more than used.
    std::vector<QList<QPointF>> rest; ///< Segments without a series, in scale coordinates.
    QPen pen;
    int revision = -1;
    Scale xScale = Scale::Linear;
    Scale yScale = Scale::Linear;
};

QPen penOf(const SeriesStyle &style, qreal width, qreal opacity)
{
    QColor colour = style.line;
    colour.setAlphaF(float(opacity));
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (!style.dashes.isEmpty())
        pen.setDashPattern(style.dashes);
    return pen;
}

} // namespace

struct SeriesScene::Private {
    QGraphicsScene scene;
    QChart *chart = nullptr; ///< Owned by the scene.
    QValueAxis *x = nullptr;
    QValueAxis *y = nullptr;
    QRectF area;
    Scale xScale = Scale::Linear;
    Scale yScale = Scale::Linear;
    std::vector<Line> lines;

    QLineSeries *newSeries()
    {
        auto *series = new QLineSeries;
        chart->addSeries(series);
        series->attachAxis(x);
        series->attachAxis(y);
        return series;
    }
};

SeriesScene::SeriesScene() : d(std::make_unique<Private>())
{
    d->chart = new QChart;
    d->chart->setAnimationOptions(QChart::NoAnimation);
    d->chart->legend()->hide();
    d->chart->setMargins({});
    d->chart->layout()->setContentsMargins(0, 0, 0, 0);
    d->chart->setBackgroundVisible(false);
    d->chart->setPlotAreaBackgroundVisible(false);
    d->scene.addItem(d->chart);
    d->x = new QValueAxis(d->chart);
    d->y = new QValueAxis(d->chart);
    for (QValueAxis *axis : {d->x, d->y}) {
        axis->setVisible(false);
        d->chart->addAxis(axis, axis == d->x ? Qt::AlignBottom : Qt::AlignLeft);
    }
}

SeriesScene::~SeriesScene() = default;

void SeriesScene::setGeometry(const QSizeF &size, const QRectF &plotArea)
{
    if (d->chart->size() == size && d->area == plotArea)
        return;
    d->area = plotArea;
    d->scene.setSceneRect(QRectF(QPointF(0, 0), size));
    d->chart->resize(size);
    d->chart->setPlotArea(plotArea);
    d->chart->layout()->activate(); // without a view nobody else does
}

void SeriesScene::setAxes(const Axis &x, const Axis &y)
{
    d->xScale = x.scale;
    d->yScale = y.scale;
    d->x->setRange(toScale(x.scale, x.range.lower), toScale(x.scale, x.range.upper));
    d->y->setRange(toScale(y.scale, y.range.lower), toScale(y.scale, y.range.upper));
}

void SeriesScene::setLine(int key, const ThinnedCurve &curve, int revision, const SeriesStyle &style, qreal width,
                          qreal opacity)
{
    if (std::size_t(key) >= d->lines.size())
        d->lines.resize(std::size_t(key) + 1);
    Line &line = d->lines[std::size_t(key)];
    const QPen pen = penOf(style, width, opacity);
    const bool isSame = line.revision == revision && line.xScale == d->xScale && line.yScale == d->yScale;
    if (isSame && line.pen == pen)
        return;

    const std::size_t count = std::min(curve.segments.size(), kMostSeries);
    while (line.series.size() < count)
        line.series.push_back(d->newSeries());
    for (std::size_t i = 0; i < line.series.size(); ++i) {
        if (line.series[i]->pen() != pen)
            line.series[i]->setPen(pen);
    }
    line.pen = pen;
    if (isSame)
        return;
    line.revision = revision;
    line.xScale = d->xScale;
    line.yScale = d->yScale;
    line.rest.clear();
    for (std::size_t i = 0; i < std::max(curve.segments.size(), line.series.size()); ++i) {
        QList<QPointF> points;
        if (i < curve.segments.size()) {
            points.reserve(qsizetype(curve.segments[i].size()));
            for (const QPointF &point : curve.segments[i])
                points.append({toScale(d->xScale, point.x()), toScale(d->yScale, point.y())});
        }
        if (i < line.series.size())
            line.series[i]->replace(points);
        else
            line.rest.push_back(std::move(points));
    }
}

void SeriesScene::truncate(int first)
{
    for (std::size_t key = std::size_t(first); key < d->lines.size(); ++key) {
        for (QLineSeries *series : d->lines[key].series) {
            d->chart->removeSeries(series);
            delete series;
        }
    }
    if (std::size_t(first) < d->lines.size())
        d->lines.resize(std::size_t(first));
}

void SeriesScene::render(QPainter &painter, const QRectF &rect)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    // The target in logical units, whatever the device's pixel ratio.
    d->scene.render(&painter, rect, QRectF(QPointF(0, 0), rect.size()));
    painter.setClipRect(d->area);
    const double left = d->x->min();
    const double bottom = d->y->min();
    const double xUnit = d->area.width() / (d->x->max() - left);
    const double yUnit = d->area.height() / (d->y->max() - bottom);
    for (const Line &line : d->lines) {
        painter.setPen(line.pen);
        for (const QList<QPointF> &segment : line.rest) {
            QPolygonF polygon;
            for (const QPointF &point : segment)
                polygon << QPointF(d->area.left() + (point.x() - left) * xUnit,
                                   d->area.bottom() - (point.y() - bottom) * yUnit);
            if (polygon.size() == 1)
                painter.drawPoint(polygon.first());
            else
                painter.drawPolyline(polygon);
        }
    }
    painter.restore();
}

} // namespace lookback::ui
