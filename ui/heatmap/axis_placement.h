// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

#include "ui/heatmap/cell_axis.h"

namespace lookback::ui {

/// A cell of a head map: a query and a key position, from 0; -1 = none.
struct MapCell {
    std::int64_t query = -1;
    std::int64_t key = -1;
    bool isValid() const { return query >= 0 && key >= 0; }
    bool operator==(const MapCell &) const = default;
};

/// Where the cells of one axis lie on a painter: a scrolled CellAxis at a place. Device pixels meet whole pixels, so
/// what is drawn by these numbers lines up to the pixel with the cells.
struct AxisPlacement {
    CellAxis axis;
    int offset = 0; ///< Device pixels scrolled away.
    double origin = 0.0; ///< Painter coordinate of device pixel `offset`.
    double pixelRatio = 1.0; ///< Device pixels a painter unit.
    int length = 0; ///< Device pixels that are seen.

    /// Painter coordinate of the border before `cell` (after the last one for cell = cells).
    double edge(std::int64_t cell) const { return origin + (axis.pixelOf(cell) - offset) / pixelRatio; }
    double centre(std::int64_t cell) const { return 0.5 * (edge(cell) + edge(cell + 1)); }
    double end() const { return origin + length / pixelRatio; }
    /// Size of a cell in painter units.
    double cellSize() const { return axis.pixelsPerCell() / pixelRatio; }
    std::int64_t firstVisible() const { return axis.cellAt(offset); }
    /// One past the last visible cell.
    std::int64_t endVisible() const { return length > 0 ? axis.cellEnd(offset + length - 1) : firstVisible(); }
    /// The cell under a painter coordinate; -1 outside what is seen.
    std::int64_t cellUnder(double coordinate) const
    {
        const double pixel = std::floor((coordinate - origin) * pixelRatio + 1e-6);
        return pixel < 0 || pixel >= length ? -1 : axis.cellAt(offset + static_cast<int>(pixel));
    }
    bool operator==(const AxisPlacement &) const = default;
};

} // namespace lookback::ui
