// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/compute.h"

namespace lookback::kernels::fused {

/// Float buffer on a 64-byte border, not initialised.
class AlignedFloats {
public:
    AlignedFloats() = default;
    explicit AlignedFloats(std::size_t count);
    /// Grows to at least `count`; contents are lost then.
    void require(std::size_t count);
    float *data() { return m_data.get(); }
    const float *data() const { return m_data.get(); }
    std::size_t size() const { return m_size; }

private:
    struct Free {
        void operator()(float *data) const;
    };
    std::unique_ptr<float, Free> m_data;
    std::size_t m_size = 0;
};

/// Columns that are computed together for a matrix of that many columns: 16, 32 or 64.
std::int64_t panelWidth(std::int64_t columns);
/// `columns` rounded up to whole panels: floats that a row needs, so that every panel of it can be read.
std::int64_t paddedColumns(std::int64_t columns);
/// paddedColumns, and an odd number of 64-byte lines, so that rows do not meet in the same cache set.
std::int64_t rowStride(std::int64_t columns);

/// A right-hand factor [depth, columns] in panels of panelWidth(columns) columns: panel by panel, row by row, missing
/// columns 0. In bfloat16 two rows lie in one, as pairs (bfloat_products.h).
class Panels {
public:
    explicit Panels(Precision precision = Precision::Float32) : m_precision(precision) { }
    Precision precision() const { return m_precision; }
    std::int64_t depth() const { return m_depth; }
    std::int64_t columns() const { return m_columns; }
    const float *data() const { return m_floats.data(); }
    /// Of bfloat16 panels.
    const std::uint32_t *pairs() const { return reinterpret_cast<const std::uint32_t *>(m_floats.data()); }

    /// From source[k * stride + n].
    void pack(const float *source, std::int64_t stride, std::int64_t depth, std::int64_t columns);
    /// From source[n * stride + k]: the transpose of what lies there.
    void packTransposed(const float *source, std::int64_t stride, std::int64_t depth, std::int64_t columns);

private:
    void resize(std::int64_t depth, std::int64_t columns);
    void makePairs();

    Precision m_precision;
    AlignedFloats m_floats;
    std::int64_t m_depth = 0;
    std::int64_t m_columns = 0;
};

/// c[i * strideC + n] (+)= sum over k of a[i * strideA + k] * b[k][n], for `rows` rows; in the precision of b. The
/// order of each sum depends on the depth only. One thread.
void multiply(std::int64_t rows, const float *a, std::int64_t strideA, const Panels &b, float *c, std::int64_t strideC,
              bool accumulates);

/// As multiply, of float32 panels, for the columns of b from `firstColumn` (a multiple of the panel width) on,
/// `columns` of them.
void multiplyColumns(std::int64_t rows, const float *a, std::int64_t strideA, const Panels &b, std::int64_t firstColumn,
                     std::int64_t columns, float *c, std::int64_t strideC, bool accumulates);

/// c[i * strideC + n] (+)= sum over k of a[k * strideA + i] * b[k * strideB + n], i < `rows`, n < `columns`, k <
/// `depth`. Rows of b must be readable up to paddedColumns(columns).
void multiplyTransposed(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float *a,
                        std::int64_t strideA, const float *b, std::int64_t strideB, float *c, std::int64_t strideC,
                        bool accumulates, Precision precision = Precision::Float32);

/// c[i * strideC + n] (+)= sum over k of a[i * strideA + k] * b[k * strideB + n]; b as in multiplyTransposed.
void multiplyRows(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float *a, std::int64_t strideA,
                  const float *b, std::int64_t strideB, float *c, std::int64_t strideC, bool accumulates);

/// "AVX3", "AVX2", ...: the instructions chosen for this processor.
const char *instructionSet();

} // namespace lookback::kernels::fused
