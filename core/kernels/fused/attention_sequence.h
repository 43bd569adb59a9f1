// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/kernels/fused/matrix_panels.h"
#include "core/kernels/fused/row_kernels.h"
#include "core/kernels/fused/softmax_rows.h"

// One sequence of an attention sublayer, forward and backward, in one thread. T tokens, Q queries, D model width, H
// query heads, G key-value heads, C head width.

namespace lookback::kernels::fused {

/// What an attention sublayer computes beside its weights.
struct AttentionForm {
    std::int64_t heads = 1;
    std::int64_t groups = 1;
    std::int64_t headWidth = 1;
    std::int64_t window = 0; ///< Tokens that a query sees, itself included; 0 = all before.
    bool isSquared = false; ///< Logits are squared before the mask.
    double queryScale = 1.0;
    Precision precision = Precision::Float32; ///< Of products with weights.
};

/// Sizes and strides of one call, in floats.
struct AttentionLayout {
    AttentionLayout(std::int64_t sequenceCount, std::int64_t tokenCount, std::int64_t modelWidth,
                    std::int64_t queryCount, std::int64_t rotatedPairs, const AttentionForm &form);
    std::int64_t sequences;
    std::int64_t tokens;
    std::int64_t width;
    std::int64_t queries;
    std::int64_t half;
    std::int64_t head;
    std::int64_t joined; ///< Query heads side by side.
    std::int64_t grouped; ///< Key heads side by side; value heads follow them.
    std::int64_t strideNormed;
    std::int64_t strideQuery; ///< Of queries, outputs before the projection, and their gradients.
    std::int64_t strideKeyValue;
    std::int64_t strideScores; ///< Of scores, and of keys and values with tokens as columns.
};

/// Where the queries of one sequence stand: 0, 1, 2, ... if `positions` is null.
struct Queries {
    const std::int64_t *positions = nullptr;
    std::int64_t at(std::int64_t query) const { return positions ? positions[query] : query; }
};

/// Angles of the tokens, [T, layout.half] each; null where nothing is rotated.
struct Rotation {
    const float *cos = nullptr;
    const float *sin = nullptr;
};

/// What a sequence keeps for the backward pass.
struct Kept {
    float *query = nullptr; ///< [Q, strideQuery], rotated and scaled.
    float *keyValue = nullptr; ///< [T, strideKeyValue], keys rotated.
    float *mixed = nullptr; ///< [Q, strideQuery], heads side by side before the output projection.
    RowMoments *moments = nullptr; ///< [T]
    SoftmaxScale *scales = nullptr; ///< [H, Q]
};
/// Buffers of the calling thread, for a forward pass that keeps nothing; valid until its next call.
Kept keptInScratch(const AttentionLayout &layout, std::int64_t heads);

/// Weights as right-hand factors of the forward pass: x times weight transposed.
struct ForwardPanels {
    explicit ForwardPanels(Precision precision) : query(precision), keyValue(precision), output(precision) { }
    Panels query; ///< Scaled by queryScale.
    Panels keyValue;
    Panels output;
};

/// y [Q, D] = x of the queries + attention of the sequence x [T, D].
void forwardSequence(const AttentionLayout &layout, const AttentionForm &form, const float *x, const float *gain,
                     const ForwardPanels &panels, const Rotation &rotation, const Queries &queries, const Kept &kept,
                     float *y);

/// Weights as right-hand factors of the backward pass: gradient times weight.
struct BackwardPanels {
    explicit BackwardPanels(Precision precision) : query(precision), keyValue(precision), output(precision) { }
    Panels query; ///< Scaled by queryScale.
    Panels keyValue;
    Panels output;
};

/// Sums that a sequence adds its share to: gain [D], query [H * C, D] (of the scaled queries), keyValue [2 * G * C, D],
/// output [D, H * C].
struct AttentionSums {
    float *gain = nullptr;
    float *query = nullptr;
    float *keyValue = nullptr;
    float *output = nullptr;
};

/// dX [T, D] from dY [Q, D] and what the forward pass kept.
void backwardSequence(const AttentionLayout &layout, const AttentionForm &form, const float *x, const float *gain,
                      const BackwardPanels &panels, const Rotation &rotation, const Queries &queries, const Kept &kept,
                      const float *dY, float *dX, const AttentionSums &sums);

} // namespace lookback::kernels::fused
