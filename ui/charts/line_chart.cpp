// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/line_chart.h"

#include <QEvent>

#include <algorithm>
#include <cmath>

#include "ui/charts/line_chart_private.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

bool isListed(const std::vector<ChartCurve> &curves, const QString &id)
{
    return std::ranges::find(curves, id, &ChartCurve::id) != curves.end();
}

} // namespace

LineChart::Private::Private(LineChart *chart, XView *xView, Abscissa abscissa, Quantity quantity)
    : q(chart), view(xView), x(std::move(abscissa)), y(std::move(quantity))
{
}

LineChart::LineChart(XView *view, Abscissa abscissa, Quantity quantity, QWidget *parent)
    : QWidget(parent), d(std::make_unique<Private>(this, view, std::move(abscissa), std::move(quantity)))
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    d->readTheme();
    d->timer.setSingleShot(true);
    connect(&d->timer, &QTimer::timeout, this, [this] { d->refresh(); });
    connect(view, &XView::rangeChanged, this, [this] { d->schedule(); });
    connect(view, &XView::crossHairChanged, this, [this] {
        d->describe();
        update();
    });
    connect(view, &XView::followingChanged, this, [this](bool isFollowing) {
        // Holding means both axes; following means both again.
        if (isFollowing)
            d->yHeld.reset();
        else if (!d->yHeld && !d->area.isNull()) // laid out at least once
            d->yHeld = d->yAxis.range;
        d->schedule();
    });
}

LineChart::~LineChart() = default;

void LineChart::setQuantity(Quantity quantity)
{
    d->y = std::move(quantity);
    d->yHeld.reset();
    d->isFullRange = false;
    d->schedule();
}

void LineChart::setCurves(std::vector<ChartCurve> curves)
{
    if (curves == d->curves)
        return;
    const auto isSameOrder = std::ranges::equal(curves, d->curves, {}, &ChartCurve::id, &ChartCurve::id);
    if (!isSameOrder)
        d->scene.truncate(0);
    std::erase_if(d->data, [&](const auto &entry) { return !isListed(curves, entry.first); });
    d->curves = std::move(curves);
    d->schedule();
}

const std::vector<ChartCurve> &LineChart::curves() const
{
    return d->curves;
}

void LineChart::setPoints(const QString &id, std::vector<CurvePoint> points)
{
    CurveData &data = d->data[id];
    data.setSmoothing(d->smoothing);
    data.setPoints(std::move(points));
    d->schedule();
}

void LineChart::appendPoints(const QString &id, std::span<const CurvePoint> points)
{
    CurveData &data = d->data[id];
    data.setSmoothing(d->smoothing);
    data.appendPoints(points);
    d->schedule();
}

void LineChart::setIntervals(const QString &id, std::vector<IntervalPoint> intervals)
{
    d->data[id].setIntervals(std::move(intervals));
    d->schedule();
}

const CurveData *LineChart::data(const QString &id) const
{
    const auto found = d->data.find(id);
    return found == d->data.end() ? nullptr : &found->second;
}

void LineChart::setStages(std::vector<Stage> stages)
{
    if (stages == d->stages)
        return;
    d->stages = std::move(stages);
    d->schedule();
}

void LineChart::setReferences(std::vector<ReferenceLine> lines)
{
    if (lines == d->references)
        return;
    d->references = std::move(lines);
    d->schedule();
}

void LineChart::setReferenceCurve(ReferenceCurve curve)
{
    if (curve == d->referenceCurve)
        return;
    d->referenceCurve = std::move(curve);
    d->schedule();
}

void LineChart::setBottomNumbers(bool isOn)
{
    d->hasBottomNumbers = isOn;
    d->schedule();
}

void LineChart::setSmoothing(double strength)
{
    if (strength == d->smoothing)
        return;
    d->smoothing = strength;
    for (auto &[id, data] : d->data)
        data.setSmoothing(strength);
    d->schedule();
}

void LineChart::setIntervalsShown(bool isOn)
{
    d->hasIntervals = isOn;
    d->schedule();
}

void LineChart::setWhiskers(bool isOn)
{
    d->hasWhiskers = isOn;
    d->schedule();
}

void LineChart::setLabelShare(double share)
{
    d->labelShare = share;
    d->schedule();
}

void LineChart::setLabelsShown(bool isOn)
{
    d->hasLabels = isOn;
    d->schedule();
}

void LineChart::setFullRange(bool isFull)
{
    if (isFull == d->isFullRange)
        return;
    d->isFullRange = isFull;
    d->schedule();
}

bool LineChart::isFullRange() const
{
    return d->isFullRange;
}

std::optional<Range> LineChart::heldYRange() const
{
    return d->yHeld;
}

void LineChart::holdYRange(std::optional<Range> range)
{
    d->yHeld = range;
    d->schedule();
}

Axis LineChart::xAxis() const
{
    return d->xAxis;
}

Axis LineChart::yAxis() const
{
    return d->yAxis;
}

QRectF LineChart::plotArea() const
{
    return d->area;
}

QPointF LineChart::positionOf(double x, double y) const
{
    return {d->area.left() + d->xAxis.share(x) * d->area.width(),
            d->area.bottom() - d->yAxis.share(y) * d->area.height()};
}

std::vector<std::pair<QString, QRectF>> LineChart::labelRects() const
{
    std::vector<std::pair<QString, QRectF>> rects;
    for (std::size_t i = 0; i < d->labels.size(); ++i)
        rects.emplace_back(d->labelIds[i], d->labels[i]);
    return rects;
}

QString LineChart::offScaleText() const
{
    return d->offScale;
}

void LineChart::setHovered(const QString &id)
{
    if (d->hovered == id)
        return;
    d->hovered = id;
    update();
}

void LineChart::zoom(double factor)
{
    d->zoomAt({0.5, 0.5}, factor, factor);
}

void LineChart::zoomToFit()
{
    d->yHeld.reset();
    d->view->setFollowing(true);
    d->schedule();
    Q_EMIT viewChanged();
}

QSize LineChart::sizeHint() const
{
    return {640, 300};
}

QSize LineChart::minimumSizeHint() const
{
    const int line = fontMetrics().height();
    return {line * 16, line * 7};
}

void LineChart::resizeEvent(QResizeEvent *)
{
    d->isDirty = true; // the paint event that follows lays out anew
}

void LineChart::showEvent(QShowEvent *)
{
    if (d->isDirty)
        d->schedule();
}

void LineChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange
        || event->type() == QEvent::StyleChange) {
        d->readTheme();
        d->schedule();
    }
    QWidget::changeEvent(event);
}

} // namespace lookback::ui
