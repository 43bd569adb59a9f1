// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/kernels/fused/kda_sequence.h"

// Shapes: B sequences, T tokens, Q queries, D model width, H heads, C head width, E = H * C, R rank of the decays.

namespace lookback::kernels::fused {

struct KdaWeights {
    at::Tensor query; ///< [E, D]
    at::Tensor key; ///< [E, D]
    at::Tensor value; ///< [E, D]
    at::Tensor convolution; ///< [3 E, 1, kKdaTaps]
    at::Tensor decayDown; ///< [R, D]
    at::Tensor decayUp; ///< [E, R]
    at::Tensor beta; ///< [H, D]
    at::Tensor gate; ///< [E, D]
    at::Tensor output; ///< [D, E]
    at::Tensor normGain_C;
    at::Tensor decayLogScale_H;
    at::Tensor decayBias_E;
};

KdaForm formOf(const KdaWeights &weights, Precision precision = Precision::Float32);

/// What the kernels read of the weights: projections side by side, taps by token, scales.
struct KdaOperands {
    explicit KdaOperands(const KdaWeights &weights);
    KdaVectors vectors(const float *gain) const;
    at::Tensor joined; ///< [N, D]
    at::Tensor taps; ///< [kKdaTaps, 3 E]
    at::Tensor scales; ///< [H]
    at::Tensor bias; ///< [E]
    at::Tensor normGain; ///< [C]
};

/// x + kda(norm(x) * gain) for x [B, T, D], float32 on the CPU (arXiv 2510.26692, in the form of kvbench). If
/// `queries_BQ` (int64 in 0..T-1) is defined, only those rows, [B, Q, D]. One pass over the sequences for forward and
/// one for backward, the recurrence computed again; products with weights in `precision`; the bits do not depend on the
/// number of threads. Records the graph with grad mode on.
at::Tensor kdaSublayer(const at::Tensor &x_BTD, const at::Tensor &gain_D, const KdaWeights &weights,
                       const at::Tensor &queries_BQ, Precision precision = Precision::Float32);

} // namespace lookback::kernels::fused
