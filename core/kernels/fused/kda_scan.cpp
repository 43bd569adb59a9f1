// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/kda_scan.h"

#include <algorithm>
#include <utility>

#include "core/kernels/fused/kda_chunk.h"
#include "core/kernels/fused/row_kernels.h"

// As in kda_scan_torch.cpp, with G the keys, below them the queries, all times exp(b): the overlaps of a chunk are
// [M; P] = G (exp(-b) K)^T with past tokens (P also q k of the present one), its writes X are x_r = beta_r z_r with z_r
// = v_r - (G S)_r - sum_{i<r} M_ri x_i, its outputs G S of the queries + P X.

namespace lookback::kernels::fused {

namespace {

constexpr std::int64_t J = kChunkTokens;

/// Cuts a buffer into parts.
class Cutter {
public:
    explicit Cutter(float *floats) : m_next(floats) { }
    float *next(std::int64_t count) { return std::exchange(m_next, m_next + (count + 15) / 16 * 16); }

private:
    float *m_next;
};

/// What a chunk leaves for the backward pass.
struct Chunk {
    Chunk(float *floats, std::int64_t headWidth) : stride(paddedColumns(headWidth))
    {
        Cutter cutter(floats);
        grown = cutter.next(2 * J * stride);
        shrunk = cutter.next(J * stride);
        toEnd = cutter.next(J * stride);
        overlaps = cutter.next(2 * J * J);
        unscaled = cutter.next(J * stride);
        writes = cutter.next(J * stride);
        kept = cutter.next(stride);
        state = cutter.next(headWidth * stride);
    }
    static std::int64_t floats(std::int64_t headWidth)
    {
        return paddedColumns(headWidth) * (6 * J + headWidth + 1) + 2 * J * J;
    }
    DecayedRows decayed() const { return {grown, grown + J * stride, shrunk, toEnd, kept, stride}; }

    std::int64_t stride;
    float *grown; ///< [2 J, C]
    float *shrunk; ///< [J, C]
    float *toEnd; ///< [J, C]
    float *overlaps; ///< [2 J, J]
    float *unscaled; ///< [J, C]: z
    float *writes; ///< [J, C]: x
    float *kept; ///< [C]
    float *state; ///< [C, C], before the chunk.
};

ChunkInput inputOf(const KdaHead &head)
{
    return {head.query, head.key, head.stride, head.logDecay, head.strideLogDecay};
}

} // namespace

void KdaScan::forward(std::int64_t tokens, std::int64_t headWidth, const KdaHead &head, float *state, float *outputs,
                      std::int64_t strideOutputs, bool remembers)
{
    const std::int64_t chunks = (tokens + J - 1) / J;
    const std::int64_t size = Chunk::floats(headWidth);
    const std::int64_t stride = paddedColumns(headWidth);
    m_chunks.require(static_cast<std::size_t>((remembers ? chunks : 1) * size));
    m_work.require(static_cast<std::size_t>(2 * J * stride + headWidth * J));
    float *read = m_work.data(); // [2 J, C]: what the grown rows find in the state
    float *turned = read + 2 * J * stride; // [C, J]
    for (std::int64_t n = 0; n < chunks; ++n) {
        const std::int64_t rows = std::min(J, tokens - n * J);
        const KdaHead in = head.at(n * J);
        const Chunk chunk(m_chunks.data() + (remembers ? n * size : 0), headWidth);
        if (remembers)
            std::copy_n(state, headWidth * stride, chunk.state);
        float own[J];
        decayRows(rows, headWidth, inputOf(in), chunk.decayed(), own);
        transpose(J, headWidth, chunk.shrunk, stride, turned, J);
        multiplyRows(2 * J, J, headWidth, chunk.grown, stride, turned, J, chunk.overlaps, J, false);
        keepPast(chunk.overlaps);
        for (std::int64_t r = 0; r < J; ++r)
            chunk.overlaps[(J + r) * J + r] = own[r];
        multiplyRows(2 * J, headWidth, headWidth, chunk.grown, stride, state, stride, read, stride, false);
        solveWrites(rows, headWidth, in.value, in.stride, read, in.beta, in.strideBeta, chunk.overlaps, chunk.unscaled,
                    chunk.writes, stride);
        float *output = read + J * stride;
        multiplyRows(rows, headWidth, J, chunk.overlaps + J * J, J, chunk.writes, stride, output, stride, true);
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(output + r * stride, headWidth, outputs + (n * J + r) * strideOutputs);
        scaleRows(headWidth, state, stride, chunk.kept);
        multiplyTransposed(headWidth, headWidth, J, chunk.toEnd, stride, chunk.writes, stride, state, stride, true);
    }
}

void KdaScan::backward(std::int64_t tokens, std::int64_t headWidth, const KdaHead &head, const float *dOutputs,
                       std::int64_t strideOutputs, const KdaHeadGradients &gradients)
{
    const std::int64_t chunks = (tokens + J - 1) / J;
    const std::int64_t size = Chunk::floats(headWidth);
    const std::int64_t stride = paddedColumns(headWidth);
    const std::int64_t square = headWidth * stride;
    m_work.require(static_cast<std::size_t>(2 * square + stride * (7 * J + 1) + 3 * J * J + headWidth * J + 256));
    Cutter cutter(m_work.data());
    float *dState = cutter.next(square); // of the state after the chunk at hand
    float *turnedState = cutter.next(square);
    float *below = cutter.next(2 * J * stride); // minus the gradient of z, and below it that of the outputs
    float *dWrites = cutter.next(J * stride);
    float *dGrown = cutter.next(2 * J * stride);
    float *dShrunk = cutter.next(J * stride);
    float *dToEnd = cutter.next(J * stride);
    float *dKept = cutter.next(stride);
    float *dOverlaps = cutter.next(2 * J * J);
    float *turned = cutter.next(headWidth * J);
    std::fill_n(dState, square, 0.0F);
    for (std::int64_t n = chunks - 1; n >= 0; --n) {
        const std::int64_t rows = std::min(J, tokens - n * J);
        const KdaHead in = head.at(n * J);
        const KdaHeadGradients to = gradients.at(n * J);
        const Chunk chunk(m_chunks.data() + n * size, headWidth);
        for (std::int64_t r = 0; r < J; ++r) {
            if (r < rows)
                std::copy_n(dOutputs + (n * J + r) * strideOutputs, headWidth, below + (J + r) * stride);
            else
                std::fill_n(below + (J + r) * stride, headWidth, 0.0F);
        }
        multiplyTransposed(J, headWidth, J, chunk.overlaps + J * J, J, below + J * stride, stride, dWrites, stride,
                           false);
        multiplyRows(J, headWidth, headWidth, chunk.toEnd, stride, dState, stride, dWrites, stride, true);
        solveWritesBackward(rows, headWidth, dWrites, in.beta, in.strideBeta, chunk.overlaps, chunk.unscaled, below,
                            stride, to.value, to.stride, to.beta, to.strideBeta);
        transpose(J, headWidth, chunk.writes, stride, turned, J);
        multiplyRows(2 * J, J, headWidth, below, stride, turned, J, dOverlaps, J, false);
        float dOwn[J];
        for (std::int64_t r = 0; r < J; ++r)
            dOwn[r] = dOverlaps[(J + r) * J + r];
        keepPast(dOverlaps);
        transpose(headWidth, headWidth, chunk.state, stride, turnedState, stride);
        multiplyRows(2 * J, headWidth, headWidth, below, stride, turnedState, stride, dGrown, stride, false);
        multiplyRows(2 * J, headWidth, J, dOverlaps, J, chunk.shrunk, stride, dGrown, stride, true);
        multiplyTransposed(J, headWidth, 2 * J, dOverlaps, J, chunk.grown, stride, dShrunk, stride, false);
        transpose(headWidth, headWidth, dState, stride, turnedState, stride);
        multiplyRows(J, headWidth, headWidth, chunk.writes, stride, turnedState, stride, dToEnd, stride, false);
        rowDots(headWidth, dState, chunk.state, stride, dKept);
        decayRowsBackward(rows, headWidth, inputOf(in), chunk.decayed(),
                          {dGrown, dGrown + J * stride, dShrunk, dToEnd, dKept, stride}, dOwn,
                          {to.query, to.key, to.stride, to.logDecay, to.strideLogDecay});
        scaleRows(headWidth, dState, stride, chunk.kept);
        multiplyTransposed(headWidth, headWidth, 2 * J, chunk.grown, stride, below, stride, dState, stride, true);
    }
}

} // namespace lookback::kernels::fused
