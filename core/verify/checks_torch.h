// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include <ATen/core/Tensor.h>

#include "core/progress.h"
#include "core/verify/fixture_torch.h"
#include "core/verify/verify.h"

namespace lookback::verify {

/// Where a check computes, what it tells, and where its rows go.
struct CheckContext {
    at::Device device;
    Kernels kernels; ///< In float32.
    ProgressFunction progress;
    std::stop_token stop;
    VerifyReport &report;

    /// Between two parts of the work: tells the progress, or throws Cancelled.
    void step(const std::string &what, std::int64_t done, std::int64_t total) const;
};

/// One forward and backward pass: logits, loss, accuracies, gradients, attention maps, KDA intermediates.
void checkVariant(const Fixture &fixture, const CheckContext &context);
/// Steps of AdamW under curriculum and schedule; initial weights from "<variant>.safetensors" beside the file.
void checkOptimizer(const Fixture &fixture, const CheckContext &context);
/// Cross-entropy by entry index; weights from "<variant>.safetensors" beside the file.
void checkEntryLosses(const Fixture &fixture, const CheckContext &context);
/// Loss and accuracies of given logits.
void checkMetrics(const Fixture &fixture, const CheckContext &context);
/// The delta rule: outputs, states, gradients, and a scan resumed from a state.
void checkKdaScan(const Fixture &fixture, const CheckContext &context);
void checkRotaryEmbedding(const Fixture &fixture, const CheckContext &context);
/// Sequences, curriculum and learning rates (task.json).
void checkTask(const std::string &name, const nlohmann::json &tables, VerifyReport &report);
/// Monte-Carlo variances of the attended value within their combined standard errors (variance.json).
void checkVariance(const std::string &name, const nlohmann::json &tables, const CheckContext &context, int threads);

} // namespace lookback::verify
