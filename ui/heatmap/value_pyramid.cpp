// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/value_pyramid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lookback::ui {

namespace {

float stronger(float a, float b)
{
    return (std::abs(b) > std::abs(a) || std::isnan(b)) ? b : a; // a NaN in `a` stays: no comparison with it holds
}

} // namespace

ValuePyramid::ValuePyramid(std::shared_ptr<const analysis::HeadMap> map, Rows rows)
    : m_map(std::move(map)), m_rows(rows)
{
    const std::int64_t queries = m_map->queries;
    const std::int64_t keys = m_map->keys;
    if (rows == Rows::ToTheirMaximum) {
        m_normalised = m_map->weights;
        for (std::int64_t q = 0; q < queries; ++q) {
            float *row = m_normalised.data() + q * keys;
            float largest = 0.0F;
            for (std::int64_t k = 0; k < keys; ++k)
                largest = std::max(largest, std::abs(row[k])); // NaN is not larger: the others keep their scale
            if (largest > 0.0F)
                std::transform(row, row + keys, row, [largest](float value) { return value / largest; });
        }
    }
    std::int64_t height = queries;
    std::int64_t width = keys;
    while (height > 1 || width > 1) {
        std::int64_t belowRows = 0;
        std::int64_t belowColumns = 0;
        const float *below = levelData(m_levels.size(), &belowRows, &belowColumns);
        Level level{.rows = (height + 1) / 2, .columns = (width + 1) / 2, .values = {}};
        level.values.resize(static_cast<std::size_t>(level.rows * level.columns));
        for (std::int64_t r = 0; r < level.rows; ++r) {
            const float *upper = below + 2 * r * belowColumns;
            const float *lower = 2 * r + 1 < belowRows ? upper + belowColumns : upper;
            float *out = level.values.data() + r * level.columns;
            for (std::int64_t c = 0; c < belowColumns / 2; ++c)
                out[c] = stronger(stronger(upper[2 * c], upper[2 * c + 1]), stronger(lower[2 * c], lower[2 * c + 1]));
            if (belowColumns % 2 == 1)
                out[level.columns - 1] = stronger(upper[belowColumns - 1], lower[belowColumns - 1]);
        }
        height = level.rows;
        width = level.columns;
        m_levels.push_back(std::move(level));
    }
}

const float *ValuePyramid::levelData(std::size_t level, std::int64_t *rows, std::int64_t *columns) const
{
    if (level == 0) {
        *rows = m_map->queries;
        *columns = m_map->keys;
        return m_rows == Rows::ToTheirMaximum ? m_normalised.data() : m_map->weights.data();
    }
    *rows = m_levels[level - 1].rows;
    *columns = m_levels[level - 1].columns;
    return m_levels[level - 1].values.data();
}

float ValuePyramid::at(std::int64_t query, std::int64_t key) const
{
    const auto index = static_cast<std::size_t>(query * m_map->keys + key);
    return m_rows == Rows::ToTheirMaximum ? m_normalised[index] : m_map->weights[index];
}

float ValuePyramid::extreme(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const
{
    std::int64_t r0 = std::max<std::int64_t>(query0, 0);
    std::int64_t r1 = std::min(query1, m_map->queries);
    std::int64_t c0 = std::max<std::int64_t>(key0, 0);
    std::int64_t c1 = std::min(key1, m_map->keys);
    float best = 0.0F;
    // Strips at odd borders are read where they are, the even rest one level up: about the perimeter of the rectangle
    // at each level instead of its area.
    for (std::size_t level = 0; r0 < r1 && c0 < c1; ++level) {
        std::int64_t rows = 0;
        std::int64_t columns = 0;
        const float *values = levelData(level, &rows, &columns);
        const auto readRows = [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t r = from; r < to; ++r) {
                for (std::int64_t c = c0; c < c1; ++c)
                    best = stronger(best, values[r * columns + c]);
            }
        };
        if (level == m_levels.size() || (r1 - r0) * (c1 - c0) <= 4) {
            readRows(r0, r1);
            break;
        }
        if (r0 % 2 == 1) {
            readRows(r0, r0 + 1);
            ++r0;
        }
        if (r1 % 2 == 1 && r1 > r0 && r1 < rows) { // the last row of an odd map has a block of its own above
            --r1;
            readRows(r1, r1 + 1);
        }
        const auto readColumn = [&](std::int64_t c) {
            for (std::int64_t r = r0; r < r1; ++r)
                best = stronger(best, values[r * columns + c]);
        };
        if (c0 % 2 == 1) {
            readColumn(c0);
            ++c0;
        }
        if (c1 % 2 == 1 && c1 > c0 && c1 < columns) {
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

float ValuePyramid::maximum() const
{
    return std::abs(extreme(0, m_map->queries, 0, m_map->keys));
}

bool ValuePyramid::isAnyVisible(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const
{
    // Distances query - key of the rectangle are all whole numbers between these two; visible are 0 .. window - 1.
    const std::int64_t nearest = query0 - (key1 - 1);
    const std::int64_t farthest = (query1 - 1) - key0;
    if (farthest < 0)
        return false;
    return m_map->window == 0 || nearest < m_map->window;
}

} // namespace lookback::ui
