// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/value_strip.h"

namespace lookback::ui {

/// Which head a picture is of, its size and its mask.
struct MapShape {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    analysis::MapKind kind = analysis::MapKind::AttentionWeights;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t window = 0; ///< 0 = sees all earlier tokens.

    bool isVisible(std::int64_t query, std::int64_t key) const
    {
        return key <= query && (window == 0 || key > query - window);
    }
    bool operator==(const MapShape &) const = default;

    /// A map of that shape without weights, for questions that need none.
    analysis::HeadMap withoutWeights() const
    {
        return {.layer = layer,
                .head = head,
                .kind = kind,
                .queries = queries,
                .keys = keys,
                .weights = {},
                .window = window};
    }
};

/// The values of one head map with their block maxima at every power of two, so that a small picture of a large map
/// keeps every bright cell. Immutable after construction; may be read from any thread. Constructing from a map walks
/// over the whole of it once: do it in a worker.
///
/// Two kinds. One over a map in memory is exact and whole. One that is put together from strips (large maps) is in half
/// precision, knows the rows that have come, and shares them with the one it was made from.
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
    /// No row is known yet.
    explicit ValuePyramid(const MapShape &shape);

    /// With the rows of a strip; one of the same rows is replaced.
    std::shared_ptr<const ValuePyramid> with(const StripPointer &strip) const;
    /// Rows::ToTheirMaximum of the rows that are known; walks over all of them.
    std::shared_ptr<const ValuePyramid> normalised() const;

    /// Right less left of two whole pictures in half precision that have a difference, analysis::differenceOf of what
    /// is kept; off by less than a thousandth of 1.
    static std::shared_ptr<const ValuePyramid> difference(const ValuePyramid &left, const ValuePyramid &right);

    const MapShape &shape() const { return m_shape; }
    /// The exact numbers of all cells are at hand: map() may be called.
    bool isExact() const { return m_map != nullptr; }
    const analysis::HeadMap &map() const { return *m_map; }
    std::shared_ptr<const analysis::HeadMap> mapPointer() const { return m_map; }
    Rows rows() const { return m_rows; }
    bool isSigned() const { return m_shape.kind != analysis::MapKind::AttentionWeights; }

    /// Whether all rows of the range (cut to the map) have come.
    bool isKnown(std::int64_t query0, std::int64_t query1) const;
    bool isComplete() const { return m_knownStrips == static_cast<std::int64_t>(m_strips.size()); }
    std::int64_t knownRows() const;
    /// Rows that are not the same as those of an earlier state of the same picture.
    CellRange rowsNewSince(const ValuePyramid &former) const;

    /// One value as it is drawn: the weight, or its share of the row's maximum; 0 where not known.
    float at(std::int64_t query, std::int64_t key) const;
    /// One row as it is drawn, all keys.
    std::vector<float> row(std::int64_t query) const;
    /// Value of largest magnitude over queries [query0, query1) and keys [key0, key1); exact for any rectangle of known
    /// rows.
    float extreme(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const;
    /// The same for ascending ranges of keys: a row of a picture.
    void extremes(CellRange queries, std::span<const CellRange> keys, std::vector<float> *out) const;
    /// Largest magnitude of the known rows.
    float maximum() const;
    /// False if the mask forbids every pair of the rectangle.
    bool isAnyVisible(std::int64_t query0, std::int64_t query1, std::int64_t key0, std::int64_t key1) const;

    /// Memory of the values, without map().
    std::int64_t bytes() const;
    /// bytes() of a whole picture in half precision.
    static std::int64_t halfBytes(std::int64_t positions, std::int64_t window);

private:
    std::size_t stripOf(std::int64_t query) const { return static_cast<std::size_t>(query / analysis::kPieceRows); }

    MapShape m_shape;
    std::shared_ptr<const analysis::HeadMap> m_map;
    Rows m_rows = Rows::AsTheyAre;
    std::vector<StripPointer> m_strips; ///< In row order; null: not known.
    std::int64_t m_knownStrips = 0;
};

using PyramidPointer = std::shared_ptr<const ValuePyramid>;

} // namespace lookback::ui
