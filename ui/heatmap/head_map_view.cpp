// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_map_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QEvent>
#include <QScrollBar>

namespace lookback::ui {

namespace {

constexpr int kTilesKept = 64;

} // namespace

HeadMapView::HeadMapView(QWidget *parent)
    : QAbstractScrollArea(parent), m_colours(ColourMap::Viridis, ColourScale::shared()), m_tiles(kTilesKept)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
    setObjectName(QStringLiteral("headMap"));
    setAccessibleName(tr("Attention map"));
}

HeadMapView::~HeadMapView() = default;

void HeadMapView::setExample(std::shared_ptr<const analysis::Example> example)
{
    const MapCell before = pointerCell();
    const bool isSameSize = m_example && example && m_example->positions == example->positions;
    m_example = std::move(example);
    m_values.reset();
    m_hover = {};
    m_cell = {};
    m_isPinned = false;
    forgetTiles();
    if (!isSameSize && m_fit == Fit::Free)
        m_fit = Fit::Width; // a size chosen for another length says nothing here
    applyFit();
    pointerMoved(before);
}

void HeadMapView::setValues(PyramidPointer values)
{
    if (values == m_values)
        return;
    if (values && m_example
        && (values->shape().queries != m_example->positions || values->shape().keys != m_example->positions))
        return; // of another example; its answer came too late
    if (values && m_values)
        forgetTiles(values->rowsNewSince(*m_values));
    else
        forgetTiles();
    m_values = std::move(values);
    viewport()->update();
    Q_EMIT valuesChanged();
    announceValue(this, sentence());
}

void HeadMapView::setColours(const ColourTable &colours)
{
    if (colours == m_colours)
        return;
    m_colours = colours;
    forgetTiles();
    viewport()->update();
    Q_EMIT coloursChanged();
}

void HeadMapView::setEntriesShown(bool isShown)
{
    if (m_hasEntries == isShown)
        return;
    m_hasEntries = isShown;
    applyFit();
    viewport()->update();
}

void HeadMapView::setOccurrencesShown(bool isShown)
{
    if (m_hasOccurrences == isShown)
        return;
    m_hasOccurrences = isShown;
    viewport()->update();
}

void HeadMapView::setLines(const MapLines &lines)
{
    if (m_lines == lines)
        return;
    m_lines = lines;
    viewport()->update();
}

void HeadMapView::setStale(bool isStale)
{
    if (m_isStale == isStale)
        return;
    m_isStale = isStale;
    viewport()->update();
    Q_EMIT valuesChanged();
}

void HeadMapView::setReader(std::function<QString(MapCell)> reader)
{
    m_reader = std::move(reader);
    announceValue(this, sentence());
}

void HeadMapView::setCell(MapCell cell)
{
    moveTo(cell, true);
}

void HeadMapView::showCell(MapCell cell)
{
    if (!m_example)
        return;
    const AxisPlacement rows = queries();
    const std::int64_t length = m_example->sequence.shape.entryTokens();
    const std::int64_t first = cell.query / length * length;
    const bool isSeen =
        rows.axis.pixelOf(first) >= rows.offset && rows.axis.pixelOf(first + length) <= rows.offset + rows.length;
    if (!isSeen) {
        const double middle = rows.axis.pixelOf(cell.query) - 0.5 * rows.length;
        verticalScrollBar()->setValue(static_cast<int>(std::lround(middle / rows.pixelRatio)));
    }
    setCell(cell);
}

MapCell HeadMapView::pointerCell() const
{
    return !m_isPinned && m_hover.isValid() ? m_hover : m_cell;
}

void HeadMapView::setPinned(bool isPinned)
{
    if (m_isPinned == isPinned || !m_cell.isValid())
        return;
    const MapCell before = pointerCell();
    m_isPinned = isPinned;
    pointerMoved(before);
    Q_EMIT pinnedChanged(isPinned);
}

QString HeadMapView::sentence() const
{
    const MapCell cell = pointerCell();
    return hasMap() && m_reader && cell.isValid() ? m_reader(cell) : QString();
}

void HeadMapView::moveTo(MapCell cell, bool isScrolling)
{
    if (!m_example || cell.query < 0 || cell.key < 0)
        return;
    const std::int64_t last = m_example->positions - 1;
    const MapCell target{std::clamp<std::int64_t>(cell.query, 0, last), std::clamp<std::int64_t>(cell.key, 0, last)};
    const bool hasMoved = target != m_cell;
    const MapCell before = pointerCell();
    m_cell = target;
    if (hasMoved)
        m_hover = {}; // the keyboard or the program speaks now
    if (isScrolling) {
        const auto bring = [](QScrollBar *bar, const AxisPlacement &placement, std::int64_t position) {
            // Two cells of air, so that the neighbours are seen.
            const double low = (placement.axis.pixelOf(position) - 2.0 * placement.axis.pixelsPerCell());
            const double high = (placement.axis.pixelOf(position + 1) + 2.0 * placement.axis.pixelsPerCell());
            if (low < placement.offset)
                bar->setValue(static_cast<int>(std::floor(low / placement.pixelRatio)));
            else if (high > placement.offset + placement.length)
                bar->setValue(static_cast<int>(std::ceil((high - placement.length) / placement.pixelRatio)));
        };
        bring(horizontalScrollBar(), keys(), m_cell.key);
        bring(verticalScrollBar(), queries(), m_cell.query);
    }
    if (!hasMoved)
        return;
    viewport()->update();
    Q_EMIT cellChanged(m_cell);
    pointerMoved(before);
}

void HeadMapView::setHover(MapCell cell)
{
    if (cell == m_hover)
        return;
    const MapCell before = pointerCell();
    m_hover = cell;
    pointerMoved(before);
}

void HeadMapView::pointerMoved(MapCell before)
{
    viewport()->update();
    const MapCell now = pointerCell();
    if (now == before)
        return;
    Q_EMIT pointerChanged(now);
    announceValue(this, sentence());
}

QString HeadMapView::spokenHelp() const
{
    return tr(
        "Arrow keys move the query and the key, square brackets change the head, J and K go from answer to answer, "
        "F finds the next wrong answer, Enter pins the cell.");
}

QSize HeadMapView::sizeHint() const
{
    return {720, 480};
}

QSize HeadMapView::minimumSizeHint() const
{
    return {gutter() + 120, static_cast<int>(topLabelHeight(labelStyle())) + 96};
}

void HeadMapView::forgetTiles()
{
    m_tiles.clear();
}

void HeadMapView::forgetTiles(CellRange rows)
{
    if (rows.isEmpty() || !(m_tileScale > 0.0))
        return;
    const CellAxis axis(cellCount(Axis::Queries), m_tileScale);
    // The pixel before may stand for the first of the rows, too.
    const int first = std::max(axis.pixelOf(rows.first) - 1, 0) / kTile;
    const int last = axis.pixelOf(rows.end) / kTile;
    for (const quint64 name : m_tiles.keys()) {
        const int row = static_cast<int>(name >> 32U);
        if (row >= first && row <= last)
            m_tiles.remove(name);
    }
}

} // namespace lookback::ui
