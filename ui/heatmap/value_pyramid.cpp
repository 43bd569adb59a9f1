// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/value_pyramid.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace lookback::ui {

namespace {

constexpr std::int64_t kStripRows = analysis::kPieceRows;

std::int64_t stripCount(std::int64_t rows)
{
    return (rows + kStripRows - 1) / kStripRows;
}

CellRange rowsOfStrip(std::int64_t strip, std::int64_t rows)
{
    return {strip * kStripRows, std::min((strip + 1) * kStripRows, rows)};
}

} // namespace

ValuePyramid::ValuePyramid(std::shared_ptr<const analysis::HeadMap> map, Rows rows)
    : m_shape{.layer = map->layer,
              .head = map->head,
              .kind = map->kind,
              .queries = map->queries,
              .keys = map->keys,
              .window = map->window},
      m_map(std::move(map)), m_rows(rows)
{
    // Told apart before any of it is read: the sizes of a map without memory for it are not to be believed.
    if (std::ssize(m_map->weights) / std::max<std::int64_t>(m_shape.keys, 1) < m_shape.queries)
        throw std::length_error("a map without its weights");
    m_strips.reserve(static_cast<std::size_t>(stripCount(m_shape.queries)));
    for (std::int64_t strip = 0; strip < stripCount(m_shape.queries); ++strip) {
        StripPointer exact = makeExactStrip(*m_map, rowsOfStrip(strip, m_shape.queries));
        m_strips.push_back(rows == Rows::ToTheirMaximum ? exact->normalised() : std::move(exact));
    }
    m_knownStrips = std::ssize(m_strips);
}

ValuePyramid::ValuePyramid(const MapShape &shape)
    : m_shape(shape), m_strips(static_cast<std::size_t>(stripCount(shape.queries)))
{
}

std::shared_ptr<const ValuePyramid> ValuePyramid::with(const StripPointer &strip) const
{
    auto grown = std::make_shared<ValuePyramid>(*this);
    StripPointer &place = grown->m_strips.at(stripOf(strip->firstRow()));
    if (!place)
        ++grown->m_knownStrips;
    place = strip;
    return grown;
}

std::shared_ptr<const ValuePyramid> ValuePyramid::normalised() const
{
    if (m_map)
        return std::make_shared<const ValuePyramid>(m_map, Rows::ToTheirMaximum);
    auto divided = std::make_shared<ValuePyramid>(*this);
    divided->m_rows = Rows::ToTheirMaximum;
    for (StripPointer &strip : divided->m_strips) {
        if (strip)
            strip = strip->normalised();
    }
    return divided;
}

std::shared_ptr<const ValuePyramid> ValuePyramid::difference(const ValuePyramid &left, const ValuePyramid &right)
{
    MapShape shape = right.m_shape;
    shape.kind = analysis::MapKind::Difference;
    shape.window =
        left.m_shape.window == 0 || right.m_shape.window == 0 ? 0 : std::max(left.m_shape.window, right.m_shape.window);
    auto made = std::make_shared<ValuePyramid>(shape);
    for (std::size_t strip = 0; strip < made->m_strips.size(); ++strip)
        made->m_strips[strip] = left.m_strips.at(strip)->differenceTo(*right.m_strips.at(strip));
    made->m_knownStrips = std::ssize(made->m_strips);
    return made;
}

bool ValuePyramid::isKnown(std::int64_t query0, std::int64_t query1) const
{
    if (isComplete())
        return true;
    const std::int64_t end = std::min(query1, m_shape.queries);
    for (std::int64_t query = std::max<std::int64_t>(query0, 0) / kStripRows * kStripRows; query < end;
         query += kStripRows) {
        if (!m_strips[stripOf(query)])
            return false;
    }
    return true;
}

std::int64_t ValuePyramid::knownRows() const
{
    std::int64_t sum = 0;
    for (const StripPointer &strip : m_strips)
        sum += strip ? strip->rows().end - strip->rows().first : 0;
    return sum;
}

CellRange ValuePyramid::rowsNewSince(const ValuePyramid &former) const
{
    if (former.m_shape != m_shape || former.m_rows != m_rows)
        return {0, m_shape.queries};
    CellRange changed{m_shape.queries, 0};
    for (std::size_t strip = 0; strip < m_strips.size(); ++strip) {
        if (m_strips[strip] == former.m_strips[strip])
            continue;
        const CellRange rows = rowsOfStrip(static_cast<std::int64_t>(strip), m_shape.queries);
        changed = {std::min(changed.first, rows.first), std::max(changed.end, rows.end)};
    }
    return changed;
}

float ValuePyramid::at(std::int64_t query, std::int64_t key) const
{
    const StripPointer &strip = m_strips[stripOf(query)];
    return strip ? strip->at(query, key) : 0.0F;
}

std::vector<float> ValuePyramid::row(std::int64_t query) const
{
    std::vector<float> values(static_cast<std::size_t>(m_shape.keys), 0.0F);
    if (const StripPointer &strip = m_strips[stripOf(query)]) {
        for (std::int64_t key = strip->columns().first; key < strip->columns().end; ++key)
            values[static_cast<std::size_t>(key)] = strip->at(query, key);
    }
    return values;
}

float ValuePyramid::extreme(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const
{
    float best = 0.0F;
    const std::int64_t end = std::min(query1, m_shape.queries);
    for (std::int64_t query = std::max<std::int64_t>(query0, 0); query < end;
         query = (query / kStripRows + 1) * kStripRows) {
        if (const StripPointer &strip = m_strips[stripOf(query)])
            best = strongerOf(best, strip->extreme({query0, query1}, {key0, key1}));
    }
    return best;
}

void ValuePyramid::extremes(CellRange queries, std::span<const CellRange> keys, std::vector<float> *out) const
{
    out->assign(keys.size(), 0.0F);
    std::vector<float> part;
    bool isFirst = true;
    const std::int64_t end = std::min(queries.end, m_shape.queries);
    for (std::int64_t query = std::max<std::int64_t>(queries.first, 0); query < end;
         query = (query / kStripRows + 1) * kStripRows) {
        const StripPointer &strip = m_strips[stripOf(query)];
        if (!strip)
            continue;
        if (std::exchange(isFirst, false)) {
            strip->extremes(queries, keys, out->data());
            continue;
        }
        part.resize(keys.size());
        strip->extremes(queries, keys, part.data());
        std::ranges::transform(*out, part, out->begin(), strongerOf);
    }
}

float ValuePyramid::maximum() const
{
    return std::abs(extreme(0, m_shape.queries, 0, m_shape.keys));
}

bool ValuePyramid::isAnyVisible(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const
{
    // Distances query - key of the rectangle are all whole numbers between these two; visible are 0 .. window - 1.
    const std::int64_t nearest = query0 - (key1 - 1);
    const std::int64_t farthest = (query1 - 1) - key0;
    if (farthest < 0)
        return false;
    return m_shape.window == 0 || nearest < m_shape.window;
}

std::int64_t ValuePyramid::bytes() const
{
    std::int64_t sum = 0;
    for (const StripPointer &strip : m_strips)
        sum += strip ? strip->bytes() : 0;
    return sum;
}

std::int64_t ValuePyramid::halfBytes(std::int64_t positions, std::int64_t window)
{
    std::int64_t sum = 0;
    for (std::int64_t strip = 0; strip < stripCount(positions); ++strip) {
        const CellRange rows = rowsOfStrip(strip, positions);
        sum += halfStripBytes(rows, keptColumns(rows, positions, window));
    }
    return sum;
}

} // namespace lookback::ui
