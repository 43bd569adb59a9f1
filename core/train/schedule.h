// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/config.h"

namespace lookback::train {

/// Learning rate of `step` (1-based): linear warm-up learning_rate * step / warmup_steps up to warmup_steps, then a
/// cosine to exactly 0 at the last step. Relative error against the formula below 1e-12.
double learningRateAt(const RunConfig &config, std::int64_t step);

} // namespace lookback::train
