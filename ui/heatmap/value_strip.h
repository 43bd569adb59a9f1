// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/attention_view.h"

namespace lookback::ui {

/// Cells [first, end) of an axis.
struct CellRange {
    std::int64_t first = 0;
    std::int64_t end = 0;
    bool isEmpty() const { return first >= end; }
    bool operator==(const CellRange &) const = default;
};

/// The one of larger magnitude; a NaN beats all.
float strongerOf(float a, float b);

/// kPieceRows rows of a map (fewer at its end) with their block maxima at every power of two up to kPieceRows. Only the
/// columns that the mask leaves to these rows are kept; all others are 0. Immutable; may be read from any thread.
class ValueStrip {
public:
    virtual ~ValueStrip() = default;

    std::int64_t firstRow() const { return m_rows.first; }
    CellRange rows() const { return m_rows; }
    CellRange columns() const { return m_columns; }

    /// One value as it is kept; the row must be one of these.
    virtual float at(std::int64_t row, std::int64_t column) const = 0;
    /// The strongest of a rectangle, cut to what is kept; 0 if nothing is.
    virtual float extreme(CellRange rows, CellRange columns) const = 0;
    /// The same for many ranges of columns, all of the same rows; ranges ascend and may overlap.
    virtual void extremes(CellRange rows, std::span<const CellRange> columns, float *out) const = 0;
    /// Each row divided by its largest magnitude; NaN is no magnitude, rows of zeros stay.
    virtual std::shared_ptr<const ValueStrip> normalised() const = 0;
    /// Right less left of the same rows, in this one's precision; `left` is this.
    virtual std::shared_ptr<const ValueStrip> differenceTo(const ValueStrip &right) const = 0;
    /// Memory of the values.
    virtual std::int64_t bytes() const = 0;

protected:
    ValueStrip(CellRange rows, CellRange columns) : m_rows(rows), m_columns(columns) { }

    CellRange m_rows;
    CellRange m_columns; ///< first is a multiple of kPieceRows.
};

using StripPointer = std::shared_ptr<const ValueStrip>;

/// The columns that a strip of these rows keeps.
CellRange keptColumns(CellRange rows, std::int64_t keys, std::int64_t window);
/// Bytes of a strip in half precision.
std::int64_t halfStripBytes(CellRange rows, CellRange columns);

/// Rows of a map in memory, exact.
StripPointer makeExactStrip(const analysis::HeadMap &map, CellRange rows);
/// The same in half precision, for maps that come in pieces: `rows` is one, aligned.
StripPointer makeHalfStrip(const analysis::HeadRows &rows);

} // namespace lookback::ui
