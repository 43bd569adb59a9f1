// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include "core/circuit/patching.h"
#include "core/model/transformer_torch.h"
#include "core/progress.h"
#include "core/task/key_value_task.h"

namespace lookback::circuit {

/// Two sequences of the same length that differ in one key or one value, and the digit that is asked for.
struct PatchPair {
    task::Sequence a{};
    task::Sequence b{}; ///< Its tokens are those that the model reads; with PatchDifference::Key its entries are a's.
    std::int64_t position = 0; ///< That predicts the digit.
    int tokenA = 0; ///< The right digit on each.
    int tokenB = 0;
};

/// The pair made of evaluation sequence `index`; nothing if none can be made of it.
std::optional<PatchPair> patchPair(const RunConfig &config, PatchDifference difference, std::int64_t n_keys,
                                   std::int64_t index);

/// Runs each A with a part of some heads taken from B. Leaves the model without changes. Throws Error for what cannot
/// be asked, Cancelled soon after `stop` was asked for.
PatchResult patchHeads(model::Transformer &model, std::int64_t step, const PatchRequest &request,
                       const ProgressFunction &progress = {}, std::stop_token stop = {});

} // namespace lookback::circuit
