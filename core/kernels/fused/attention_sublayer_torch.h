// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/kernels/fused/attention_sequence.h"

// Shapes: B sequences, T tokens, Q queries, D model width, H query heads, G key-value heads, C head width, R rotated
// pairs of numbers.

namespace lookback::kernels::fused {

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
