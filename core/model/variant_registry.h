// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/model/variant_info.h"

namespace lookback::model {

/// All variants in picker order: those of variants.def, then those added at run time.
std::vector<VariantInfo> variants();

/// Throws Error that lists the known ids, near ones first.
VariantInfo variantInfo(std::string_view id);

/// problemsOf(config) plus what only the variant knows (unknown id, odd rotated width, head width for KDA, ...).
std::vector<ConfigProblem> problemsOfRun(const RunConfig &config);

/// Throws Error with the first problem of problemsOfRun.
void requireRunnable(const RunConfig &config);

/// Number of trainable parameters of that configuration, without building it.
std::int64_t parameterCount(const RunConfig &config);

/// Nominal floating-point operations of one training step at n unique keys (forward and backward: three times the
/// forward products; the masked half of full attention counted; 115 GFLOP for the paper configuration at n = 8).
double trainingStepFlop(const RunConfig &config, std::int64_t n_keys);

} // namespace lookback::model
