// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the grid of heads shows and says; how heads are chosen is in head_score_grid_input.cpp.
#include "ui/heatmap/head_score_grid.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

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
    const bool isSameShape = cells.heads == m_cells.heads && cells.cells.size() == m_cells.cells.size();
    m_cells = cells;
    if (!isSameShape) {
        m_drag.reset();
        m_hover.reset();
    }
    const auto isGone = [this](const HeadId &id) { return !m_cells.at(id); };
    std::erase_if(m_chosen, isGone);
    for (HeadId *id : {&m_current, &m_anchor}) {
        if (isGone(*id))
            *id = {};
    }
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

void HeadScoreGrid::setChosen(const HeadIds &chosen)
{
    m_drag.reset();
    if (chosen == m_chosen)
        return;
    m_chosen = chosen;
    if (!m_chosen.empty())
        m_current = m_anchor = m_chosen.back();
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

QString HeadScoreGrid::words(const HeadId &id) const
{
    const HeadCell *cell = m_cells.at(id);
    if (!cell)
        return {};
    const QString head =
        tr("Layer %1, head %2 (%3)").arg(id.layer).arg(id.head).arg(m_cells.layers[static_cast<std::size_t>(id.layer)]);
    if (!cell->value) {
        const QString nothing = tr("%1: %2 means nothing here", "head, quantity").arg(head, m_quantity);
        return cell->why.isEmpty() ? nothing : QString(nothing % u". "_s % cell->why);
    }
    QString number = m_cells.text(*cell->value);
    if (cell->half > 0.0)
        number += u" ± "_s % QString::number(cell->half, 'f', m_cells.decimals);
    return cell->isDistinguishable ? tr("%1: %2 %3", "head, quantity, number").arg(head, m_quantity, number)
                                   : tr("%1: %2 %3, not distinguishable here").arg(head, m_quantity, number);
}

QString HeadScoreGrid::tip(const Part &part) const
{
    if (part.head == kAll) {
        const auto layer = static_cast<std::size_t>(part.layer);
        const QString click = tr("Click: adds the heads of layer %1 or takes them out (key L)").arg(part.layer);
        return layer < m_cells.means.size() && !m_cells.means[layer].isEmpty()
            ? QString(tr("Layer %1 (%2): %3 %4", "layer, what it sees, quantity, means")
                          .arg(layer)
                          .arg(m_cells.layers[layer], m_quantity, m_cells.means[layer])
                      % u'\n' % click)
            : click;
    }
    if (part.layer == kAll)
        return tr("Click: adds head %1 of every layer or takes them out (key H)").arg(part.head);
    return words(part) % u'\n'
        % tr("Click: this head alone. Drag or Shift + click: several. Ctrl + click: adds it or "
             "takes it out.");
}

QString HeadScoreGrid::spokenValue() const
{
    QString text = words(m_current);
    if (isChosen(m_current))
        text += tr("; chosen, %1 of %2 heads").arg(m_chosen.size()).arg(m_cells.cells.size());
    const auto layer = static_cast<std::size_t>(m_current.layer);
    if (layer < m_cells.means.size() && !m_cells.means[layer].isEmpty())
        text += tr("; the layer: %1").arg(m_cells.means[layer]);
    return text;
}

QString HeadScoreGrid::spokenHelp() const
{
    return tr("Arrow keys choose a head, with Shift several; Ctrl and arrow keys move, Space adds a head or takes it "
              "out, L its layer, H its column; Ctrl and A chooses all, Delete none.");
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

bool HeadScoreGrid::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const std::optional<Part> part = partAt(QPointF(help->pos()));
        QToolTip::showText(help->globalPos(), part ? tip(*part) : QString(), this);
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
    const bool isTitle = m_hover && (m_hover->head == kAll || m_hover->layer == kAll);
    if (isTitle && !m_isStale) {
        painter.fillRect(m_hover->head == kAll ? all.layerTitle(m_hover->layer).adjusted(-4, 1, -4, -1)
                                               : all.headTitle(m_hover->head).adjusted(1, 0, -1, -2),
                         theme.selection);
    }
    drawHeadCells(painter, m_cells, all, font(), 1.0, theme);
    painter.setBrush(Qt::NoBrush);
    const auto inner = [&](const HeadId &id) { return all.rectOf(id).adjusted(1.0, 1.0, -2.0, -2.0); };
    if (m_hover && !m_isStale) {
        painter.setPen(QPen(theme.accent, 1.0));
        for (const HeadId &id : headsOf(*m_hover))
            painter.drawRect(inner(id).adjusted(-1.0, -1.0, 0.0, 0.0));
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
