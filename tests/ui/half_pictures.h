// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <memory>

#include "ui/heatmap/value_pyramid.h"

namespace lookback::tests {

/// Rows of a map, as a service sends them.
inline analysis::HeadRows rowsOf(const analysis::HeadMap &map, std::int64_t firstQuery, std::int64_t count)
{
    analysis::HeadRows rows;
    rows.layer = map.layer;
    rows.head = map.head;
    rows.kind = map.kind;
    rows.positions = map.keys;
    rows.window = map.window;
    rows.firstQuery = firstQuery;
    rows.rows = count;
    rows.firstKey = map.window > 0 ? std::max<std::int64_t>(0, firstQuery - map.window + 1) : 0;
    rows.keys = firstQuery + count - rows.firstKey;
    for (std::int64_t query = firstQuery; query < firstQuery + count; ++query) {
        const auto row = map.weights.begin() + query * map.keys;
        rows.weights.insert(rows.weights.end(), row + rows.firstKey, row + rows.firstKey + rows.keys);
    }
    return rows;
}

inline ui::MapShape shapeOf(const analysis::HeadMap &map)
{
    return {.layer = map.layer,
            .head = map.head,
            .kind = map.kind,
            .queries = map.queries,
            .keys = map.keys,
            .window = map.window};
}

/// The picture of a large map: pieces in half precision, all of them.
inline ui::PyramidPointer halfPicture(const analysis::HeadMap &map)
{
    ui::PyramidPointer picture = std::make_shared<const ui::ValuePyramid>(shapeOf(map));
    for (std::int64_t first = 0; first < map.queries; first += analysis::kPieceRows)
        picture =
            picture->with(ui::makeHalfStrip(rowsOf(map, first, std::min(analysis::kPieceRows, map.queries - first))));
    return picture;
}

} // namespace lookback::tests
