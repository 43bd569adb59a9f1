// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>

#include "core/circuit/knockout.h"
#include "core/model/transformer_torch.h"
#include "core/progress.h"

namespace lookback::circuit {

// All leave the model without changes, use the calling thread's LibTorch thread count, write `step` into what they
// return only, and throw Error for what cannot be asked, Cancelled soon after `stop` was asked for.

/// Exact match with and without some heads on the same sequences. `onPoint` is called after each finished length with
/// what is known so far.
Knockout knockOut(model::Transformer &model, std::int64_t step, const KnockoutRequest &request,
                  const ProgressFunction &progress = {}, const std::function<void(const Knockout &)> &onPoint = {},
                  std::stop_token stop = {});

/// Every head alone. What comes before a head's layer is computed once for all heads.
KnockoutGrid knockOutEach(model::Transformer &model, std::int64_t step, const GridRequest &request,
                          const ProgressFunction &progress = {}, std::stop_token stop = {});

/// The two greedy searches. `onStep` is called after each step with what is known so far.
SmallestSets searchSmallestSets(model::Transformer &model, std::int64_t step, const SearchRequest &request,
                                const ProgressFunction &progress = {},
                                const std::function<void(const SmallestSets &)> &onStep = {},
                                std::stop_token stop = {});

} // namespace lookback::circuit
