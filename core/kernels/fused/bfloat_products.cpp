// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/bfloat_products.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
// Highway 1.0, the oldest one that is supported, has no bfloat16 products of its own.
#define LOOKBACK_HAS_BFLOAT 1
#define LOOKBACK_BFLOAT __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#if !defined(__clang__)
// Of the "undefined" operands inside GCC's own intrinsics.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace lookback::kernels::fused {

float roundedToBfloat16(float value)
{
    if (std::isnan(value))
        return value;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
}

namespace {

std::uint32_t pairOf(float first, float second)
{
    return (std::bit_cast<std::uint32_t>(roundedToBfloat16(first)) >> 16U)
        | std::bit_cast<std::uint32_t>(roundedToBfloat16(second));
}

void portablePairAlongRows(std::int64_t rows, std::int64_t depth, const float *a, std::int64_t strideA,
                           std::uint32_t *pairs, std::int64_t stridePairs)
{
    for (std::int64_t i = 0; i < rows; ++i) {
        const float *row = a + i * strideA;
        for (std::int64_t k = 0; k < pairsOf(depth); ++k)
            pairs[i * stridePairs + k] = pairOf(row[2 * k], 2 * k + 1 < depth ? row[2 * k + 1] : 0.0F);
    }
}

void portablePairAcrossRows(std::int64_t depth, std::int64_t columns, const float *b, std::int64_t strideB,
                            std::uint32_t *pairs, std::int64_t stridePairs)
{
    for (std::int64_t k = 0; k < pairsOf(depth); ++k) {
        const float *first = b + 2 * k * strideB;
        for (std::int64_t n = 0; n < columns; ++n)
            pairs[k * stridePairs + n] = pairOf(first[n], 2 * k + 1 < depth ? first[strideB + n] : 0.0F);
    }
}

void portableMultiplyPairs(bool isTransposed, std::int64_t rows, const std::uint32_t *a, std::int64_t strideA,
                           const std::uint32_t *b, std::int64_t strideB, float *c, std::int64_t strideC,
                           std::int64_t pairs, std::int64_t columns, bool accumulates)
{
    const auto first = [](std::uint32_t pair) { return std::bit_cast<float>(pair << 16U); };
    const auto second = [](std::uint32_t pair) { return std::bit_cast<float>(pair & 0xffff0000U); };
    for (std::int64_t i = 0; i < rows; ++i) {
        float *row = c + i * strideC;
        if (!accumulates)
            std::fill_n(row, columns, 0.0F);
        for (std::int64_t k = 0; k < pairs; ++k) {
            const std::uint32_t left = isTransposed ? a[k * strideA + i] : a[i * strideA + k];
            for (std::int64_t n = 0; n < columns; ++n) {
                const std::uint32_t right = b[k * strideB + n];
                row[n] += first(left) * first(right) + second(left) * second(right);
            }
        }
    }
}

#if defined(LOOKBACK_HAS_BFLOAT)

LOOKBACK_BFLOAT __mmask16 maskOf(std::int64_t count)
{
    return static_cast<__mmask16>(count >= 16 ? 0xffffU
                                              : (1U << static_cast<unsigned>(std::max<std::int64_t>(count, 0))) - 1U);
}

LOOKBACK_BFLOAT void vectorPairAlongRows(std::int64_t rows, std::int64_t depth, const float *a, std::int64_t strideA,
                                         std::uint32_t *pairs, std::int64_t stridePairs)
{
    for (std::int64_t i = 0; i < rows; ++i) {
        const float *row = a + i * strideA;
        for (std::int64_t k = 0; k < depth; k += 32) {
            const __m512 low = _mm512_maskz_loadu_ps(maskOf(depth - k), row + k);
            const __m512 high = _mm512_maskz_loadu_ps(maskOf(depth - k - 16), row + k + 16);
            const auto both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
            _mm512_mask_storeu_epi32(pairs + i * stridePairs + k / 2, maskOf(pairsOf(depth - k)), both);
        }
    }
}

LOOKBACK_BFLOAT void vectorPairAcrossRows(std::int64_t depth, std::int64_t columns, const float *b,
                                          std::int64_t strideB, std::uint32_t *pairs, std::int64_t stridePairs)
{
    for (std::int64_t k = 0; k < pairsOf(depth); ++k) {
        const float *first = b + 2 * k * strideB;
        const bool isWhole = 2 * k + 1 < depth;
        for (std::int64_t n = 0; n < columns; n += 16) {
            const __mmask16 mask = maskOf(columns - n);
            const __m512 low = _mm512_maskz_loadu_ps(mask, first + n);
            const __m512 high = isWhole ? _mm512_maskz_loadu_ps(mask, first + strideB + n) : _mm512_setzero_ps();
            const __m512i lows = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(low)));
            const __m512i highs = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(high)));
            _mm512_mask_storeu_epi32(pairs + k * stridePairs + n, mask,
                                     _mm512_or_si512(lows, _mm512_slli_epi32(highs, 16)));
        }
    }
}

template <int kRows, int kVectors>
LOOKBACK_BFLOAT __attribute__((noinline)) void
vectorBlock(const std::uint32_t *a, std::int64_t next, std::int64_t step, const std::uint32_t *b, std::int64_t strideB,
            float *c, std::int64_t strideC, std::int64_t pairs, std::int64_t columns, bool accumulates)
{
    __m512 sum[kRows][kVectors];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j)
            sum[i][j] = _mm512_setzero_ps();
    }
    for (std::int64_t k = 0; k < pairs; ++k) {
        __m512bh right[kVectors];
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j)
            right[j] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + j * 16));
#pragma GCC unroll 16
        for (int i = 0; i < kRows; ++i) {
            const auto left = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[i * next])));
#pragma GCC unroll 4
            for (int j = 0; j < kVectors; ++j)
                sum[i][j] = _mm512_dpbf16_ps(sum[i][j], left, right[j]);
        }
        b += strideB;
        a += step;
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) {
            float *to = c + i * strideC + j * 16;
            const __mmask16 mask = maskOf(columns - j * 16);
            const __m512 before = accumulates ? _mm512_maskz_loadu_ps(mask, to) : _mm512_setzero_ps();
            _mm512_mask_storeu_ps(to, mask, _mm512_add_ps(before, sum[i][j]));
        }
    }
}

using Block = void (*)(const std::uint32_t *, std::int64_t, std::int64_t, const std::uint32_t *, std::int64_t, float *,
                       std::int64_t, std::int64_t, std::int64_t, bool);

template <int kVectors, int... kRows>
constexpr std::array<Block, sizeof...(kRows) + 1> blocksOf(std::integer_sequence<int, kRows...>)
{
    return {nullptr, &vectorBlock<kRows + 1, kVectors>...};
}

// Sums held in registers at once: 24 of 32, as in matrix_panels.cpp.
template <int kVectors, int kMostRows>
void vectorStrip(bool isTransposed, std::int64_t rows, const std::uint32_t *a, std::int64_t strideA,
                 const std::uint32_t *b, std::int64_t strideB, float *c, std::int64_t strideC, std::int64_t pairs,
                 std::int64_t columns, bool accumulates)
{
    static constexpr auto kBlocks = blocksOf<kVectors>(std::make_integer_sequence<int, kMostRows>{});
    const std::int64_t count = (rows + kMostRows - 1) / kMostRows;
    const std::int64_t next = isTransposed ? 1 : strideA;
    const std::int64_t step = isTransposed ? strideA : 1;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = i * rows / count;
        const std::int64_t size = (i + 1) * rows / count - first;
        kBlocks[static_cast<std::size_t>(size)](a + first * next, next, step, b, strideB, c + first * strideC, strideC,
                                                pairs, columns, accumulates);
    }
}

void vectorMultiplyPairs(bool isTransposed, std::int64_t rows, const std::uint32_t *a, std::int64_t strideA,
                         const std::uint32_t *b, std::int64_t strideB, float *c, std::int64_t strideC,
                         std::int64_t pairs, std::int64_t columns, bool accumulates)
{
    const auto run = [&](auto strip) {
        strip(isTransposed, rows, a, strideA, b, strideB, c, strideC, pairs, columns, accumulates);
    };
    if (columns > 48)
        run(vectorStrip<4, 6>);
    else if (columns > 32)
        run(vectorStrip<3, 8>);
    else if (columns > 16)
        run(vectorStrip<2, 12>);
    else
        run(vectorStrip<1, 14>);
}

#endif

} // namespace

bool multipliesBfloat16()
{
#if defined(LOOKBACK_HAS_BFLOAT)
    static const bool isThere = __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("avx512bw") != 0
        && __builtin_cpu_supports("avx512vl") != 0;
    return isThere;
#else
    return false;
#endif
}

const PairKernels &portablePairKernels()
{
    static constexpr PairKernels kernels{portablePairAlongRows, portablePairAcrossRows, portableMultiplyPairs};
    return kernels;
}

const PairKernels &pairKernels()
{
#if defined(LOOKBACK_HAS_BFLOAT)
    static constexpr PairKernels kernels{vectorPairAlongRows, vectorPairAcrossRows, vectorMultiplyPairs};
    if (multipliesBfloat16())
        return kernels;
#endif
    return portablePairKernels();
}

} // namespace lookback::kernels::fused
