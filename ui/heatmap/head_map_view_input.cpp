// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard of HeadMapView.
#include <cmath>

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include "ui/heatmap/head_map_view.h"

namespace lookback::ui {

namespace {
constexpr int kWheelStep = 120; // eighths of a degree of one notch
constexpr double kWheelZoom = 1.2;
} // namespace

bool HeadMapView::isOwnKey(const QKeyEvent &event) const
{
    if (event.modifiers() & (Qt::AltModifier | Qt::MetaModifier))
        return false;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        return true;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
    case Qt::Key_0:
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
    case Qt::Key_J:
    case Qt::Key_K:
    case Qt::Key_F:
        return !(event.modifiers() & Qt::ControlModifier);
    case Qt::Key_Escape:
        return m_isPinned || m_isDragging;
    default:
        return event.text() == u"[" || event.text() == u"]"; // brackets that a layout puts behind AltGr
    }
}

bool HeadMapView::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride && isOwnKey(*static_cast<QKeyEvent *>(event))) {
        event->accept(); // a letter is ours while the map has the focus, whatever menu wants it too
        return true;
    }
    return QAbstractScrollArea::event(event);
}

void HeadMapView::keyPressEvent(QKeyEvent *event)
{
    if (!m_example || !isOwnKey(*event)) {
        event->ignore();
        return;
    }
    const std::int64_t entry = m_example->sequence.shape.entryTokens();
    const std::int64_t last = m_example->positions - 1;
    const bool isControl = event->modifiers().testFlag(Qt::ControlModifier);
    const std::int64_t step = isControl ? entry : 1;
    MapCell cell = m_cell.isValid() ? m_cell : MapCell{0, 0};
    const auto to = [&](std::int64_t query, std::int64_t key) {
        setCell({std::clamp<std::int64_t>(query, 0, last), std::clamp<std::int64_t>(key, 0, last)});
    };
    const std::int64_t window = m_values ? m_values->shape().window : 0;
    switch (event->key()) {
    case Qt::Key_Left:
        return to(cell.query, cell.key - step);
    case Qt::Key_Right:
        return to(cell.query, cell.key + step);
    case Qt::Key_Up:
        return to(cell.query - step, cell.key);
    case Qt::Key_Down:
        return to(cell.query + step, cell.key);
    case Qt::Key_PageUp:
        return to(cell.query - entry, cell.key);
    case Qt::Key_PageDown:
        return to(cell.query + entry, cell.key);
    case Qt::Key_Home:
        if (isControl)
            return to(0, cell.key);
        return to(cell.query, window > 0 ? cell.query - window + 1 : 0); // the first key that the query sees
    case Qt::Key_End:
        if (isControl)
            return to(last, cell.key);
        return to(cell.query, cell.query); // the last one
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return setPinned(!m_isPinned);
    case Qt::Key_Escape:
        if (m_isDragging) {
            m_isDragging = m_isPressed = false;
            viewport()->unsetCursor();
            horizontalScrollBar()->setValue(m_pressedScroll.x());
            verticalScrollBar()->setValue(m_pressedScroll.y());
            return;
        }
        return setPinned(false);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomIn();
    case Qt::Key_Minus:
        return zoomOut();
    case Qt::Key_0:
        return zoomToFit();
    case Qt::Key_J:
        Q_EMIT answerStepAsked(1);
        return;
    case Qt::Key_K:
        Q_EMIT answerStepAsked(-1);
        return;
    case Qt::Key_F:
        Q_EMIT wrongAnswerAsked();
        return;
    default:
        Q_EMIT headStepAsked(event->key() == Qt::Key_BracketLeft || event->text() == u"[" ? -1 : 1);
        return;
    }
}

void HeadMapView::mousePressEvent(QMouseEvent *event)
{
    if (!hasMap() || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) {
        event->ignore();
        return;
    }
    m_isPressed = true;
    m_isDragging = false;
    m_pressed = event->position().toPoint();
    m_pressedScroll = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

void HeadMapView::mouseMoveEvent(QMouseEvent *event)
{
    if (!hasMap())
        return;
    const QPoint place = event->position().toPoint();
    if (m_isPressed) {
        const bool canPan = horizontalScrollBar()->maximum() > 0 || verticalScrollBar()->maximum() > 0;
        if (!m_isDragging && canPan && (place - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
            m_isDragging = true;
            viewport()->setCursor(Qt::ClosedHandCursor);
        }
        if (m_isDragging) {
            horizontalScrollBar()->setValue(m_pressedScroll.x() - (place.x() - m_pressed.x()));
            verticalScrollBar()->setValue(m_pressedScroll.y() - (place.y() - m_pressed.y()));
        }
        return;
    }
    const MapCell cell{queries().cellUnder(event->position().y()), keys().cellUnder(event->position().x())};
    setHover(cell.isValid() ? cell : MapCell{});
}

void HeadMapView::mouseReleaseEvent(QMouseEvent *event)
{
    const bool isClick = m_isPressed && !m_isDragging && event->button() == Qt::LeftButton;
    m_isPressed = m_isDragging = false;
    viewport()->unsetCursor();
    if (!isClick || !hasMap())
        return;
    const MapCell cell{queries().cellUnder(event->position().y()), keys().cellUnder(event->position().x())};
    if (cell.isValid())
        moveTo(cell, false); // what was clicked stays under the pointer
}

void HeadMapView::wheelEvent(QWheelEvent *event)
{
    if (!hasMap()) {
        event->ignore();
        return;
    }
    event->accept();
    const bool isControl = event->modifiers().testFlag(Qt::ControlModifier);
    const bool isTouchpad = event->phase() != Qt::NoScrollPhase && !event->pixelDelta().isNull();
    if (!isControl && (isTouchpad || event->modifiers().testFlag(Qt::ShiftModifier))) {
        const QPoint delta = isTouchpad ? event->pixelDelta() : event->angleDelta();
        const int dx = delta.x() != 0 || isTouchpad ? delta.x() : delta.y();
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - dx);
        if (isTouchpad)
            verticalScrollBar()->setValue(verticalScrollBar()->value() - delta.y());
        return;
    }
    m_wheelRest += event->angleDelta().y();
    const int steps = m_wheelRest / kWheelStep;
    m_wheelRest -= steps * kWheelStep;
    if (steps != 0)
        setCellPixels(m_cellPixels * std::pow(kWheelZoom, steps), event->position());
}

bool HeadMapView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        setHover({});
    return QAbstractScrollArea::viewportEvent(event);
}

void HeadMapView::scrollContentsBy(int, int)
{
    viewport()->update(); // tiles are copied from the cache; labels and frames are drawn anew
    Q_EMIT viewChanged();
}

void HeadMapView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    applyFit();
}

void HeadMapView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        forgetTiles(); // the mask's colour may be another
        applyFit();
    }
}

void HeadMapView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void HeadMapView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace lookback::ui
