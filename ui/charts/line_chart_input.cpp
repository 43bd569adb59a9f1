// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Pointer and keys of LineChart.
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
constexpr double kZoomStep = 1.25;

} // namespace

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
