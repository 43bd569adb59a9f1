// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How heads are chosen in the grid of heads, by mouse and by keys.
#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>

#include "ui/heatmap/head_keys.h"
#include "ui/heatmap/head_score_grid.h"

namespace lookback::ui {

using circuit::HeadId;

// --- places and sets ---

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

std::optional<HeadScoreGrid::Part> HeadScoreGrid::partAt(const QPointF &place) const
{
    if (const std::optional<HeadId> head = headAt(place))
        return head;
    const HeadCellPlaces all = places();
    for (std::int64_t layer = 0; layer < std::ssize(m_cells.layers); ++layer) {
        if (all.layerTitle(layer).contains(place))
            return Part{layer, kAll};
    }
    for (std::int64_t head = 0; head < m_cells.heads; ++head) {
        if (all.headTitle(head).contains(place))
            return Part{kAll, head};
    }
    return std::nullopt;
}

HeadId HeadScoreGrid::nearestHead(const QPointF &place) const
{
    const HeadCellPlaces all = places();
    const auto index = [](double offset, double size, std::int64_t count) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::max(offset, 0.0) / size), 0, count - 1);
    };
    return {index(place.y() - all.corner.y(), all.cell.height(), std::ssize(m_cells.layers)),
            index(place.x() - all.corner.x(), all.cell.width(), m_cells.heads)};
}

HeadScoreGrid::HeadIds HeadScoreGrid::headsOf(const Part &part) const
{
    if (part.head != kAll && part.layer != kAll)
        return {part};
    HeadIds heads;
    const std::int64_t count = part.head == kAll ? m_cells.heads : std::ssize(m_cells.layers);
    for (std::int64_t i = 0; i < count; ++i) {
        const HeadId id = part.head == kAll ? HeadId{part.layer, i} : HeadId{i, part.head};
        if (m_cells.at(id))
            heads.push_back(id);
    }
    return heads;
}

HeadScoreGrid::HeadIds HeadScoreGrid::between(const HeadId &from, const HeadId &to) const
{
    HeadIds heads;
    for (std::int64_t layer = std::min(from.layer, to.layer); layer <= std::max(from.layer, to.layer); ++layer) {
        for (std::int64_t head = std::min(from.head, to.head); head <= std::max(from.head, to.head); ++head) {
            const HeadId id{layer, head};
            if (id != to && m_cells.at(id))
                heads.push_back(id);
        }
    }
    heads.push_back(to);
    return heads;
}

HeadScoreGrid::HeadIds HeadScoreGrid::with(HeadIds heads, const HeadIds &more) const
{
    for (const HeadId &id : more) {
        if (std::ranges::find(heads, id) == heads.end())
            heads.push_back(id);
    }
    return heads;
}

bool HeadScoreGrid::isChosen(const HeadId &id) const
{
    return std::ranges::find(m_chosen, id) != m_chosen.end();
}

// --- choosing ---

void HeadScoreGrid::take(HeadIds chosen, const HeadId &current)
{
    m_current = current;
    update();
    if (chosen == m_chosen)
        return;
    m_chosen = std::move(chosen);
    announceValue(this, spokenValue());
    Q_EMIT chosenChanged(m_chosen);
}

void HeadScoreGrid::choose(const HeadId &id)
{
    m_anchor = id;
    take({id}, id);
}

void HeadScoreGrid::extendTo(const HeadId &id, bool isAdding)
{
    const HeadIds heads = between(m_anchor, id);
    const HeadId anchor = m_anchor;
    take(isAdding ? with(m_chosen, heads) : heads, id);
    m_anchor = anchor; // a further one begins there, too
}

void HeadScoreGrid::toggle(const Part &part)
{
    const HeadIds heads = headsOf(part);
    if (heads.empty())
        return;
    HeadIds chosen = m_chosen;
    if (std::ranges::all_of(heads, [this](const HeadId &id) { return isChosen(id); }))
        std::erase_if(chosen, [&](const HeadId &id) { return std::ranges::find(heads, id) != heads.end(); });
    else
        chosen = with(std::move(chosen), heads);
    const bool isOne = heads.size() == 1;
    m_anchor = isOne ? heads.front() : m_anchor;
    take(std::move(chosen), isOne ? heads.front() : m_current);
}

void HeadScoreGrid::showDrag(const HeadId &to)
{
    const HeadIds heads = between(m_drag->from, to);
    if (to == m_drag->from && m_drag->isAdding && std::ranges::find(m_drag->before, to) != m_drag->before.end()) {
        m_chosen = m_drag->before;
        std::erase(m_chosen, to);
    } else {
        m_chosen = m_drag->isAdding ? with(m_drag->before, heads) : heads;
    }
    m_current = to;
    update();
}

void HeadScoreGrid::giveUpDrag()
{
    m_chosen = m_drag->before;
    m_current = m_drag->current;
    m_drag.reset();
    update();
}

// --- mouse ---

void HeadScoreGrid::mousePressEvent(QMouseEvent *event)
{
    const std::optional<Part> part = partAt(event->position());
    if (event->button() != Qt::LeftButton || !part || m_drag)
        return;
    const bool isAdding = m_isAdding || (event->modifiers() & Qt::ControlModifier);
    if (part->head == kAll || part->layer == kAll) {
        toggle(*part);
    } else if (event->modifiers() & Qt::ShiftModifier) {
        extendTo(*part, isAdding);
    } else {
        m_drag = Drag{*part, m_chosen, m_current, isAdding};
        showDrag(*part);
    }
}

void HeadScoreGrid::mouseMoveEvent(QMouseEvent *event)
{
    if (m_drag) {
        const HeadId to = nearestHead(event->position());
        if (to != m_current)
            showDrag(to);
    }
    const std::optional<Part> part = partAt(event->position());
    if (part == m_hover)
        return;
    m_hover = part;
    update();
}

void HeadScoreGrid::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_drag)
        return;
    HeadIds chosen = std::exchange(m_chosen, m_drag->before);
    m_anchor = m_drag->from;
    m_drag.reset();
    take(std::move(chosen), m_current);
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

// --- keys ---

void HeadScoreGrid::keyPressEvent(QKeyEvent *event)
{
    if (m_drag && event->key() == Qt::Key_Escape) {
        giveUpDrag();
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        if (!m_cells.cells.empty())
            take(between({0, 0}, {std::ssize(m_cells.layers) - 1, m_cells.heads - 1}), m_current);
        return;
    }
    const bool isThere = m_cells.at(m_current);
    const bool isPlain = event->modifiers() == Qt::NoModifier;
    switch (event->key()) {
    case Qt::Key_Space:
        if (isThere)
            toggle(m_current);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (isThere)
            choose(m_current);
        return;
    case Qt::Key_L:
    case Qt::Key_H:
        if (isThere && isPlain) {
            toggle(event->key() == Qt::Key_L ? Part{m_current.layer, kAll} : Part{kAll, m_current.head});
            return;
        }
        break;
    default:
        break;
    }
    const std::optional<HeadId> next = headAfterKey(event->key(), m_current, m_cells.heads);
    if (!next) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (!m_cells.at(*next))
        return;
    const bool isAdding = m_isAdding || (event->modifiers() & Qt::ControlModifier);
    if (event->modifiers() & Qt::ShiftModifier) {
        extendTo(*next, isAdding);
    } else if (isAdding) {
        m_current = m_anchor = *next;
        update();
        announceValue(this, spokenValue());
    } else {
        choose(*next);
    }
}

} // namespace lookback::ui
