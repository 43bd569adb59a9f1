// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include "core/circuit/head_measures.h"
#include "core/model/transformer_torch.h"
#include "core/progress.h"

namespace lookback::circuit {

/// Measures all heads of a model in memory, with the changes it has, over its evaluation sequences. `step` is only
/// written into the table. Uses the calling thread's LibTorch thread count. Throws Error for an impossible request,
/// Cancelled soon after `stop` was asked for.
HeadTable measureHeads(const model::Transformer &model, std::int64_t step, const HeadRequest &request,
                       const ProgressFunction &progress = {}, std::stop_token stop = {});

} // namespace lookback::circuit
