// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/eval/accuracy.h"
#include "core/model/transformer_torch.h"
#include "core/progress.h"
#include "core/task/key_value_task.h"

namespace lookback::eval {

/// Throws Error with one sentence if a point cannot be evaluated: no n at all, n below 1, more keys than the digits
/// allow, no sequences, or absurdly many tokens.
void requireEvaluable(const RunConfig &config, const std::vector<std::int64_t> &n_keys, std::int64_t sequences);

/// Exact match of a model in memory; see evaluateCheckpoint. Uses the calling thread's LibTorch thread count, records
/// no graph and draws nothing from any generator of the training. `step` is only written into the curve.
AccuracyCurve evaluateModel(const model::Transformer &model, at::Device device, std::int64_t step,
                            std::vector<std::int64_t> n_keys, std::int64_t sequences,
                            const ProgressFunction &progress = {},
                            const std::function<void(const AccuracyCurve &)> &onPoint = {}, std::stop_token stop = {});

/// Counts of one sequence.
struct SequenceScore {
    std::int64_t exact = 0; ///< Answers with all digits right.
    std::int64_t digitsRight = 0;
    double lossSum = 0.0; ///< Over the scored digits, nats.
};

/// Scores sequences of equal length; memory does not grow with T^2. Rows of small sequences are computed together.
std::vector<SequenceScore> scoreSequences(const model::Transformer &model, at::Device device,
                                          std::span<const task::Sequence> sequences, std::stop_token stop = {});

/// How many sequences of n unique keys scoreSequences computes in one go.
std::int64_t sequencesAtOnce(const RunConfig &config, std::int64_t n_keys);

} // namespace lookback::eval
