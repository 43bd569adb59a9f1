// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_score_grid.h"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/heatmap/head_keys.h"
#include "ui/heatmap/map_labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadId;

HeadScoreGrid::HeadScoreGrid(QWidget *parent) : QWidget(parent)
{
    setObjectName(u"headScoreGrid"_s);
    setAccessibleName(tr("Heads by layer"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void HeadScoreGrid::setCells(const HeadCells &cells)
{
    if (cells == m_cells)
        return;
    m_cells = cells;
    const auto isGone = [this](const HeadId &id) { return !m_cells.at(id); };
    std::erase_if(m_chosen, isGone);
    if (isGone(m_current))
        m_current = {};
    updateGeometry();
    update();
}

void HeadScoreGrid::setStale(bool isStale)
{
    if (isStale == m_isStale)
        return;
    m_isStale = isStale;
    update();
}

void HeadScoreGrid::setChosen(const std::vector<HeadId> &chosen)
{
    if (chosen == m_chosen)
        return;
    m_chosen = chosen;
    if (!m_chosen.empty())
        m_current = m_chosen.back();
    update();
    announceValue(this, spokenValue());
}

HeadCellPlaces HeadScoreGrid::places() const
{
    return placesOf(m_cells, QRectF(rect()).adjusted(0, 0, -1, -1), font(), this);
}

QRectF HeadScoreGrid::cellRect(const HeadId &id) const
{
    return places().rectOf(id);
}

std::optional<HeadId> HeadScoreGrid::headAt(const QPointF &place) const
{
    const HeadCellPlaces all = places();
    for (std::int64_t layer = 0; layer < std::ssize(m_cells.layers); ++layer) {
        for (std::int64_t head = 0; head < m_cells.heads; ++head) {
            if (all.rectOf({layer, head}).contains(place))
                return HeadId{layer, head};
        }
    }
    return std::nullopt;
}

QString HeadScoreGrid::words(const HeadId &id) const
{
    const HeadCell *cell = m_cells.at(id);
    if (!cell)
        return {};
    const QString head =
        tr("Layer %1, head %2 (%3)").arg(id.layer).arg(id.head).arg(m_cells.layers[static_cast<std::size_t>(id.layer)]);
    if (!cell->value)
        return tr("%1: %2 means nothing here").arg(head, m_quantity);
    QString number = m_cells.text(*cell->value);
    if (cell->half > 0.0)
        number += u" ± "_s % QString::number(cell->half, 'f', m_cells.decimals);
    return cell->isDistinguishable ? tr("%1: %2 %3", "head, quantity, number").arg(head, m_quantity, number)
                                   : tr("%1: %2 %3, not distinguishable here").arg(head, m_quantity, number);
}

QString HeadScoreGrid::spokenValue() const
{
    QString text = words(m_current);
    if (std::ranges::find(m_chosen, m_current) != m_chosen.end())
        text += tr("; chosen, %1 of %2 heads").arg(m_chosen.size()).arg(m_cells.cells.size());
    return text;
}

QString HeadScoreGrid::spokenHelp() const
{
    return tr("Arrow keys choose a head; Ctrl and arrow keys move, Space adds a head or takes it out.");
}

QSize HeadScoreGrid::sizeHint() const
{
    const int line = fontMetrics().height();
    return {static_cast<int>(std::max<std::int64_t>(m_cells.heads, 4)) * 5 * line + 10 * line,
            static_cast<int>(std::max<std::size_t>(m_cells.layers.size(), 4)) * 5 * line / 2 + 2 * line};
}

QSize HeadScoreGrid::minimumSizeHint() const
{
    const int line = fontMetrics().height();
    return {static_cast<int>(std::clamp<std::int64_t>(m_cells.heads, 4, 8)) * 3 * line / 2 + 7 * line,
            static_cast<int>(std::clamp<std::size_t>(m_cells.layers.size(), 4, 8)) * line + 2 * line};
}

void HeadScoreGrid::choose(const HeadId &id)
{
    m_current = id;
    const std::vector<HeadId> only{id};
    update();
    if (m_chosen == only)
        return;
    m_chosen = only;
    announceValue(this, spokenValue());
    Q_EMIT chosenChanged(m_chosen);
}

void HeadScoreGrid::toggle(const HeadId &id)
{
    m_current = id;
    if (std::erase(m_chosen, id) == 0)
        m_chosen.push_back(id);
    update();
    announceValue(this, spokenValue());
    Q_EMIT chosenChanged(m_chosen);
}

void HeadScoreGrid::mousePressEvent(QMouseEvent *event)
{
    const std::optional<HeadId> head = headAt(event->position());
    if (event->button() != Qt::LeftButton || !head)
        return;
    if (m_isAdding || (event->modifiers() & Qt::ControlModifier))
        toggle(*head);
    else
        choose(*head);
}

void HeadScoreGrid::mouseMoveEvent(QMouseEvent *event)
{
    const std::optional<HeadId> head = headAt(event->position());
    if (head == m_hover)
        return;
    m_hover = head;
    update();
}

void HeadScoreGrid::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hover.reset();
    update();
}

void HeadScoreGrid::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    update();
}

void HeadScoreGrid::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    update();
}

void HeadScoreGrid::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Space:
        if (m_cells.at(m_current))
            toggle(m_current);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_cells.at(m_current))
            choose(m_current);
        return;
    default:
        break;
    }
    const std::optional<HeadId> led = headAfterKey(event->key(), m_current, m_cells.heads);
    if (!led) {
        QWidget::keyPressEvent(event);
        return;
    }
    const HeadId next = *led;
    if (!m_cells.at(next))
        return;
    if (m_isAdding || (event->modifiers() & Qt::ControlModifier)) {
        m_current = next;
        update();
        announceValue(this, spokenValue());
    } else {
        choose(next);
    }
}

bool HeadScoreGrid::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const std::optional<HeadId> head = headAt(QPointF(help->pos()));
        QToolTip::showText(help->globalPos(), head ? words(*head) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

void HeadScoreGrid::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    painter.fillRect(rect(), theme.base);
    if (m_cells.cells.empty())
        return;
    const HeadCellPlaces all = places();
    drawHeadCells(painter, m_cells, all, font(), 1.0, theme);
    painter.setBrush(Qt::NoBrush);
    const auto inner = [&](const HeadId &id) { return all.rectOf(id).adjusted(1.0, 1.0, -2.0, -2.0); };
    if (m_hover && !m_isStale) {
        painter.setPen(QPen(theme.accent, 1.0));
        painter.drawRect(inner(*m_hover).adjusted(-1.0, -1.0, 0.0, 0.0));
    }
    for (const HeadId &id : m_chosen)
        drawMapFrame(painter, inner(id), Qt::white, 2.0, false);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.focus, 2.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(inner(m_current).adjusted(-2.0, -2.0, 2.0, 2.0));
    }
    if (m_isStale) {
        QColor veil = theme.base;
        veil.setAlphaF(0.6F);
        painter.fillRect(rect(), veil);
    }
}

} // namespace lookback::ui
