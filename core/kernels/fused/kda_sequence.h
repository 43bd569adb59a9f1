// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/kernels/fused/kda_rows.h"
#include "core/kernels/fused/kda_scan.h"
#include "core/kernels/fused/matrix_panels.h"
#include "core/kernels/fused/row_kernels.h"

// One sequence of a Kimi delta attention sublayer, forward and backward, in one thread. T tokens, Q queries, D model
// width, H heads, C head width, E = H * C, R rank of the decays, N = 4 E + R + H.

namespace lookback::kernels::fused {

struct KdaForm {
    std::int64_t heads = 1;
    std::int64_t headWidth = 1;
    std::int64_t decayRank = 1;
    Precision precision = Precision::Float32; ///< Of products with weights.
};

/// Sizes and strides of one call, in floats. A joined row is query, key and value before the convolution, the gate, the
/// decays' small factor and the betas' logits.
struct KdaLayout {
    KdaLayout(std::int64_t sequenceCount, std::int64_t tokenCount, std::int64_t modelWidth, std::int64_t queryCount,
              const KdaForm &form);
    std::int64_t sequences;
    std::int64_t tokens;
    std::int64_t width;
    std::int64_t queries;
    std::int64_t heads;
    std::int64_t head;
    std::int64_t rank;
    std::int64_t inner; ///< E
    std::int64_t joined; ///< N
    std::int64_t strideNormed;
    std::int64_t strideJoined;
    std::int64_t strideMixed; ///< Of rows of E numbers.
    std::int64_t strideActive; ///< Of query, key and value side by side.
    Precision precision = Precision::Float32;
    std::int64_t gateAt() const { return 3 * inner; }
    std::int64_t rankAt() const { return 4 * inner; }
    std::int64_t betaAt() const { return 4 * inner + rank; }
    /// Rows that a sequence keeps: those of the convolution's past come first.
    std::int64_t joinedRows() const { return tokens + kKdaTaps - 1; }
};

/// Weights of a sublayer that are no right-hand factors.
struct KdaVectors {
    const float *gain = nullptr; ///< [D], of the norm before the sublayer.
    const float *taps = nullptr; ///< [kKdaTaps, 3 E]
    const float *decayBias = nullptr; ///< [E]
    const float *decayScales = nullptr; ///< [H]
    const float *normGain = nullptr; ///< [C]
};

/// Weights as right-hand factors of the forward pass: x times weight transposed.
struct KdaForwardPanels {
    explicit KdaForwardPanels(Precision precision) : joined(precision), decayUp(precision), output(precision) { }
    Panels joined; ///< [D, N]
    Panels decayUp; ///< [R, E]
    Panels output; ///< [E, D]
};
/// Of the backward pass: gradient times weight.
struct KdaBackwardPanels {
    explicit KdaBackwardPanels(Precision precision) : joined(precision), decayUp(precision), output(precision) { }
    Panels joined; ///< [N, D]
    Panels decayUp; ///< [E, R]
    Panels output; ///< [D, E]
};

/// Rows of what the recurrence reads, made of joined rows.
struct KdaActiveRows {
    float *convolved = nullptr; ///< [rows, strideActive]
    float *active = nullptr; ///< [rows, strideActive]: unit queries, unit keys, values.
    float *norms = nullptr; ///< [rows, 2 H]
    float *decay = nullptr; ///< [rows, strideMixed]
    float *beta = nullptr; ///< [rows, H]
};
/// Makes `rows` of them. `joined`: their first row; the rows of the convolution's past lie before it. The decays'
/// logits without bias are written to `decayLogits` [rows, strideMixed], if that is given.
void activateRows(const KdaLayout &layout, std::int64_t rows, const float *joined, const KdaVectors &vectors,
                  const Panels &decayUp, const KdaActiveRows &to, float *decayLogits);

/// What the recurrence of one head reads of them.
KdaHead headOf(const KdaLayout &layout, const KdaActiveRows &rows, std::int64_t head);

/// What a sequence keeps for the backward pass.
struct KdaKept {
    float *joined = nullptr; ///< [joinedRows, strideJoined]
    RowMoments *moments = nullptr; ///< [T]
};
/// Buffers of the calling thread, for a forward pass that keeps nothing; valid until its next call.
KdaKept kdaKeptInScratch(const KdaLayout &layout);

/// y [Q, D] = x of the queries + attention of the sequence x [T, D]. `positions` of the queries; null = all.
void kdaForward(const KdaLayout &layout, const float *x, const KdaVectors &vectors, const KdaForwardPanels &panels,
                const std::int64_t *positions, const KdaKept &kept, float *y);

/// Sums that a sequence adds its share to.
struct KdaSums {
    float *gain = nullptr; ///< [D]
    float *joined = nullptr; ///< [N, D]
    float *taps = nullptr; ///< [kKdaTaps, 3 E]
    float *decayUp = nullptr; ///< [E, R]
    float *output = nullptr; ///< [D, E]
    float *normGain = nullptr; ///< [C]
    float *decayLogScales = nullptr; ///< [H]
    float *decayBias = nullptr; ///< [E]
};

/// dX [T, D] from dY [Q, D] and what the forward pass kept. `forwardDecayUp` as in KdaForwardPanels.
void kdaBackward(const KdaLayout &layout, const float *x, const KdaVectors &vectors, const KdaBackwardPanels &panels,
                 const Panels &forwardDecayUp, const std::int64_t *positions, const KdaKept &kept, const float *dY,
                 float *dX, const KdaSums &sums);

} // namespace lookback::kernels::fused
