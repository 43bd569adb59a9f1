// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/matrix_panels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <utility>

#include "core/kernels/fused/bfloat_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fused/matrix_panels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "core/kernels/fused/vector_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lookback::kernels::fused::HWY_NAMESPACE {

// Sums held in registers at once: 24 of 32 with AVX-512, 12 of 16 below.
#if HWY_TARGET <= HWY_AVX3
constexpr int kMostVectors = 4;
constexpr int rowsFor(int vectors)
{
    return vectors == 4 ? 6 : vectors == 3 ? 8 : vectors == 2 ? 12 : 14;
}
#else
constexpr int kMostVectors = 2;
constexpr int rowsFor(int vectors)
{
    return vectors == 2 ? 6 : 12;
}
#endif

/// kRows x (kVectors * kLanes) results; the sums stay in registers.
template <int kRows, int kVectors, bool kTransposed>
HWY_NOINLINE void block(const float *HWY_RESTRICT a, std::int64_t strideA, const float *HWY_RESTRICT b,
                        std::int64_t strideB, float *HWY_RESTRICT c, std::int64_t strideC, std::int64_t depth,
                        std::int64_t columns, bool accumulates)
{
    V sum[kRows][kVectors];
    HWY_UNROLL(16)
    for (int i = 0; i < kRows; ++i) {
        HWY_UNROLL(4)
        for (int j = 0; j < kVectors; ++j)
            sum[i][j] = hn::Zero(kFloats);
    }
    // Three rows share a base, so that few registers hold addresses.
    const float *base[(kRows + 2) / 3];
    for (int i = 0; i < kRows; i += 3)
        base[i / 3] = a + (kTransposed ? i : i * strideA);
    const std::int64_t step = kTransposed ? strideA : 1;
    const std::int64_t next = kTransposed ? 1 : strideA;
    for (std::int64_t k = 0; k < depth; ++k) {
        V right[kVectors];
        HWY_UNROLL(4)
        for (int j = 0; j < kVectors; ++j)
            right[j] = hn::LoadU(kFloats, b + j * kLanes);
        HWY_UNROLL(16)
        for (int i = 0; i < kRows; ++i) {
            const V left = hn::Set(kFloats, base[i / 3][(i % 3) * next]);
            HWY_UNROLL(4)
            for (int j = 0; j < kVectors; ++j)
                sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
        }
        b += strideB;
        HWY_UNROLL(16)
        for (int i = 0; i < (kRows + 2) / 3; ++i)
            base[i] += step;
    }
    HWY_UNROLL(16)
    for (int i = 0; i < kRows; ++i) {
        HWY_UNROLL(4)
        for (int j = 0; j < kVectors; ++j) {
            float *to = c + i * strideC + j * kLanes;
            const std::int64_t count = columns - j * kLanes;
            if (count > 0)
                store(accumulates ? hn::Add(load(to, count), sum[i][j]) : sum[i][j], to, count);
        }
    }
}

using Block = void (*)(const float *, std::int64_t, const float *, std::int64_t, float *, std::int64_t, std::int64_t,
                       std::int64_t, bool);

template <int kVectors, bool kTransposed, int... kRows>
constexpr std::array<Block, sizeof...(kRows) + 1> blocksOf(std::integer_sequence<int, kRows...>)
{
    return {nullptr, &block<kRows + 1, kVectors, kTransposed>...};
}

/// All rows, in nearly equal blocks, of kVectors vectors of columns.
template <int kVectors, bool kTransposed>
void strip(std::int64_t rows, const float *a, std::int64_t strideA, const float *b, std::int64_t strideB, float *c,
           std::int64_t strideC, std::int64_t depth, std::int64_t columns, bool accumulates)
{
    constexpr int kMost = rowsFor(kVectors);
    static constexpr auto kBlocks = blocksOf<kVectors, kTransposed>(std::make_integer_sequence<int, kMost>{});
    const std::int64_t count = (rows + kMost - 1) / kMost;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = i * rows / count;
        const std::int64_t size = (i + 1) * rows / count - first;
        kBlocks[static_cast<std::size_t>(size)](a + (kTransposed ? first : first * strideA), strideA, b, strideB,
                                                c + first * strideC, strideC, depth, columns, accumulates);
    }
}

template <bool kTransposed>
void panelOf(std::int64_t rows, const float *a, std::int64_t strideA, const float *b, std::int64_t strideB, float *c,
             std::int64_t strideC, std::int64_t depth, std::int64_t columns, bool accumulates)
{
    for (std::int64_t n = 0; n < columns;) {
        const auto vectors = std::min<std::int64_t>((columns - n + kLanes - 1) / kLanes, kMostVectors);
        const auto run = [&](auto stripOf) {
            stripOf(rows, a, strideA, b + n, strideB, c + n, strideC, depth, columns - n, accumulates);
        };
        if constexpr (kMostVectors >= 4) {
            if (vectors == 4)
                run(strip<4, kTransposed>);
            else if (vectors == 3)
                run(strip<3, kTransposed>);
        }
        if (vectors == 2)
            run(strip<2, kTransposed>);
        else if (vectors == 1)
            run(strip<1, kTransposed>);
        n += vectors * kLanes;
    }
}

void multiplyPanel(bool isTransposed, std::int64_t rows, const float *a, std::int64_t strideA, const float *b,
                   std::int64_t strideB, float *c, std::int64_t strideC, std::int64_t depth, std::int64_t columns,
                   bool accumulates)
{
    if (isTransposed)
        panelOf<true>(rows, a, strideA, b, strideB, c, strideC, depth, columns, accumulates);
    else
        panelOf<false>(rows, a, strideA, b, strideB, c, strideC, depth, columns, accumulates);
}

const char *targetName()
{
    return hwy::TargetName(HWY_TARGET);
}

} // namespace lookback::kernels::fused::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lookback::kernels::fused {

HWY_EXPORT(multiplyPanel);
HWY_EXPORT(targetName);

namespace {

// Rows of b that are read again and again for all rows of a stay in the first-level cache.
constexpr std::int64_t kDepthOfPiece = 128;

void multiplyPieces(bool isTransposed, std::int64_t rows, const float *a, std::int64_t strideA, const float *b,
                    std::int64_t strideB, float *c, std::int64_t strideC, std::int64_t depth, std::int64_t columns,
                    bool accumulates)
{
    const auto multiplyOne = HWY_DYNAMIC_DISPATCH(multiplyPanel);
    if (!isTransposed) {
        multiplyOne(false, rows, a, strideA, b, strideB, c, strideC, depth, columns, accumulates);
        return;
    }
    for (std::int64_t k = 0; k < depth; k += kDepthOfPiece)
        multiplyOne(true, rows, a + k * strideA, strideA, b + k * strideB, strideB, c, strideC,
                    std::min(kDepthOfPiece, depth - k), columns, accumulates || k > 0);
}

} // namespace

void AlignedFloats::Free::operator()(float *data) const
{
    std::free(data);
}

AlignedFloats::AlignedFloats(std::size_t count)
{
    require(count);
}

void AlignedFloats::require(std::size_t count)
{
    if (count <= m_size)
        return;
    m_data.reset();
    m_size = 0;
    constexpr std::size_t kLine = 64;
    const std::size_t bytes = (count * sizeof(float) + kLine - 1) / kLine * kLine;
    void *data = nullptr;
    if (posix_memalign(&data, kLine, bytes) != 0)
        throw std::bad_alloc();
    m_data.reset(static_cast<float *>(data));
    m_size = count;
}

std::int64_t panelWidth(std::int64_t columns)
{
    return columns <= 16 ? 16 : columns <= 32 ? 32 : 64;
}

std::int64_t paddedColumns(std::int64_t columns)
{
    const std::int64_t width = panelWidth(columns);
    return (columns + width - 1) / width * width;
}

std::int64_t rowStride(std::int64_t columns)
{
    const std::int64_t lines = paddedColumns(columns) / 16;
    return (lines | 1) * 16;
}

void Panels::resize(std::int64_t depth, std::int64_t columns)
{
    m_depth = depth;
    m_columns = columns;
    m_floats.require(static_cast<std::size_t>(depth * paddedColumns(columns)));
}

void Panels::makePairs()
{
    // In place, from the first row on: a row of pairs is written behind the two that it was made of.
    const std::int64_t width = panelWidth(m_columns);
    const std::int64_t panels = paddedColumns(m_columns) / width;
    auto *to = reinterpret_cast<std::uint32_t *>(m_floats.data());
    for (std::int64_t panel = 0; panel < panels; ++panel) {
        const float *from = m_floats.data() + panel * m_depth * width;
        for (std::int64_t k = 0; k < m_depth; k += 2, to += width)
            pairKernels().pairAcrossRows(std::min<std::int64_t>(2, m_depth - k), width, from + k * width, width, to,
                                         width);
    }
}

void Panels::pack(const float *source, std::int64_t stride, std::int64_t depth, std::int64_t columns)
{
    resize(depth, columns);
    const std::int64_t width = panelWidth(columns);
    float *to = m_floats.data();
    for (std::int64_t first = 0; first < columns; first += width) {
        const std::int64_t count = std::min(width, columns - first);
        for (std::int64_t k = 0; k < depth; ++k, to += width) {
            std::copy_n(source + k * stride + first, count, to);
            std::fill(to + count, to + width, 0.0F);
        }
    }
    if (m_precision == Precision::Bfloat16)
        makePairs();
}

void Panels::packTransposed(const float *source, std::int64_t stride, std::int64_t depth, std::int64_t columns)
{
    resize(depth, columns);
    const std::int64_t width = panelWidth(columns);
    float *to = m_floats.data();
    for (std::int64_t first = 0; first < columns; first += width, to += depth * width) {
        const std::int64_t count = std::min(width, columns - first);
        // Squares of 16 x 16, so that reading and writing stay within the cache.
        for (std::int64_t k = 0; k < depth; k += 16) {
            const std::int64_t depths = std::min<std::int64_t>(16, depth - k);
            for (std::int64_t n = 0; n < width; ++n) {
                const float *from = source + (first + n) * stride + k;
                for (std::int64_t i = 0; i < depths; ++i)
                    to[(k + i) * width + n] = n < count ? from[i] : 0.0F;
            }
        }
    }
    if (m_precision == Precision::Bfloat16)
        makePairs();
}

void multiplyColumns(std::int64_t rows, const float *a, std::int64_t strideA, const Panels &b, std::int64_t firstColumn,
                     std::int64_t columns, float *c, std::int64_t strideC, bool accumulates)
{
    const std::int64_t width = panelWidth(b.columns());
    for (std::int64_t n = 0; n < columns; n += width)
        multiplyPieces(false, rows, a, strideA, b.data() + (firstColumn + n) * b.depth(), width, c + n, strideC,
                       b.depth(), std::min(width, columns - n), accumulates);
}

namespace {

/// Pairs of one piece of a left and a right factor; of one thread, kept between calls.
struct PairScratch {
    AlignedFloats left;
    AlignedFloats right;
};
thread_local PairScratch pairScratch;

std::uint32_t *pairBuffer(AlignedFloats &floats, std::int64_t count)
{
    floats.require(static_cast<std::size_t>(count));
    return reinterpret_cast<std::uint32_t *>(floats.data());
}

void multiplyBfloat(std::int64_t rows, const float *a, std::int64_t strideA, const Panels &b, float *c,
                    std::int64_t strideC, bool accumulates)
{
    constexpr std::int64_t kRows = 96;
    const std::int64_t width = panelWidth(b.columns());
    const std::int64_t pairs = pairsOf(b.depth());
    const std::int64_t stride = rowStride(pairs);
    std::uint32_t *left = pairBuffer(pairScratch.left, std::min(rows, kRows) * stride);
    for (std::int64_t i = 0; i < rows; i += kRows) {
        const std::int64_t count = std::min(kRows, rows - i);
        pairKernels().pairAlongRows(count, b.depth(), a + i * strideA, strideA, left, stride);
        for (std::int64_t n = 0; n < b.columns(); n += width)
            pairKernels().multiply(false, count, left, stride, b.pairs() + n * pairs, width, c + i * strideC + n,
                                   strideC, pairs, std::min(width, b.columns() - n), accumulates);
    }
}

void multiplyTransposedBfloat(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float *a,
                              std::int64_t strideA, const float *b, std::int64_t strideB, float *c,
                              std::int64_t strideC, bool accumulates)
{
    const std::int64_t width = panelWidth(columns);
    const std::int64_t strideLeft = rowStride(rows);
    const std::int64_t strideRight = rowStride(columns);
    const std::int64_t most = pairsOf(std::min(depth, kDepthOfPiece));
    std::uint32_t *left = pairBuffer(pairScratch.left, most * strideLeft);
    std::uint32_t *right = pairBuffer(pairScratch.right, most * strideRight);
    for (std::int64_t k = 0; k < depth; k += kDepthOfPiece) {
        const std::int64_t count = std::min(kDepthOfPiece, depth - k);
        pairKernels().pairAcrossRows(count, rows, a + k * strideA, strideA, left, strideLeft);
        pairKernels().pairAcrossRows(count, columns, b + k * strideB, strideB, right, strideRight);
        for (std::int64_t n = 0; n < columns; n += width)
            pairKernels().multiply(true, rows, left, strideLeft, right + n, strideRight, c + n, strideC, pairsOf(count),
                                   std::min(width, columns - n), accumulates || k > 0);
    }
}

} // namespace

void multiply(std::int64_t rows, const float *a, std::int64_t strideA, const Panels &b, float *c, std::int64_t strideC,
              bool accumulates)
{
    if (b.precision() == Precision::Bfloat16)
        return multiplyBfloat(rows, a, strideA, b, c, strideC, accumulates);
    multiplyColumns(rows, a, strideA, b, 0, b.columns(), c, strideC, accumulates);
}

void multiplyTransposed(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float *a,
                        std::int64_t strideA, const float *b, std::int64_t strideB, float *c, std::int64_t strideC,
                        bool accumulates, Precision precision)
{
    if (precision == Precision::Bfloat16)
        return multiplyTransposedBfloat(rows, columns, depth, a, strideA, b, strideB, c, strideC, accumulates);
    const std::int64_t width = panelWidth(columns);
    for (std::int64_t n = 0; n < columns; n += width)
        multiplyPieces(true, rows, a, strideA, b + n, strideB, c + n, strideC, depth, std::min(width, columns - n),
                       accumulates);
}

void multiplyRows(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float *a, std::int64_t strideA,
                  const float *b, std::int64_t strideB, float *c, std::int64_t strideC, bool accumulates)
{
    const std::int64_t width = panelWidth(columns);
    for (std::int64_t n = 0; n < columns; n += width)
        multiplyPieces(false, rows, a, strideA, b + n, strideB, c + n, strideC, depth, std::min(width, columns - n),
                       accumulates);
}

const char *instructionSet()
{
    return HWY_DYNAMIC_DISPATCH(targetName)();
}

} // namespace lookback::kernels::fused
#endif
