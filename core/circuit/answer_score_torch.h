// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/circuit/knockout.h"
#include "core/eval/accuracy.h"
#include "core/model/transformer_torch.h"
#include "core/task/key_value_task.h"

namespace lookback::circuit {

/// The answers to the second occurrences of some sequences, one by one.
struct AnswerScores {
    std::vector<std::vector<bool>> isExact{}; ///< [sequence][second occurrence]
    std::int64_t digitsRight = 0;
    double lossSum = 0.0; ///< Of the scored digits, nats.

    /// Adds a sequence; rows of the logits: its scored positions.
    void add(const at::Tensor &logits_SV, const task::Sequence &sequence);
    eval::AccuracyPoint point(const RunConfig &config, std::int64_t n_keys) const;
};

/// What changed between two scores of the same sequences.
KnockoutPoint pointOf(const RunConfig &config, std::int64_t n_keys, const AnswerScores &before,
                      const AnswerScores &after);

/// A sequence of which the intact model's inputs are known, or not where they would take too much memory.
class ReadSequence {
public:
    /// With the changes that the model has now.
    ReadSequence(const model::Transformer &model, task::Sequence sequence, std::stop_token stop);

    const task::Sequence &sequence() const { return m_sequence; }
    const at::Tensor &positions() const { return m_positions; }
    /// Logits of the scored positions with the changes that the model has now, if they are the same below `layer`.
    at::Tensor logitsFrom(std::int64_t layer, std::stop_token stop) const;

private:
    const model::Transformer &m_model;
    task::Sequence m_sequence;
    at::Tensor m_tokens;
    at::Tensor m_positions;
    std::vector<at::Tensor> m_inputs; ///< Of each layer; empty where only the tokens are kept.
};

} // namespace lookback::circuit
