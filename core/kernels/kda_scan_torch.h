// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

// Shapes: B sequences, H heads, T tokens, K key channels, V value channels.

namespace lookback::kernels {

/// Tokens of a chunk: 16 rows x the strongest log decay of -5 keep exp(80) = 5.5e34 inside float32 (limit 3.4e38).
inline constexpr std::int64_t kKdaChunk = 16;

/// Outputs of a scan and the state after its last token.
struct KdaScanResult {
    at::Tensor output_BHTV;
    at::Tensor state_BHKV;
};

/// The gated delta rule of Kimi Delta Attention (arXiv 2510.26692), by chunks of kKdaChunk tokens:
///     S <- Diag(exp(g_t)) S;   S <- S + beta_t k_t (v_t - S^T k_t)^T;   o_t = S^T q_t.
/// `query`, `key`, `logDecay` [B, H, T, K], `value` [B, H, T, V], `beta` [B, H, T]; any T of 1 or more; log decay in
/// [-5, 0]. `state_BHKV`: the state to start from; undefined = zero. Differentiable in all of them.
KdaScanResult kdaScan(const at::Tensor &query_BHTK, const at::Tensor &key_BHTK, const at::Tensor &value_BHTV,
                      const at::Tensor &logDecay_BHTK, const at::Tensor &beta_BHT, const at::Tensor &state_BHKV = {});

} // namespace lookback::kernels
