// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What lies where in a LineChart: logged steps, curves and labels near a place, and what a zoom shows.
#include <algorithm>
#include <cmath>

#include "ui/charts/line_chart_private.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// How near a curve has to be to the pointer to be meant.
constexpr qreal kHoverPixels = 6.0;

} // namespace

std::optional<double> LineChart::Private::snapped(double value) const
{
    std::optional<double> best;
    const double place = toScale(xAxis.scale, value);
    double distance = std::numeric_limits<double>::infinity();
    for (const ChartCurve &curve : curves) {
        const CurveData *points = curve.isShown ? q->data(curve.id) : nullptr;
        const std::ptrdiff_t at = points ? points->nearest(value) : -1;
        if (at < 0)
            continue;
        // On a logarithmic axis the neighbour may look nearer.
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(at - 1, 0);
             i <= std::min(at + 1, std::ssize(points->points()) - 1); ++i) {
            const double x = points->points()[std::size_t(i)].x;
            const double away = std::abs(toScale(xAxis.scale, x) - place);
            if (away < distance) {
                distance = away;
                best = x;
            }
        }
    }
    return best;
}

std::optional<double> LineChart::Private::stepped(double from, int count) const
{
    std::optional<double> result;
    double at = from;
    for (int i = 0; i < std::abs(count); ++i) {
        std::optional<double> next;
        for (const ChartCurve &curve : curves) {
            const CurveData *points = curve.isShown ? q->data(curve.id) : nullptr;
            if (!points)
                continue;
            const auto list = points->points();
            if (count > 0) {
                const auto found = std::ranges::upper_bound(list, at, {}, &CurvePoint::x);
                if (found != list.end() && (!next || found->x < *next))
                    next = found->x;
            } else {
                const auto found = std::ranges::lower_bound(list, at, {}, &CurvePoint::x);
                if (found != list.begin() && (!next || std::prev(found)->x > *next))
                    next = std::prev(found)->x;
            }
        }
        if (!next)
            break;
        at = *next;
        result = next;
    }
    return result;
}

Range LineChart::Private::loggedRange() const
{
    Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const ChartCurve &curve : curves) {
        const CurveData *points = curve.isShown ? q->data(curve.id) : nullptr;
        if (!points || points->points().empty())
            continue;
        range.lower = std::min(range.lower, points->points().front().x);
        range.upper = std::max(range.upper, points->points().back().x);
    }
    return range;
}

void LineChart::Private::setCrossHair(std::optional<double> value)
{
    if (value)
        view->setCrossHair(value);
}

QString LineChart::Private::curveNear(const QPointF &position) const
{
    QString best;
    qreal distance = kHoverPixels;
    const double value = xAxis.valueAt((position.x() - area.left()) / area.width());
    for (const ChartCurve &curve : curves) {
        const CurveData *points = curve.isShown ? q->data(curve.id) : nullptr;
        const std::ptrdiff_t at = points ? points->nearest(value) : -1;
        if (at < 0)
            continue;
        // The distance to the two segments at the nearest point.
        const auto list = points->points();
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(at - 1, 0); i < std::min(at + 1, std::ssize(list) - 1); ++i) {
            const CurvePoint &a = list[std::size_t(i)];
            const CurvePoint &b = list[std::size_t(i) + 1];
            if (!a.y || !b.y)
                continue;
            const QPointF p = q->positionOf(a.x, *a.y);
            const QPointF r = q->positionOf(b.x, *b.y) - p;
            const qreal length = QPointF::dotProduct(r, r);
            const qreal t = length > 0 ? std::clamp(QPointF::dotProduct(position - p, r) / length, 0.0, 1.0) : 0.0;
            const QPointF away = position - (p + t * r);
            const qreal d = std::hypot(away.x(), away.y());
            if (d < distance) { // false for what has no place
                distance = d;
                best = curve.id;
            }
        }
    }
    return best;
}

QString LineChart::Private::labelAt(const QPointF &position) const
{
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i].contains(position))
            return labelIds[i];
    }
    return {};
}

void LineChart::Private::chooseNext(int direction)
{
    if (curves.empty())
        return;
    const auto selected = std::ranges::find_if(curves, [](const ChartCurve &curve) { return curve.isSelected; });
    const auto count = std::ptrdiff_t(curves.size());
    std::ptrdiff_t index = selected == curves.end() ? (direction > 0 ? -1 : count) : selected - curves.begin();
    index = std::clamp<std::ptrdiff_t>(index + direction, 0, count - 1);
    Q_EMIT q->curveChosen(curves[std::size_t(index)].id);
}

void LineChart::Private::zoomAt(const QPointF &share, double xFactor, double yFactor)
{
    const auto zoomed = [](const Axis &axis, double at, double factor) {
        return Range{axis.valueAt(at - at * factor), axis.valueAt(at + (1 - at) * factor)};
    };
    const Range yRange = zoomed(yAxis, share.y(), yFactor);
    if (xFactor != 1)
        view->setRange(zoomed(xAxis, share.x(), xFactor));
    else
        view->hold();
    if (yFactor != 1)
        setYRange(yRange);
    xAxis.range = view->range(); // two steps in one frame build on each other
    schedule();
    Q_EMIT q->viewChanged();
}

void LineChart::Private::setYRange(const Range &range)
{
    const Scale scale = yAxis.scale;
    const double least = toScale(scale, y.limits.lower);
    const double most = toScale(scale, y.limits.upper);
    const double lower = toScale(scale, range.lower);
    const double upper = toScale(scale, range.upper);
    if (!(upper > lower))
        return;
    // As wide as asked, inside the limits, and not narrower than what double can still divide.
    const double width = std::clamp(upper - lower, (most - least) * 1e-9, most - least);
    const double from = std::clamp((lower + upper) / 2 - width / 2, least, most - width);
    view->hold();
    yHeld = Range{fromScale(scale, from), fromScale(scale, from + width)};
    yAxis.range = *yHeld;
    schedule();
}

} // namespace lookback::ui
