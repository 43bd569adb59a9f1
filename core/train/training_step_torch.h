// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/transformer_torch.h"
#include "core/task/key_value_task.h"

// Shapes: B sequences, T tokens that the model reads (one less than a sequence has), S scored positions, V vocabulary.

namespace lookback::train {

/// Sequences as tensors: what the model reads and where it is scored.
struct Batch {
    at::Tensor tokens_BT; ///< int64.
    at::Tensor positions_S; ///< int64, flat b * T + t, ascending: value digits of second occurrences only.
    at::Tensor targets_S; ///< int64, the digit that position S is to predict.
    std::int64_t n_keys = 0;
    std::int64_t tokens = 0; ///< Tokens of all sequences, B * (T + 1).
};

/// All sequences must have the same length.
Batch batchOf(std::span<const task::Sequence> sequences, at::Device device);

/// The batch of `step` (from 1), RunConfig::batchOf(n_keys) sequences of `n_keys` unique keys: a pure function of
/// configuration, seed, step and n_keys.
Batch trainingBatch(const RunConfig &config, std::int64_t n_keys, std::int64_t step, at::Device device);
/// The same with the n_keys that the steps alone decide.
Batch trainingBatch(const RunConfig &config, std::int64_t step, at::Device device);

/// What a forward and backward pass showed.
struct StepValues {
    double loss = 0.0; ///< Mean cross-entropy of the scored digits, nats.
    double digitAccuracy = 0.0; ///< Share of scored digits whose logit is the largest, 0..1.
    double gradientNorm = 0.0; ///< Over all parameters.
    std::string nonFinite; ///< "loss", or the first parameter whose gradient is not finite; empty if all is finite.
};

/// Mean cross-entropy of `logits_SV` against `targets_S`, with graph.
at::Tensor scoredLoss(const at::Tensor &logits_SV, const at::Tensor &targets_S);

/// Forward and backward: leaves the gradients in `parameters`, which are the model's. Gradients are not computed if
/// the loss is not finite.
StepValues forwardAndBackward(const model::Transformer &model, const std::vector<model::NamedTensor> &parameters,
                              const Batch &batch);

} // namespace lookback::train
