// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/kda_chunk.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fused/kda_chunk.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/kernels/fused/vector_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lookback::kernels::fused::HWY_NAMESPACE {

constexpr int J = static_cast<int>(kChunkTokens);

/// b of each token; those that are not there stand still.
HWY_INLINE void sumDecays(std::int64_t rows, const float *logDecay, std::int64_t stride, std::int64_t count, V *sums)
{
    V sum = hn::Zero(kFloats);
    for (int r = 0; r < J; ++r) {
        if (r < rows)
            sum = hn::Add(sum, load(logDecay + r * stride, count));
        sums[r] = sum;
    }
}

void decayRows(std::int64_t rows, std::int64_t headWidth, const ChunkInput &in, const DecayedRows &to, float *own)
{
    V dots[J];
    for (V &dot : dots)
        dot = hn::Zero(kFloats);
    for (std::int64_t i = 0; i < headWidth; i += kLanes) {
        const std::int64_t count = headWidth - i;
        V sums[J];
        sumDecays(rows, in.logDecay + i, in.strideLogDecay, count, sums);
        const V last = sums[J - 1];
        store(hn::Exp(kFloats, last), to.kept + i, count);
        for (int r = 0; r < J; ++r) {
            const std::int64_t at = r * to.stride + i;
            if (r >= rows) {
                for (float *row : {to.key, to.query, to.shrunk, to.toEnd})
                    store(hn::Zero(kFloats), row + at, count);
                continue;
            }
            const V key = load(in.key + r * in.stride + i, count);
            const V query = load(in.query + r * in.stride + i, count);
            const V grown = hn::Exp(kFloats, sums[r]);
            dots[r] = hn::MulAdd(query, key, dots[r]);
            store(hn::Mul(key, grown), to.key + at, count);
            store(hn::Mul(query, grown), to.query + at, count);
            store(hn::Mul(key, hn::Exp(kFloats, hn::Neg(sums[r]))), to.shrunk + at, count);
            store(hn::Mul(key, hn::Exp(kFloats, hn::Sub(last, sums[r]))), to.toEnd + at, count);
        }
    }
    for (int r = 0; r < J; ++r)
        own[r] = sumOf(dots[r]);
}

void decayRowsBackward(std::int64_t rows, std::int64_t headWidth, const ChunkInput &in, const DecayedRows &decayed,
                       const DecayedRows &d, const float *dOwn, const ChunkGradients &to)
{
    for (std::int64_t i = 0; i < headWidth; i += kLanes) {
        const std::int64_t count = headWidth - i;
        V sums[J];
        sumDecays(rows, in.logDecay + i, in.strideLogDecay, count, sums);
        const V last = sums[J - 1];
        // What is kept to the end decays with all tokens after it: sums over the rows before each, so that nothing is
        // taken away again.
        V before[J];
        V sum = hn::Mul(load(d.kept + i, count), load(decayed.kept + i, count));
        for (int r = 0; r < rows; ++r) {
            const std::int64_t at = r * d.stride + i;
            before[r] = sum;
            sum = hn::MulAdd(load(d.toEnd + at, count), load(decayed.toEnd + at, count), sum);
        }
        V total = hn::Zero(kFloats); // of the overlaps, from this row on
        for (int r = static_cast<int>(rows) - 1; r >= 0; --r) {
            const std::int64_t at = r * d.stride + i;
            const V dKey = load(d.key + at, count);
            const V dQuery = load(d.query + at, count);
            const V dShrunk = load(d.shrunk + at, count);
            const V dToEnd = load(d.toEnd + at, count);
            const V grown = hn::Exp(kFloats, sums[r]);
            const V ofKey = hn::MulAdd(dShrunk, hn::Exp(kFloats, hn::Neg(sums[r])),
                                       hn::Mul(dToEnd, hn::Exp(kFloats, hn::Sub(last, sums[r]))));
            const V key = load(in.key + r * in.stride + i, count);
            const V query = load(in.query + r * in.stride + i, count);
            const V ofOwn = all(dOwn[r]);
            store(hn::MulAdd(ofOwn, query, hn::MulAdd(dKey, grown, ofKey)), to.key + r * to.stride + i, count);
            store(hn::MulAdd(ofOwn, key, hn::Mul(dQuery, grown)), to.query + r * to.stride + i, count);
            const V gained =
                hn::MulAdd(dKey, load(decayed.key + at, count), hn::Mul(dQuery, load(decayed.query + at, count)));
            const V lost = hn::Mul(dShrunk, load(decayed.shrunk + at, count));
            total = hn::Add(total, hn::Sub(gained, lost));
            store(hn::Add(total, before[r]), to.logDecay + r * to.strideLogDecay + i, count);
        }
    }
}

void solveWrites(std::int64_t rows, std::int64_t headWidth, const float *value, std::int64_t strideValue,
                 const float *read, const float *beta, std::int64_t strideBeta, const float *overlaps, float *unscaled,
                 float *writes, std::int64_t stride)
{
    float scale[J];
    for (int r = 0; r < J; ++r)
        scale[r] = r < rows ? beta[r * strideBeta] : 0.0F;
    for (std::int64_t i = 0; i < headWidth; i += kLanes) {
        const std::int64_t count = headWidth - i;
        V rest[J];
        for (int r = 0; r < J; ++r) {
            rest[r] = r < rows ? hn::Sub(load(value + r * strideValue + i, count), load(read + r * stride + i, count))
                               : hn::Zero(kFloats);
        }
        HWY_UNROLL(16)
        for (int r = 0; r < J; ++r) {
            const V write = hn::Mul(rest[r], all(scale[r]));
            store(rest[r], unscaled + r * stride + i, count);
            store(write, writes + r * stride + i, count);
            HWY_UNROLL(16)
            for (int later = r + 1; later < J; ++later)
                rest[later] = hn::NegMulAdd(all(overlaps[later * J + r]), write, rest[later]);
        }
    }
}

void solveWritesBackward(std::int64_t rows, std::int64_t headWidth, const float *dWrites, const float *beta,
                         std::int64_t strideBeta, const float *overlaps, const float *unscaled, float *negative,
                         std::int64_t stride, float *dValue, std::int64_t strideValue, float *dBeta,
                         std::int64_t strideDBeta)
{
    float scale[J];
    V dots[J];
    for (int r = 0; r < J; ++r) {
        scale[r] = r < rows ? beta[r * strideBeta] : 0.0F;
        dots[r] = hn::Zero(kFloats);
    }
    for (std::int64_t i = 0; i < headWidth; i += kLanes) {
        const std::int64_t count = headWidth - i;
        V d[J];
        for (int r = 0; r < J; ++r)
            d[r] = load(dWrites + r * stride + i, count);
        HWY_UNROLL(16)
        for (int r = J - 1; r >= 0; --r) {
            const V change = hn::Mul(d[r], all(scale[r]));
            dots[r] = hn::MulAdd(d[r], load(unscaled + r * stride + i, count), dots[r]);
            store(hn::Neg(change), negative + r * stride + i, count);
            if (r < rows)
                store(change, dValue + r * strideValue + i, count);
            HWY_UNROLL(16)
            for (int earlier = 0; earlier < r; ++earlier)
                d[earlier] = hn::NegMulAdd(all(overlaps[r * J + earlier]), change, d[earlier]);
        }
    }
    for (int r = 0; r < J && r < rows; ++r)
        dBeta[r * strideDBeta] = sumOf(dots[r]);
}

void scaleRows(std::int64_t headWidth, float *state, std::int64_t stride, const float *factors)
{
    for (std::int64_t k = 0; k < headWidth; ++k) {
        for (std::int64_t i = 0; i < headWidth; i += kLanes) {
            float *to = state + k * stride + i;
            store(hn::Mul(load(to, headWidth - i), all(factors[k])), to, headWidth - i);
        }
    }
}

void rowDots(std::int64_t headWidth, const float *a, const float *b, std::int64_t stride, float *dots)
{
    for (std::int64_t k = 0; k < headWidth; ++k) {
        V dot = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < headWidth; i += kLanes)
            dot = hn::MulAdd(load(a + k * stride + i, headWidth - i), load(b + k * stride + i, headWidth - i), dot);
        dots[k] = sumOf(dot);
    }
}

} // namespace lookback::kernels::fused::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lookback::kernels::fused {

HWY_EXPORT(decayRows);
HWY_EXPORT(decayRowsBackward);
HWY_EXPORT(solveWrites);
HWY_EXPORT(solveWritesBackward);
HWY_EXPORT(scaleRows);
HWY_EXPORT(rowDots);

void decayRows(std::int64_t rows, std::int64_t headWidth, const ChunkInput &in, const DecayedRows &to, float *own)
{
    HWY_DYNAMIC_DISPATCH(decayRows)(rows, headWidth, in, to, own);
}

void decayRowsBackward(std::int64_t rows, std::int64_t headWidth, const ChunkInput &in, const DecayedRows &decayed,
                       const DecayedRows &d, const float *dOwn, const ChunkGradients &to)
{
    HWY_DYNAMIC_DISPATCH(decayRowsBackward)(rows, headWidth, in, decayed, d, dOwn, to);
}

void keepPast(float *overlaps)
{
    for (std::int64_t r = 0; r < 2 * kChunkTokens; ++r) {
        float *row = overlaps + r * kChunkTokens;
        std::fill(row + r % kChunkTokens, row + kChunkTokens, 0.0F);
    }
}

void solveWrites(std::int64_t rows, std::int64_t headWidth, const float *value, std::int64_t strideValue,
                 const float *read, const float *beta, std::int64_t strideBeta, const float *overlaps, float *unscaled,
                 float *writes, std::int64_t stride)
{
    HWY_DYNAMIC_DISPATCH(solveWrites)
    (rows, headWidth, value, strideValue, read, beta, strideBeta, overlaps, unscaled, writes, stride);
}

void solveWritesBackward(std::int64_t rows, std::int64_t headWidth, const float *dWrites, const float *beta,
                         std::int64_t strideBeta, const float *overlaps, const float *unscaled, float *negative,
                         std::int64_t stride, float *dValue, std::int64_t strideValue, float *dBeta,
                         std::int64_t strideDBeta)
{
    HWY_DYNAMIC_DISPATCH(solveWritesBackward)
    (rows, headWidth, dWrites, beta, strideBeta, overlaps, unscaled, negative, stride, dValue, strideValue, dBeta,
     strideDBeta);
}

void scaleRows(std::int64_t headWidth, float *state, std::int64_t stride, const float *factors)
{
    HWY_DYNAMIC_DISPATCH(scaleRows)(headWidth, state, stride, factors);
}

void rowDots(std::int64_t headWidth, const float *a, const float *b, std::int64_t stride, float *dots)
{
    HWY_DYNAMIC_DISPATCH(rowDots)(headWidth, a, b, stride, dots);
}

} // namespace lookback::kernels::fused
#endif
