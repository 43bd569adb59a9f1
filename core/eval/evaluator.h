// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "core/compute.h"
#include "core/eval/accuracy.h"
#include "core/progress.h"
#include "core/run/run_folder.h"

namespace lookback::eval {

/// Exact match of a checkpoint at each n, on the evaluation sequences that are the same for every variant.
/// `step` -1 = newest checkpoint. `onPoint` is called after each finished point with the curve so far. Throws Cancelled
/// when `stop` was asked for (finished points were reported), Error for impossible n ("13 digits ...") beforehand.
AccuracyCurve evaluateCheckpoint(const run::RunFolder &folder, std::int64_t step, std::vector<std::int64_t> n_keys,
                                 std::int64_t sequences, const ComputeOptions &compute,
                                 const ProgressFunction &progress = {},
                                 const std::function<void(const AccuracyCurve &)> &onPoint = {},
                                 std::stop_token stop = {});

} // namespace lookback::eval
