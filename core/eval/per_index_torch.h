// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/eval/per_index_table.h"
#include "core/model/transformer_torch.h"
#include "core/progress.h"

namespace lookback::eval {

/// Cross-entropy by entry index of a model in memory, on evaluation sequences 0, 1, ...; memory does not grow with T^2.
/// `step` is only written into the table. Throws Error for an impossible request, Cancelled soon after `stop` was asked
/// for.
PerIndexTable measurePerIndex(const model::Transformer &model, std::int64_t step, const PerIndexRequest &request,
                              const ProgressFunction &progress = {}, std::stop_token stop = {});

} // namespace lookback::eval
