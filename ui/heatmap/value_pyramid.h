// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/analysis/attention_view.h"

namespace lookback::ui {

/// The values of one head map with their block maxima at every power of two, so that a small picture of a large map
/// keeps every bright cell. Immutable after construction; may be read from any thread. Constructing walks over the
/// whole map once: do it in a worker.
///
/// "Maximum" means largest magnitude with its sign, which for attention weights is the maximum. A NaN wins over all, so
/// that it is never hidden.
class ValuePyramid {
public:
    enum class Rows {
        AsTheyAre,
        ToTheirMaximum, ///< Each row divided by its largest magnitude; rows of zeros stay.
    };

    explicit ValuePyramid(std::shared_ptr<const analysis::HeadMap> map, Rows rows = Rows::AsTheyAre);

    const analysis::HeadMap &map() const { return *m_map; }
    std::shared_ptr<const analysis::HeadMap> mapPointer() const { return m_map; }
    Rows rows() const { return m_rows; }
    bool isSigned() const { return m_map->kind != analysis::MapKind::AttentionWeights; }

    /// One value as it is drawn: the weight, or its share of the row's maximum.
    float at(std::int64_t query, std::int64_t key) const;
    /// Value of largest magnitude over queries [query0, query1) and keys [key0, key1); exact for any rectangle.
    float extreme(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const;
    /// Largest magnitude of the whole map.
    float maximum() const;
    /// False if the mask forbids every pair of the rectangle.
    bool isAnyVisible(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const;

private:
    struct Level {
        std::int64_t rows = 0;
        std::int64_t columns = 0;
        std::vector<float> values;
    };

    const float *levelData(std::size_t level, std::int64_t *rows, std::int64_t *columns) const;

    std::shared_ptr<const analysis::HeadMap> m_map;
    Rows m_rows;
    std::vector<float> m_normalised; // level 0 if rows are normalised; else the map's own weights serve
    std::vector<Level> m_levels; // 1, 2, ... : blocks of 2, 4, ... cells
};

using PyramidPointer = std::shared_ptr<const ValuePyramid>;

} // namespace lookback::ui
