// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include "core/circuit/failures.h"
#include "core/model/transformer_torch.h"
#include "core/progress.h"

namespace lookback::circuit {

/// The wrong answers of a model in memory over its evaluation sequences, and where they came from. The request names
/// the readers. `step` is only written into the result. Throws Error for what cannot be asked, Cancelled soon after
/// `stop` was asked for.
Failures findFailures(const model::Transformer &model, std::int64_t step, const FailureRequest &request,
                      const ProgressFunction &progress = {}, std::stop_token stop = {});

} // namespace lookback::circuit
