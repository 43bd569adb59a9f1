// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include "core/compute.h"

// Shapes: D model width, F hidden width.

namespace lookback::kernels::fused {

/// x + (silu(n Wg^T) * (n Wu^T)) Wd^T with n = norm(x) * gain, for x [.., D], gate and up [F, D], down [D, F]; float32
/// on the CPU, products with weights in `precision`. One pass over tiles of rows for forward and one for backward; the
/// bits do not depend on the number of threads. Records the graph with grad mode on.
at::Tensor feedForward(const at::Tensor &x, const at::Tensor &gain_D, const at::Tensor &gate_FD,
                       const at::Tensor &up_FD, const at::Tensor &down_DF, Precision precision = Precision::Float32);

} // namespace lookback::kernels::fused
