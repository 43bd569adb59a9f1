// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Products of bfloat16 numbers with sums in float32. Two numbers that follow each other along the depth of a product
// lie in one 32-bit pair, the first in the lower half; a depth that is odd ends with a zero.

namespace lookback::kernels::fused {

/// Whether the processor multiplies bfloat16 itself (AVX512-BF16). Otherwise numbers are rounded to bfloat16 and
/// multiplied as float32: as right, and slower than float32 alone.
bool multipliesBfloat16();

/// The nearest bfloat16, ties to even, as the upper half of a float32.
float roundedToBfloat16(float value);

inline std::int64_t pairsOf(std::int64_t depth)
{
    return (depth + 1) / 2;
}

/// How pairs are made and multiplied.
struct PairKernels {
    /// pairs[i * stridePairs + k] = a[i * strideA + 2 k], a[i * strideA + 2 k + 1].
    void (*pairAlongRows)(std::int64_t rows, std::int64_t depth, const float *a, std::int64_t strideA,
                          std::uint32_t *pairs, std::int64_t stridePairs);
    /// pairs[k * stridePairs + n] = b[2 k * strideB + n], b[(2 k + 1) * strideB + n].
    void (*pairAcrossRows)(std::int64_t depth, std::int64_t columns, const float *b, std::int64_t strideB,
                           std::uint32_t *pairs, std::int64_t stridePairs);
    /// c[i * strideC + n] (+)= sum over k of both products of a's pair and b[k * strideB + n], i < `rows`, n <
    /// `columns` of at most 64, k < `pairs`; a's pair is a[i * strideA + k], or a[k * strideA + i] if `isTransposed`.
    /// Rows of b must be readable up to paddedColumns(columns).
    void (*multiply)(bool isTransposed, std::int64_t rows, const std::uint32_t *a, std::int64_t strideA,
                     const std::uint32_t *b, std::int64_t strideB, float *c, std::int64_t strideC, std::int64_t pairs,
                     std::int64_t columns, bool accumulates);
};
/// The processor's own if multipliesBfloat16(), else the portable ones.
const PairKernels &pairKernels();
const PairKernels &portablePairKernels();

} // namespace lookback::kernels::fused
