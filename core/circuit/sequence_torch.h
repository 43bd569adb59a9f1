// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/model/transformer_torch.h"
#include "core/task/key_value_task.h"

namespace lookback::circuit {

/// Evaluation sequence `index` of this configuration, as eval::evaluateModel asks it.
task::Sequence evaluationSequenceOf(const RunConfig &config, std::int64_t n_keys, std::int64_t index);

/// int64 on `device`.
at::Tensor integerTensor(std::span<const std::int64_t> values, at::Device device);

/// What the model reads of a sequence: all tokens but the last, int64 [T - 1].
at::Tensor inputTokens(const task::Sequence &sequence, at::Device device);

/// The device that the model's parameters are on.
at::Device deviceOf(const model::Transformer &model);

/// Second occurrences whose source is not within the window of the first value digit's query, in order; at most
/// `most` of them, evenly spaced.
std::vector<std::int64_t> askedEntries(const task::Sequence &sequence, std::int64_t window, std::int64_t most);

/// Positions that predict the value digits of these entries, entry by entry.
std::vector<std::int64_t> answerPositions(const task::Sequence &sequence, std::span<const std::int64_t> entries);

} // namespace lookback::circuit
