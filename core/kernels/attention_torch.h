// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

// Shapes: B sequences, H query heads, G key-value heads, Q queries, K keys, T tokens, C head width.
// Query head h reads key-value head h / (H / G). Queries arrive scaled by 1/sqrt(C).

namespace lookback::kernels {

/// Additive mask [Q, K] with 0 where query i may see key j and minus infinity elsewhere: j <= i, and j > i - window
/// unless window is 0. `queryPositions` [..., Q] int64 gives [..., Q, K]; keys stand at firstKey, firstKey + 1, ...
/// Keys before position 0 are padding and never seen.
at::Tensor visibilityMask(const at::Tensor &queryPositions, std::int64_t firstKey, std::int64_t keys,
                          std::int64_t window, const at::TensorOptions &options);

/// Logits query . key, [B, H, Q, K].
at::Tensor attentionLogits(const at::Tensor &query_BHQC, const at::Tensor &key_BGKC);

/// Softmax over logits = query . key (squared if asked for, before the mask): weights [B, H, Q, K].
/// `mask` broadcasts to [B, 1, Q, K].
at::Tensor attentionWeights(const at::Tensor &query_BHQC, const at::Tensor &key_BGKC, const at::Tensor &mask,
                            bool isSquared);

/// weights x values: [B, H, Q, C].
at::Tensor mixValues(const at::Tensor &weights_BHQK, const at::Tensor &value_BGKC);

/// Windowed attention of T consecutive queries in blocks, touching only the keys within the window. `key` and `value`
/// [B, G, X + T, C] begin with X <= window - 1 tokens before the first query. Differentiable.
at::Tensor windowAttention(const at::Tensor &query_BHTC, const at::Tensor &key_BGXC, const at::Tensor &value_BGXC,
                           std::int64_t window, bool isSquared);

} // namespace lookback::kernels
