// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/cell_painter.h"

#include <vector>

namespace lookback::ui {

namespace {

constexpr int kHatchPeriod = 6; // device pixels

struct Range {
    std::int64_t first = 0;
    std::int64_t end = 0;
    bool operator==(const Range &) const = default;
};

/// Cells behind each pixel from `from` on; empty ranges outside the axis.
std::vector<Range> rangesOf(const CellAxis &axis, int from, int count)
{
    std::vector<Range> ranges(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const int pixel = from + i;
        if (pixel >= 0 && pixel < axis.pixels())
            ranges[static_cast<std::size_t>(i)] = {axis.cellAt(pixel), axis.cellEnd(pixel)};
    }
    return ranges;
}

} // namespace

MaskStyle maskStyleFor(ColourMap map, const QColor &mask)
{
    const bool isGrey = map == ColourMap::Grey;
    const QColor hatch = luminance(mask.rgb()) > 0.4 ? mask.darker(160) : mask.lighter(200);
    return {.colour = mask.rgb() | 0xFF000000U, .isHatched = isGrey, .hatch = hatch.rgb() | 0xFF000000U};
}

QImage paintCells(const ValuePyramid &values, const CellAxis &queries, const CellAxis &keys, const QRect &area,
                  const ColourTable &colours, const MaskStyle &mask)
{
    QImage image(area.size(), QImage::Format_RGB32);
    const std::vector<Range> columns = rangesOf(keys, area.left(), area.width());
    const std::vector<Range> rows = rangesOf(queries, area.top(), area.height());
    const bool isReduced = queries.isReduced() || keys.isReduced();
    for (int y = 0; y < area.height(); ++y) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
        const Range row = rows[static_cast<std::size_t>(y)];
        Range lastColumn;
        QRgb lastColour = 0;
        bool isLastMasked = false;
        for (int x = 0; x < area.width(); ++x) {
            const Range column = columns[static_cast<std::size_t>(x)];
            if (x == 0 || column != lastColumn) { // enlarged cells repeat their colour
                lastColumn = column;
                isLastMasked = row.first >= row.end || column.first >= column.end
                    || !values.isAnyVisible(row.first, row.end, column.first, column.end);
                if (isLastMasked)
                    lastColour = mask.colour;
                else if (isReduced)
                    lastColour = colours.colourOf(values.extreme(row.first, row.end, column.first, column.end));
                else
                    lastColour = colours.colourOf(values.at(row.first, column.first));
            }
            const bool isHatch =
                isLastMasked && mask.isHatched && (area.left() + x + area.top() + y) % kHatchPeriod == 0;
            line[x] = isHatch ? mask.hatch : lastColour;
        }
    }
    return image;
}

} // namespace lookback::ui
