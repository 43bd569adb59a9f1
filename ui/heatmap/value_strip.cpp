// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/value_strip.h"

#include <algorithm>
#include <cmath>

#include "ui/heatmap/value_bits.h"

namespace lookback::ui {

namespace {

/// Up to this reduction all cells of a row of pixels are read: neighbouring words, many at once. Beyond, pixels are few
/// and blocks of cells are cheaper.
constexpr std::int64_t kMostReadRows = 24;

template <typename Words> class StripOf final : public ValueStrip {
public:
    using Word = typename Words::Word;

    /// `valueAt(row, column)` for what is kept.
    template <typename Rows> StripOf(CellRange rows, CellRange columns, const Rows &rowAt) : ValueStrip(rows, columns)
    {
        Level &base = m_levels.emplace_back(Level{rows.end - rows.first, columns.end - columns.first, {}});
        base.values.resize(static_cast<std::size_t>(base.rows * base.columns));
        for (std::int64_t r = 0; r < base.rows; ++r)
            rowAt(rows.first + r, base.values.data() + r * base.columns);
        build();
    }

    float at(std::int64_t row, std::int64_t column) const override
    {
        if (column < m_columns.first || column >= m_columns.end)
            return 0.0F;
        const Level &base = m_levels.front();
        return Words::decode(
            base.values[static_cast<std::size_t>((row - m_rows.first) * base.columns + column - m_columns.first)]);
    }

    float extreme(CellRange rows, CellRange columns) const override { return Words::decode(strongest(rows, columns)); }

    void extremes(CellRange rows, std::span<const CellRange> columns, float *out) const override
    {
        const CellRange inside = cut(rows, m_rows);
        const std::int64_t count = inside.end - inside.first;
        if (count <= 0 || columns.empty()) {
            std::fill_n(out, columns.size(), 0.0F);
            return;
        }
        if (count > kMostReadRows) {
            for (std::size_t i = 0; i < columns.size(); ++i)
                out[i] = Words::decode(strongest(rows, columns[i]));
            return;
        }
        // First down the columns, then along them.
        const CellRange all = cut({columns.front().first, columns.back().end}, m_columns);
        const std::int64_t width = std::max<std::int64_t>(all.end - all.first, 0);
        thread_local std::vector<Word> best;
        best.assign(static_cast<std::size_t>(width), 0);
        const Level &base = m_levels.front();
        for (std::int64_t r = inside.first - m_rows.first; r < inside.end - m_rows.first; ++r) {
            const Word *row = base.values.data() + r * base.columns + (all.first - m_columns.first);
            Word *into = best.data();
            for (std::int64_t c = 0; c < width; ++c)
                into[c] = std::max(into[c], row[c]);
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const CellRange part = cut(columns[i], all);
            Word strongest = 0;
            for (std::int64_t c = part.first; c < part.end; ++c)
                strongest = std::max(strongest, best[static_cast<std::size_t>(c - all.first)]);
            out[i] = Words::decode(strongest);
        }
    }

    std::shared_ptr<const ValueStrip> normalised() const override
    {
        const auto divided = [this](std::int64_t row, Word *out) {
            const Level &base = m_levels.front();
            const Word *in = base.values.data() + (row - m_rows.first) * base.columns;
            float largest = 0.0F;
            for (std::int64_t c = 0; c < base.columns; ++c)
                largest = std::max(largest, std::abs(Words::decode(in[c]))); // NaN is not larger
            for (std::int64_t c = 0; c < base.columns; ++c)
                out[c] = largest > 0.0F ? Words::encode(Words::decode(in[c]) / largest) : in[c];
        };
        return std::make_shared<StripOf>(m_rows, m_columns, divided);
    }

    std::shared_ptr<const ValueStrip> differenceTo(const ValueStrip &right) const override
    {
        const CellRange columns{std::min(m_columns.first, right.columns().first),
                                std::max(m_columns.end, right.columns().end)};
        return std::make_shared<StripOf>(m_rows, columns, [&](std::int64_t row, Word *out) {
            for (std::int64_t c = columns.first; c < columns.end; ++c)
                *out++ = Words::encode(right.at(row, c) - at(row, c));
        });
    }

    std::int64_t bytes() const override
    {
        std::int64_t sum = 0;
        for (const Level &level : m_levels)
            sum += level.rows * level.columns * static_cast<std::int64_t>(sizeof(Word));
        return sum;
    }

private:
    struct Level {
        std::int64_t rows = 0;
        std::int64_t columns = 0;
        std::vector<Word> values;
    };

    static CellRange cut(CellRange range, CellRange to)
    {
        return {std::max(range.first, to.first), std::min(range.end, to.end)};
    }

    void build()
    {
        while (m_levels.back().rows > 1) {
            const Level &below = m_levels.back();
            Level level{(below.rows + 1) / 2, (below.columns + 1) / 2, {}};
            level.values.resize(static_cast<std::size_t>(level.rows * level.columns));
            for (std::int64_t r = 0; r < level.rows; ++r) {
                const Word *upper = below.values.data() + 2 * r * below.columns;
                const Word *lower = 2 * r + 1 < below.rows ? upper + below.columns : upper;
                Word *out = level.values.data() + r * level.columns;
                for (std::int64_t c = 0; c < below.columns / 2; ++c)
                    out[c] =
                        std::max(std::max(upper[2 * c], upper[2 * c + 1]), std::max(lower[2 * c], lower[2 * c + 1]));
                if (below.columns % 2 == 1)
                    out[level.columns - 1] = std::max(upper[below.columns - 1], lower[below.columns - 1]);
            }
            m_levels.push_back(std::move(level));
        }
    }

    Word strongest(CellRange wantedRows, CellRange wantedColumns) const
    {
        const CellRange rows = cut(wantedRows, m_rows);
        const CellRange columns = cut(wantedColumns, m_columns);
        std::int64_t r0 = rows.first - m_rows.first;
        std::int64_t r1 = rows.end - m_rows.first;
        std::int64_t c0 = columns.first - m_columns.first;
        std::int64_t c1 = columns.end - m_columns.first;
        Word best = 0;
        // Strips at odd borders are read where they are, the even rest one level up: about the perimeter of the
        // rectangle at each level instead of its area.
        for (std::size_t index = 0; r0 < r1 && c0 < c1; ++index) {
            const Level &level = m_levels[index];
            const Word *values = level.values.data();
            const auto readRows = [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t r = from; r < to; ++r) {
                    for (std::int64_t c = c0; c < c1; ++c)
                        best = std::max(best, values[r * level.columns + c]);
                }
            };
            if (index + 1 == m_levels.size() || (r1 - r0) * (c1 - c0) <= 4) {
                readRows(r0, r1);
                break;
            }
            if (r0 % 2 == 1) {
                readRows(r0, r0 + 1);
                ++r0;
            }
            if (r1 % 2 == 1 && r1 > r0
                && r1 < level.rows) { // the last row of an odd strip has a block of its own above
                --r1;
                readRows(r1, r1 + 1);
            }
            const auto readColumn = [&](std::int64_t c) {
                for (std::int64_t r = r0; r < r1; ++r)
                    best = std::max(best, values[r * level.columns + c]);
            };
            if (c0 % 2 == 1) {
                readColumn(c0);
                ++c0;
            }
            if (c1 % 2 == 1 && c1 > c0 && c1 < level.columns) {
                --c1;
                readColumn(c1);
            }
            r0 /= 2;
            c0 /= 2;
            r1 = (r1 + 1) / 2;
            c1 = (c1 + 1) / 2;
        }
        return best;
    }

    std::vector<Level> m_levels; // 0: the values; 1, 2, ...: blocks of 2, 4, ... cells
};

} // namespace

float strongerOf(float a, float b)
{
    return FloatWords::encode(b) > FloatWords::encode(a) ? b : a;
}

CellRange keptColumns(CellRange rows, std::int64_t keys, std::int64_t window)
{
    const std::int64_t first = window > 0 ? std::max<std::int64_t>(0, rows.first - window + 1) : 0;
    const std::int64_t end = std::min(rows.end, keys);
    return {std::min(first / analysis::kPieceRows * analysis::kPieceRows, end), end};
}

std::int64_t halfStripBytes(CellRange rows, CellRange columns)
{
    std::int64_t height = rows.end - rows.first;
    std::int64_t width = columns.end - columns.first;
    std::int64_t sum = height * width;
    while (height > 1) { // the block maxima: a quarter, a sixteenth, ...
        height = (height + 1) / 2;
        width = (width + 1) / 2;
        sum += height * width;
    }
    return sum * static_cast<std::int64_t>(sizeof(HalfWords::Word));
}

StripPointer makeExactStrip(const analysis::HeadMap &map, CellRange rows)
{
    const CellRange columns = keptColumns(rows, map.keys, map.window);
    return std::make_shared<const StripOf<FloatWords>>(rows, columns, [&](std::int64_t row, std::uint32_t *out) {
        const float *weights = map.weights.data() + row * map.keys;
        std::transform(weights + columns.first, weights + columns.end, out, FloatWords::encode);
    });
}

StripPointer makeHalfStrip(const analysis::HeadRows &rows)
{
    const CellRange own{rows.firstQuery, rows.firstQuery + rows.rows};
    const CellRange columns = keptColumns(own, rows.positions, rows.window);
    return std::make_shared<const StripOf<HalfWords>>(own, columns, [&](std::int64_t row, std::uint16_t *out) {
        const float *weights = rows.weights.data() + (row - rows.firstQuery) * rows.keys;
        // The piece may begin later than the strip, whose columns are aligned; both end with the last row's diagonal.
        const std::int64_t before = rows.firstKey - columns.first;
        std::fill_n(out, before, std::uint16_t{0});
        const std::int64_t count = std::min(rows.keys, columns.end - rows.firstKey);
        std::transform(weights, weights + count, out + before, HalfWords::encode);
    });
}

} // namespace lookback::ui
