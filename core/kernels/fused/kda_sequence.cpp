// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/kda_sequence.h"

#include <algorithm>
#include <vector>

namespace lookback::kernels::fused {

namespace {

std::size_t floats(std::int64_t rows, std::int64_t stride)
{
    return static_cast<std::size_t>(rows * stride);
}

/// Buffers of one thread, kept between calls.
struct Scratch {
    AlignedFloats joined;
    AlignedFloats normed;
    AlignedFloats chosen;
    AlignedFloats convolved;
    AlignedFloats active;
    AlignedFloats norms;
    AlignedFloats decay;
    AlignedFloats decayLogits;
    AlignedFloats beta;
    AlignedFloats state;
    AlignedFloats scanned;
    AlignedFloats mixed;
    AlignedFloats chosenMixed;
    AlignedFloats dChosen;
    AlignedFloats dMixed;
    AlignedFloats dScanned;
    AlignedFloats dJoined;
    AlignedFloats dActive;
    AlignedFloats dDecay;
    AlignedFloats dBeta;
    AlignedFloats dNormed;
    std::vector<RowMoments> moments;
    KdaScan scan;
};
thread_local Scratch scratch;

KdaActiveRows activeRows(const KdaLayout &layout, Scratch &own)
{
    own.convolved.require(floats(layout.tokens, layout.strideActive));
    own.active.require(floats(layout.tokens, layout.strideActive));
    own.norms.require(floats(layout.tokens, 2 * layout.heads));
    own.decay.require(floats(layout.tokens, layout.strideMixed));
    own.beta.require(floats(layout.tokens, layout.heads));
    return {own.convolved.data(), own.active.data(), own.norms.data(), own.decay.data(), own.beta.data()};
}

void scanHead(const KdaLayout &layout, const KdaHead &head, float *outputs, bool remembers)
{
    Scratch &own = scratch;
    const auto size = static_cast<std::size_t>(KdaScan::stateFloats(layout.head));
    own.state.require(size);
    std::fill_n(own.state.data(), size, 0.0F);
    own.scan.forward(layout.tokens, layout.head, head, own.state.data(), outputs, layout.strideMixed, remembers);
}

/// The rows of the queries, one after the other.
const float *gathered(std::int64_t queries, std::int64_t width, const float *rows, std::int64_t stride,
                      const std::int64_t *positions, AlignedFloats &to)
{
    if (!positions)
        return rows;
    to.require(floats(queries, stride));
    for (std::int64_t q = 0; q < queries; ++q)
        std::copy_n(rows + positions[q] * stride, width, to.data() + q * stride);
    return to.data();
}

} // namespace

KdaLayout::KdaLayout(std::int64_t sequenceCount, std::int64_t tokenCount, std::int64_t modelWidth,
                     std::int64_t queryCount, const KdaForm &form)
    : sequences(sequenceCount), tokens(tokenCount), width(modelWidth), queries(queryCount), heads(form.heads),
      head(form.headWidth), rank(form.decayRank), inner(heads * head), joined(4 * inner + rank + heads),
      strideNormed(rowStride(width)), strideJoined(rowStride(std::max(joined, 4 * inner + paddedColumns(rank)))),
      strideMixed(rowStride(inner)), strideActive(rowStride(3 * inner)), precision(form.precision)
{
}

void activateRows(const KdaLayout &layout, std::int64_t rows, const float *joined, const KdaVectors &vectors,
                  const Panels &decayUp, const KdaActiveRows &to, float *decayLogits)
{
    const std::int64_t past = (kKdaTaps - 1) * layout.strideJoined;
    shortConvolution(rows, 3 * layout.inner, joined - past, layout.strideJoined, vectors.taps, to.convolved,
                     layout.strideActive);
    siluRows(rows, 3 * layout.inner, to.convolved, layout.strideActive, to.active, layout.strideActive);
    unitHeads(rows, 2 * layout.heads, layout.head, to.active, layout.strideActive, to.norms);
    multiply(rows, joined + layout.rankAt(), layout.strideJoined, decayUp, to.decay, layout.strideMixed, false);
    if (decayLogits) {
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(to.decay + r * layout.strideMixed, layout.inner, decayLogits + r * layout.strideMixed);
    }
    logDecay(rows, layout.heads, layout.head, vectors.decayBias, vectors.decayScales, to.decay, layout.strideMixed);
    sigmoidRows(rows, layout.heads, joined + layout.betaAt(), layout.strideJoined, to.beta, layout.heads);
}

KdaHead headOf(const KdaLayout &layout, const KdaActiveRows &rows, std::int64_t head)
{
    const float *query = rows.active + head * layout.head;
    return {query,
            query + layout.inner,
            query + 2 * layout.inner,
            layout.strideActive,
            rows.decay + head * layout.head,
            layout.strideMixed,
            rows.beta + head,
            layout.heads};
}

KdaKept kdaKeptInScratch(const KdaLayout &layout)
{
    Scratch &own = scratch;
    own.joined.require(floats(layout.joinedRows(), layout.strideJoined));
    own.moments.resize(static_cast<std::size_t>(layout.tokens));
    return {own.joined.data(), own.moments.data()};
}

void kdaForward(const KdaLayout &layout, const float *x, const KdaVectors &vectors, const KdaForwardPanels &panels,
                const std::int64_t *positions, const KdaKept &kept, float *y)
{
    Scratch &own = scratch;
    own.normed.require(floats(layout.tokens, layout.strideNormed));
    own.scanned.require(floats(layout.tokens, layout.strideMixed));
    own.mixed.require(floats(layout.tokens, layout.strideMixed));
    layerNorm(layout.tokens, layout.width, x, layout.width, vectors.gain, own.normed.data(), layout.strideNormed,
              kept.moments);
    for (std::int64_t r = 0; r < kKdaTaps - 1; ++r) // nothing was before a sequence
        std::fill_n(kept.joined + r * layout.strideJoined, 3 * layout.inner, 0.0F);
    float *joined = kept.joined + (kKdaTaps - 1) * layout.strideJoined;
    multiply(layout.tokens, own.normed.data(), layout.strideNormed, panels.joined, joined, layout.strideJoined, false);
    const KdaActiveRows rows = activeRows(layout, own);
    activateRows(layout, layout.tokens, joined, vectors, panels.decayUp, rows, nullptr);
    for (std::int64_t head = 0; head < layout.heads; ++head) {
        const std::int64_t at = head * layout.head;
        scanHead(layout, headOf(layout, rows, head), own.scanned.data() + at, false);
        gatedNorm(layout.tokens, layout.head, own.scanned.data() + at, layout.strideMixed, vectors.normGain,
                  joined + layout.gateAt() + at, layout.strideJoined, own.mixed.data() + at, layout.strideMixed);
    }
    const float *mixed =
        gathered(layout.queries, layout.inner, own.mixed.data(), layout.strideMixed, positions, own.chosenMixed);
    for (std::int64_t q = 0; q < layout.queries; ++q)
        std::copy_n(x + (positions ? positions[q] : q) * layout.width, layout.width, y + q * layout.width);
    multiply(layout.queries, mixed, layout.strideMixed, panels.output, y, layout.width, true);
}

namespace {

/// dMixed [T, E] of all tokens from dY of the queries.
void mixedBackward(const KdaLayout &layout, const KdaBackwardPanels &panels, const std::int64_t *positions,
                   const float *dY)
{
    Scratch &own = scratch;
    own.dMixed.require(floats(layout.tokens, layout.strideMixed));
    if (!positions) {
        multiply(layout.queries, dY, layout.width, panels.output, own.dMixed.data(), layout.strideMixed, false);
        return;
    }
    own.dChosen.require(floats(layout.queries, layout.strideMixed));
    multiply(layout.queries, dY, layout.width, panels.output, own.dChosen.data(), layout.strideMixed, false);
    std::fill_n(own.dMixed.data(), layout.tokens * layout.strideMixed, 0.0F);
    for (std::int64_t q = 0; q < layout.queries; ++q)
        addScaled(layout.inner, own.dMixed.data() + positions[q] * layout.strideMixed,
                  own.dChosen.data() + q * layout.strideMixed, 1.0F);
}

} // namespace

void kdaBackward(const KdaLayout &layout, const float *x, const KdaVectors &vectors, const KdaBackwardPanels &panels,
                 const Panels &forwardDecayUp, const std::int64_t *positions, const KdaKept &kept, const float *dY,
                 float *dX, const KdaSums &sums)
{
    Scratch &own = scratch;
    const float *joined = kept.joined + (kKdaTaps - 1) * layout.strideJoined;
    const KdaActiveRows rows = activeRows(layout, own);
    own.decayLogits.require(floats(layout.tokens, layout.strideMixed));
    activateRows(layout, layout.tokens, joined, vectors, forwardDecayUp, rows, own.decayLogits.data());
    mixedBackward(layout, panels, positions, dY);

    own.scanned.require(floats(layout.tokens, layout.strideMixed));
    own.mixed.require(floats(layout.tokens, layout.strideMixed));
    own.dScanned.require(floats(layout.tokens, layout.head));
    own.dJoined.require(floats(layout.tokens, layout.strideJoined));
    own.dActive.require(floats(layout.tokens, layout.strideActive));
    own.dDecay.require(floats(layout.tokens, layout.strideMixed));
    own.dBeta.require(floats(layout.tokens, layout.heads));
    for (std::int64_t head = 0; head < layout.heads; ++head) {
        const std::int64_t at = head * layout.head;
        const KdaHead in = headOf(layout, rows, head);
        scanHead(layout, in, own.scanned.data() + at, true);
        gatedNormBackward(layout.tokens, layout.head, own.scanned.data() + at, layout.strideMixed, vectors.normGain,
                          joined + layout.gateAt() + at, layout.strideJoined, own.dMixed.data() + at,
                          own.mixed.data() + at, layout.strideMixed, own.dScanned.data(), layout.head,
                          own.dJoined.data() + layout.gateAt() + at, layout.strideJoined, sums.normGain);
        float *dQuery = own.dActive.data() + at;
        own.scan.backward(layout.tokens, layout.head, in, own.dScanned.data(), layout.head,
                          {dQuery, dQuery + layout.inner, dQuery + 2 * layout.inner, layout.strideActive,
                           own.dDecay.data() + at, layout.strideMixed, own.dBeta.data() + head, layout.heads});
    }
    const float *mixed =
        gathered(layout.queries, layout.inner, own.mixed.data(), layout.strideMixed, positions, own.chosenMixed);
    multiplyTransposed(layout.width, layout.inner, layout.queries, dY, layout.width, mixed, layout.strideMixed,
                       sums.output, layout.inner, true, layout.precision);

    unitHeadsBackward(layout.tokens, 2 * layout.heads, layout.head, rows.active, layout.strideActive, rows.norms,
                      own.dActive.data(), layout.strideActive);
    siluRowsBackward(layout.tokens, 3 * layout.inner, rows.convolved, layout.strideActive, own.dActive.data(),
                     layout.strideActive);
    shortConvolutionBackward(layout.tokens, 3 * layout.inner, kept.joined, layout.strideJoined, vectors.taps,
                             own.dActive.data(), layout.strideActive, own.dJoined.data(), layout.strideJoined,
                             sums.taps);
    logDecayBackward(layout.tokens, layout.heads, layout.head, vectors.decayBias, vectors.decayScales,
                     own.decayLogits.data(), layout.strideMixed, own.dDecay.data(), layout.strideMixed, sums.decayBias,
                     sums.decayLogScales);
    multiplyTransposed(layout.inner, layout.rank, layout.tokens, own.dDecay.data(), layout.strideMixed,
                       joined + layout.rankAt(), layout.strideJoined, sums.decayUp, layout.rank, true,
                       layout.precision);
    multiply(layout.tokens, own.dDecay.data(), layout.strideMixed, panels.decayUp, own.dJoined.data() + layout.rankAt(),
             layout.strideJoined, false);
    sigmoidRowsBackward(layout.tokens, layout.heads, rows.beta, layout.heads, own.dBeta.data(), layout.heads,
                        own.dJoined.data() + layout.betaAt(), layout.strideJoined);

    own.normed.require(floats(layout.tokens, layout.strideNormed));
    own.dNormed.require(floats(layout.tokens, layout.strideNormed));
    layerNormAgain(layout.tokens, layout.width, x, layout.width, vectors.gain, kept.moments, own.normed.data(),
                   layout.strideNormed);
    multiplyTransposed(layout.joined, layout.width, layout.tokens, own.dJoined.data(), layout.strideJoined,
                       own.normed.data(), layout.strideNormed, sums.joined, layout.width, true, layout.precision);
    multiply(layout.tokens, own.dJoined.data(), layout.strideJoined, panels.joined, own.dNormed.data(),
             layout.strideNormed, false);
    if (!positions) {
        std::copy_n(dY, layout.tokens * layout.width, dX);
    } else {
        std::fill_n(dX, layout.tokens * layout.width, 0.0F);
        for (std::int64_t q = 0; q < layout.queries; ++q)
            addScaled(layout.width, dX + positions[q] * layout.width, dY + q * layout.width, 1.0F);
    }
    layerNormBackward(layout.tokens, layout.width, x, layout.width, vectors.gain, kept.moments, own.dNormed.data(),
                      layout.strideNormed, dX, layout.width, sums.gain);
}

} // namespace lookback::kernels::fused
