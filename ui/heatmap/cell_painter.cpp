// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/cell_painter.h"

#include <span>
#include <vector>

namespace lookback::ui {

namespace {

constexpr int kHatchPeriod = 6; // device pixels

/// Cells behind each pixel from `from` on; empty ranges outside the axis.
std::vector<CellRange> rangesOf(const CellAxis &axis, int from, int count)
{
    std::vector<CellRange> ranges(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const int pixel = from + i;
        if (pixel >= 0 && pixel < axis.pixels())
            ranges[static_cast<std::size_t>(i)] = {axis.cellAt(pixel), axis.cellEnd(pixel)};
    }
    return ranges;
}

} // namespace

MaskStyle maskStyleFor(ColourMap map, const Theme &theme)
{
    const bool isGrey = map == ColourMap::Grey;
    const QColor hatch = luminance(theme.mask.rgb()) > 0.4 ? theme.mask.darker(160) : theme.mask.lighter(200);
    return {.colour = theme.mask.rgb() | 0xFF000000U,
            .isHatched = isGrey,
            .hatch = hatch.rgb() | 0xFF000000U,
            .pending = theme.base.rgb() | 0xFF000000U,
            .pendingHatch = theme.mask.rgb() | 0xFF000000U};
}

namespace {

/// What the pixels of one row of a picture show, before it is turned into colours.
class RowPainter {
public:
    RowPainter(const ValuePyramid &values, const std::vector<CellRange> &columns, const ColourTable &colours,
               const MaskStyle &mask)
        : m_values(values), m_columns(columns), m_colours(colours), m_mask(mask)
    {
    }

    /// Cells of more than one row or column behind a pixel.
    void drawReduced(CellRange row, int left, int y, QRgb *line)
    {
        // Pixels outside the axis are at the ends.
        std::size_t first = 0;
        std::size_t end = m_columns.size();
        while (first < end && m_columns[first].isEmpty())
            ++first;
        while (end > first && m_columns[end - 1].isEmpty())
            --end;
        m_values.extremes(row, std::span(m_columns).subspan(first, end - first), &m_strongest);
        const bool isKnown = m_values.isKnown(row.first, row.end);
        for (std::size_t x = 0; x < m_columns.size(); ++x) {
            const CellRange column = m_columns[x];
            const int place = left + static_cast<int>(x);
            if (row.isEmpty() || column.isEmpty()
                || !m_values.isAnyVisible(row.first, row.end, column.first, column.end))
                line[x] = maskColour(place, y);
            else if (!isKnown)
                line[x] = pendingColour(place, y);
            else
                line[x] = m_colours.colourOf(m_strongest[x - first]);
        }
    }

    /// At least one pixel a cell: neighbours repeat their colour.
    void drawCells(CellRange row, int left, int y, QRgb *line)
    {
        CellRange last;
        enum class Look { Masked, Pending, Value } look = Look::Masked;
        QRgb colour = 0;
        const bool isKnown = row.isEmpty() || m_values.isKnown(row.first, row.end);
        for (std::size_t x = 0; x < m_columns.size(); ++x) {
            const CellRange column = m_columns[x];
            if (x == 0 || column != last) {
                last = column;
                if (row.isEmpty() || column.isEmpty() || !m_values.shape().isVisible(row.first, column.first))
                    look = Look::Masked;
                else if (!isKnown)
                    look = Look::Pending;
                else
                    look = Look::Value;
                if (look == Look::Value)
                    colour = m_colours.colourOf(m_values.at(row.first, column.first));
            }
            const int place = left + static_cast<int>(x);
            line[x] = look == Look::Value ? colour
                : look == Look::Pending   ? pendingColour(place, y)
                                          : maskColour(place, y);
        }
    }

private:
    QRgb maskColour(int x, int y) const
    {
        return m_mask.isHatched && (x + y) % kHatchPeriod == 0 ? m_mask.hatch : m_mask.colour;
    }
    QRgb pendingColour(int x, int y) const { return isPendingHatch(x, y) ? m_mask.pendingHatch : m_mask.pending; }

    const ValuePyramid &m_values;
    const std::vector<CellRange> &m_columns;
    const ColourTable &m_colours;
    const MaskStyle &m_mask;
    std::vector<float> m_strongest;
};

} // namespace

QImage paintCells(const ValuePyramid &values, const CellAxis &queries, const CellAxis &keys, const QRect &area,
                  const ColourTable &colours, const MaskStyle &mask)
{
    QImage image(area.size(), QImage::Format_RGB32);
    const std::vector<CellRange> columns = rangesOf(keys, area.left(), area.width());
    const std::vector<CellRange> rows = rangesOf(queries, area.top(), area.height());
    const bool isReduced = queries.isReduced() || keys.isReduced();
    RowPainter painter(values, columns, colours, mask);
    for (int y = 0; y < area.height(); ++y) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
        const CellRange row = rows[static_cast<std::size_t>(y)];
        if (isReduced)
            painter.drawReduced(row, area.left(), area.top() + y, line);
        else
            painter.drawCells(row, area.left(), area.top() + y, line);
    }
    return image;
}

} // namespace lookback::ui
