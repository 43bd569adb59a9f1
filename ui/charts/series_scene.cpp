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

#include "ui/charts/polyline.h"

namespace lookback::ui {

namespace {

/// A run whose every other value is broken has hundreds of segments. Making a series costs about 0.1 ms; what is beyond
/// this many is drawn by hand with the same pen.
constexpr std::size_t kMostSeries = 48;
/// Qt Charts draws solid lines piece by piece (2 ms for 1,800 points), dashed ones as one path (44 ms if noisy): dashed
/// segments of more points than this are cut into dashes and drawn by hand too.
constexpr std::size_t kMostDashedPoints = 300;

struct Line {
    std::vector<QLineSeries *> series; ///< Owned by the chart; may be more than used.
    std::vector<QList<QPointF>> rest; ///< Segments drawn by hand, in scale coordinates.
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

    const auto isByHand = [&](std::size_t i) {
        return i >= kMostSeries || (!style.dashes.isEmpty() && curve.segments[i].size() > kMostDashedPoints);
    };
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
        const bool isDrawn = i < curve.segments.size();
        if (i < line.series.size())
            line.series[i]->replace(isDrawn && isByHand(i) ? QList<QPointF>() : points);
        if (isDrawn && isByHand(i))
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
        QList<qreal> dashes = line.pen.style() == Qt::CustomDashLine ? line.pen.dashPattern() : QList<qreal>();
        for (qreal &dash : dashes)
            dash *= line.pen.widthF();
        painter.setPen(QPen(line.pen.color(), line.pen.widthF(), Qt::SolidLine, Qt::FlatCap));
        for (const QList<QPointF> &segment : line.rest) {
            QList<QPointF> places;
            places.reserve(segment.size());
            for (const QPointF &point : segment)
                places.append(
                    {d->area.left() + (point.x() - left) * xUnit, d->area.bottom() - (point.y() - bottom) * yUnit});
            painter.drawLines(dashedLines(d->area, places, dashes));
        }
    }
    painter.restore();
}

} // namespace lookback::ui
