// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace lookback::ui {

/// How the cells of one axis of a heat map lie on device pixels. A value; used by the view, the row of bars, the small
/// pictures and the figure, so that they agree to the pixel.
///
/// From one pixel a cell on, every cell owns the pixels [pixelOf(i), pixelOf(i + 1)), at least one. Below, every pixel
/// stands for all cells that it touches, so that no cell is ever left out, whatever the ratio.
class CellAxis {
public:
    CellAxis() = default;
    /// `pixelsPerCell` > 0.
    CellAxis(std::int64_t cells, double pixelsPerCell);

    /// The axis that spreads `cells` over exactly `pixels` pixels.
    static CellAxis fitted(std::int64_t cells, int pixels);

    std::int64_t cells() const { return m_cells; }
    double pixelsPerCell() const { return m_pixelsPerCell; }
    bool isReduced() const { return m_pixelsPerCell < 1.0; }
    /// Length of the axis in device pixels.
    int pixels() const { return m_pixels; }

    /// First pixel of a cell (of the pixel that shows it, when reduced); pixels() for cell = cells().
    int pixelOf(std::int64_t cell) const;
    /// The first cell shown at a pixel, clamped to the axis.
    std::int64_t cellAt(int pixel) const;
    /// One past the last cell shown at a pixel: the pixel stands for cells cellAt(pixel) .. cellEnd(pixel) - 1.
    std::int64_t cellEnd(int pixel) const;
    /// Cells of a reduced pixel, rounded up; 1 when not reduced.
    std::int64_t cellsPerPixel() const;

    bool operator==(const CellAxis &) const = default;

private:
    std::int64_t m_cells = 0;
    double m_pixelsPerCell = 1.0;
    int m_pixels = 0;
};

} // namespace lookback::ui
