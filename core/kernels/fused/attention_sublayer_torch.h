// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

// Shapes: B sequences, T tokens, Q queries, D model width, H query heads, G key-value heads, C head width, R rotated
// pairs of numbers.

namespace lookback::kernels::fused {

/// What an attention sublayer computes beside its weights.
struct AttentionForm {
    std::int64_t heads = 1;
    std::int64_t groups = 1;
    std::int64_t headWidth = 1;
    std::int64_t window = 0; ///< Tokens that a query sees, itself included; 0 = all before.
    bool isSquared = false; ///< Logits are squared before the mask.
    double queryScale = 1.0;
};

struct AttentionWeights {
    at::Tensor gain_D;
    at::Tensor query; ///< [H * C, D]
    at::Tensor key; ///< [G * C, D]
    at::Tensor value; ///< [G * C, D]
    at::Tensor output; ///< [D, H * C]
};

/// x + attention(norm(x) * gain) Wo^T for x [B, T, D], float32 on the CPU; cos and sin [T, R] turn queries and keys,
/// undefined = no rotation. If `queries_BQ` (int64 in 0..T-1) is defined, only those rows, [B, Q, D]. One pass over the
/// sequences for forward and one for backward, scores computed again; the bits do not depend on the number of threads.
/// Records the graph with grad mode on.
at::Tensor attentionSublayer(const at::Tensor &x_BTD, const AttentionWeights &weights, const at::Tensor &cos_TR,
                             const at::Tensor &sin_TR, const at::Tensor &queries_BQ, const AttentionForm &form);

} // namespace lookback::kernels::fused
