// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "core/kernels/kda_scan_torch.h"

namespace reference {

/// The gated delta rule token by token, as it is written down: the slow twin of kernels::kdaScan.
inline lookback::kernels::KdaScanResult kdaSteps(const at::Tensor &query, const at::Tensor &key,
                                                 const at::Tensor &value, const at::Tensor &logDecay,
                                                 const at::Tensor &beta, const at::Tensor &initial = {})
{
    at::Tensor state = initial.defined()
        ? initial
        : at::zeros({query.size(0), query.size(1), query.size(3), value.size(3)}, value.options().requires_grad(false));
    std::vector<at::Tensor> outputs;
    for (std::int64_t t = 0; t < query.size(2); ++t) {
        const at::Tensor column = key.select(2, t).unsqueeze(-1); // [B, H, K, 1]
        state = logDecay.select(2, t).exp().unsqueeze(-1) * state;
        const at::Tensor recalled = at::matmul(column.transpose(2, 3), state); // [B, H, 1, V]
        const at::Tensor write = value.select(2, t).unsqueeze(2) - recalled;
        state = state + beta.select(2, t).unsqueeze(-1).unsqueeze(-1) * at::matmul(column, write);
        outputs.push_back(at::matmul(query.select(2, t).unsqueeze(2), state).squeeze(2));
    }
    return {at::stack(outputs, 2), state};
}

} // namespace reference
