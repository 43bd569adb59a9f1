// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Pointer and keys of LineChart.
#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "ui/charts/line_chart_private.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// A press that moves less is a click.
constexpr qreal kDragPixels = 5.0;
/// How near a curve has to be to the pointer to be meant.
constexpr qreal kHoverPixels = 6.0;
constexpr double kZoomStep = 1.25;

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

void LineChart::Private::describe()
{
    QString text;
    if (const std::optional<double> &at = view->crossHair()) {
        QStringList values;
        for (const ChartCurve &curve : curves) {
            const CurvePoint *point = curve.isShown ? data[curve.id].at(*at) : nullptr;
            const QString name = curve.label.isEmpty() ? curve.id : curve.label;
            values << u"%1 %2"_s.arg(name, point && point->y ? y.text(*point->y) : tr("no value"));
        }
        text = tr("%1 %2: %3", "name and value of x; all curves").arg(x.name, x.text(*at), values.join(u", "_s));
    }
    if (text == q->accessibleDescription())
        return;
    q->setAccessibleDescription(text);
    QAccessibleEvent event(q, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
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

void LineChart::Private::finishDrag(const QPointF &position)
{
    const Drag finished = drag;
    drag = Drag::None;
    if (finished != Drag::Zoom)
        return;
    dragNow = position;
    const QRectF box = QRectF(dragStart, dragNow).normalized().intersected(area);
    // A flat box means that axis alone.
    const bool isWide = box.width() >= kDragPixels;
    const bool isHigh = box.height() >= kDragPixels;
    const Axis x = xAxis;
    const Axis yNow = yAxis;
    if (isHigh) {
        setYRange({yNow.valueAt((area.bottom() - box.bottom()) / area.height()),
                   yNow.valueAt((area.bottom() - box.top()) / area.height())});
    }
    if (isWide) {
        view->setRange({x.valueAt((box.left() - area.left()) / area.width()),
                        x.valueAt((box.right() - area.left()) / area.width())});
    }
    if (isWide || isHigh)
        Q_EMIT q->viewChanged();
}

void LineChart::mousePressEvent(QMouseEvent *event)
{
    const QPointF position = event->position();
    const bool isPan = event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier));
    if (d->drag != Private::Drag::None || (event->button() != Qt::LeftButton && !isPan))
        return;
    if (event->button() == Qt::LeftButton && d->offScaleRect.contains(position)) {
        setFullRange(!d->isFullRange);
        Q_EMIT viewChanged();
        return;
    }
    if (const QString label = d->labelAt(position); !label.isEmpty()) {
        if (event->modifiers().testFlag(Qt::ControlModifier))
            Q_EMIT curveToggled(label);
        else
            Q_EMIT curveChosen(label);
        return;
    }
    if (!d->area.contains(position))
        return;
    d->drag = isPan ? Private::Drag::Pan : Private::Drag::Zoom;
    d->isDragFar = false;
    d->dragStart = d->dragNow = position;
    d->dragX = d->xAxis.range;
    d->dragY = d->yAxis.range;
}

void LineChart::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF position = event->position();
    if (d->drag != Private::Drag::None) {
        d->dragNow = position;
        const QPointF moved = position - d->dragStart;
        d->isDragFar |= std::hypot(moved.x(), moved.y()) >= kDragPixels;
        if (d->drag == Private::Drag::Pan && d->isDragFar) {
            const Axis x{d->xAxis.scale, d->dragX, {}, {}, {}};
            const Axis y{d->yAxis.scale, d->dragY, {}, {}, {}};
            const double dx = -moved.x() / d->area.width();
            const double dy = moved.y() / d->area.height();
            d->setYRange({y.valueAt(dy), y.valueAt(1 + dy)});
            d->view->setRange({x.valueAt(dx), x.valueAt(1 + dx)});
            Q_EMIT viewChanged();
        }
        update();
        return;
    }
    const bool isInside = d->area.contains(position);
    const QString label = d->labelAt(position);
    const QString hovered = isInside ? d->curveNear(position) : label;
    if (hovered != d->hovered) {
        d->hovered = hovered;
        update();
    }
    const bool isHand = !label.isEmpty() || d->offScaleRect.contains(position);
    setCursor(isHand ? Qt::PointingHandCursor : isInside ? Qt::CrossCursor : Qt::ArrowCursor);
    if (isInside)
        d->setCrossHair(d->snapped(d->xAxis.valueAt((position.x() - d->area.left()) / d->area.width())));
}

void LineChart::mouseReleaseEvent(QMouseEvent *event)
{
    if (d->drag == Private::Drag::None)
        return;
    const bool wasClick = !d->isDragFar;
    if (wasClick) {
        d->drag = Private::Drag::None;
        if (event->button() == Qt::LeftButton && !d->hovered.isEmpty())
            Q_EMIT curveChosen(d->hovered);
    } else {
        d->finishDrag(event->position());
    }
    update();
}

void LineChart::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && d->area.contains(event->position()))
        zoomToFit();
}

void LineChart::wheelEvent(QWheelEvent *event)
{
    const double turns = (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) / 120.0;
    if (turns == 0)
        return;
    const double factor = std::pow(kZoomStep, -turns);
    const QPointF at = event->position();
    const QPointF share(std::clamp((at.x() - d->area.left()) / d->area.width(), 0.0, 1.0),
                        std::clamp((d->area.bottom() - at.y()) / d->area.height(), 0.0, 1.0));
    // Over an axis, or with a modifier: that axis alone.
    const bool isXOnly = event->modifiers().testFlag(Qt::ControlModifier) || at.y() > d->area.bottom();
    const bool isYOnly = event->modifiers().testFlag(Qt::ShiftModifier) || at.x() < d->area.left();
    d->zoomAt(share, isYOnly ? 1.0 : factor, isXOnly && !isYOnly ? 1.0 : factor);
    event->accept();
}

void LineChart::keyPressEvent(QKeyEvent *event)
{
    const bool isShift = event->modifiers().testFlag(Qt::ShiftModifier);
    const Range logged = d->loggedRange();
    const double middle = d->xAxis.valueAt(0.5);
    const double at = d->view->crossHair().value_or(d->snapped(middle).value_or(middle));
    const double tenth = d->xAxis.share(at);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
        const int count = (event->key() == Qt::Key_Right ? 1 : -1) * (isShift ? 10 : 1);
        d->setCrossHair(d->view->crossHair() ? d->stepped(at, count) : d->snapped(at));
        break;
    }
    case Qt::Key_PageUp:
        d->setCrossHair(d->snapped(d->xAxis.valueAt(tenth - 0.1)));
        break;
    case Qt::Key_PageDown:
        d->setCrossHair(d->snapped(d->xAxis.valueAt(tenth + 0.1)));
        break;
    case Qt::Key_Home:
        d->setCrossHair(d->snapped(logged.lower));
        break;
    case Qt::Key_End:
        d->setCrossHair(d->snapped(logged.upper));
        break;
    case Qt::Key_Up:
        d->chooseNext(-1);
        break;
    case Qt::Key_Down:
        d->chooseNext(1);
        break;
    case Qt::Key_Space: {
        const auto selected = std::ranges::find_if(d->curves, [](const ChartCurve &curve) { return curve.isSelected; });
        if (selected != d->curves.end())
            Q_EMIT curveToggled(selected->id);
        break;
    }
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus: {
        // About the chosen curve at the cross-hair; Shift is needed to type + on many keyboards and means nothing here.
        const double share = d->view->crossHair() ? std::clamp(d->xAxis.share(at), 0.0, 1.0) : 0.5;
        const double factor = event->key() == Qt::Key_Minus ? kZoomStep : 1 / kZoomStep;
        double height = 0.5;
        for (const ChartCurve &curve : d->curves) {
            const CurvePoint *point = curve.isShown && curve.isSelected ? d->data[curve.id].at(at) : nullptr;
            if (point && point->y && std::isfinite(d->yAxis.share(*point->y)))
                height = std::clamp(d->yAxis.share(*point->y), 0.0, 1.0);
        }
        d->zoomAt({share, height}, factor, factor);
        break;
    }
    case Qt::Key_0:
        zoomToFit();
        break;
    case Qt::Key_Escape:
        if (d->drag != Private::Drag::None) {
            if (d->drag == Private::Drag::Pan) {
                d->setYRange(d->dragY);
                d->view->setRange(d->dragX);
            }
            d->drag = Private::Drag::None;
            update();
        } else if (d->view->crossHair()) {
            d->view->setCrossHair(std::nullopt);
        } else {
            QWidget::keyPressEvent(event);
            return;
        }
        break;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    event->accept();
}

void LineChart::leaveEvent(QEvent *)
{
    if (!d->hovered.isEmpty()) {
        d->hovered.clear();
        update();
    }
    // The cross-hair of a keyboard user stays.
    if (!hasFocus())
        d->view->setCrossHair(std::nullopt);
}

void LineChart::focusInEvent(QFocusEvent *)
{
    update();
}

void LineChart::focusOutEvent(QFocusEvent *)
{
    update();
}

} // namespace lookback::ui
