// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/transformer_torch.h"
#include "core/run/checkpoint.h"

namespace lookback::run {

/// A copy of the values as float32 on the CPU, row-major.
StoredTensor storedTensor(const std::string &name, const at::Tensor &tensor);

/// A tensor of its own with the stored values; F32, F64, I64, I32, U8 and BOOL. Throws Error for other types.
at::Tensor tensorOf(const StoredTensor &stored);

/// All of them, in order, by name.
std::vector<model::NamedTensor> tensorsOf(const std::vector<StoredTensor> &stored);

/// A model with the weights of a checkpoint, and the step they have.
struct LoadedModel {
    model::Transformer model;
    std::int64_t step = 0;
    RunConfig config;
};

/// Builds the model that the checkpoint describes and loads it; `step` -1 = the newest that can be read. Throws Error
/// if the run's configuration and the checkpoint's do not agree on the model.
LoadedModel loadModel(const RunFolder &folder, std::int64_t step, at::Device device, Kernels kernels = Kernels::Fused);

} // namespace lookback::run
