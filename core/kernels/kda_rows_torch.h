// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

// Shapes: H heads, T tokens, K key channels, Q rows, X columns.

namespace lookback::kernels {

/// Rows firstQuery .. firstQuery + rows - 1 of the matrix that kdaScan amounts to (the weight of value s in output t),
/// [H, Q, X] with X = firstQuery + rows; 0 where s > t. No earlier row is made: each row goes back through the tokens
/// by itself, so rows cost the same wherever they are asked for in time. No gradients; float32 or float64 on the CPU.
///     r <- q_t;  for s = t, t - 1, ... 0:  w_s = beta_s (k_s . r);  r <- Diag(exp(g_s)) (r - w_s k_s).
/// `query`, `key`, `logDecay` [H, T, K], `beta` [H, T].
at::Tensor kdaMatrixRows(const at::Tensor &query_HTK, const at::Tensor &key_HTK, const at::Tensor &logDecay_HTK,
                         const at::Tensor &beta_HT, std::int64_t firstQuery, std::int64_t rows);

} // namespace lookback::kernels
