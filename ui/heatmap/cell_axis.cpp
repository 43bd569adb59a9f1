// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/cell_axis.h"

#include <algorithm>
#include <cmath>

namespace lookback::ui {

namespace {

// A border within this part of a cell of a whole number is that whole number: products such as 3 * (1 / 0.3) miss it by
// about 1e-13 at 1e4 cells. Both neighbours round the same border, so no cell falls between them.
constexpr double kTiny = 1e-9;

} // namespace

CellAxis::CellAxis(std::int64_t cells, double pixelsPerCell)
    : m_cells(std::max<std::int64_t>(cells, 0)), m_pixelsPerCell(std::max(pixelsPerCell, 1e-6))
{
    const double length = static_cast<double>(m_cells) * m_pixelsPerCell;
    m_pixels = static_cast<int>(isReduced() ? std::ceil(length - kTiny) : std::floor(length + kTiny));
}

CellAxis CellAxis::fitted(std::int64_t cells, int pixels)
{
    CellAxis axis(cells,
                  static_cast<double>(std::max(pixels, 1)) / static_cast<double>(std::max<std::int64_t>(cells, 1)));
    axis.m_pixels = std::max(pixels, 1);
    return axis;
}

int CellAxis::pixelOf(std::int64_t cell) const
{
    if (cell >= m_cells)
        return m_pixels;
    return static_cast<int>(std::floor(static_cast<double>(std::max<std::int64_t>(cell, 0)) * m_pixelsPerCell + kTiny));
}

std::int64_t CellAxis::cellAt(int pixel) const
{
    auto cell = static_cast<std::int64_t>(std::floor(pixel / m_pixelsPerCell + kTiny));
    if (!isReduced()) {
        // The pixel may lie before the rounded-down border of the next cell, or behind it.
        if (pixelOf(cell + 1) <= pixel)
            ++cell;
        if (cell > 0 && pixelOf(cell) > pixel)
            --cell;
    }
    return std::clamp<std::int64_t>(cell, 0, std::max<std::int64_t>(m_cells - 1, 0));
}

std::int64_t CellAxis::cellEnd(int pixel) const
{
    const std::int64_t first = cellAt(pixel);
    if (!isReduced())
        return std::min(first + 1, m_cells);
    const auto end = static_cast<std::int64_t>(std::ceil((pixel + 1) / m_pixelsPerCell - kTiny));
    return std::clamp(end, std::min(first + 1, m_cells), m_cells);
}

std::int64_t CellAxis::cellsPerPixel() const
{
    return isReduced() ? static_cast<std::int64_t>(std::ceil(1.0 / m_pixelsPerCell - kTiny)) : 1;
}

} // namespace lookback::ui
