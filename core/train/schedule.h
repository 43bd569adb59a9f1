// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/config.h"

namespace lookback::train {

/// Learning rate of `step` (1-based): linear warm-up learning_rate * step / warmup_steps up to warmup_steps, then a
/// cosine learning_rate * (1 + cos(pi * p)) / 2, p = (step - warmup_steps) / (steps - warmup_steps), to exactly 0 at
/// the last step and after it. With decay_start the rate first stays at its largest for that share of the steps after
/// the warm-up (rounded), and the cosine takes the steps that are left. Within 1e-12 of the published table
/// (tests/fixtures/task.json).
double learningRateAt(const RunConfig &config, std::int64_t step);

/// Warm-up of a training of `steps` steps where nobody chose one and `usual` belongs to the full training: `usual`, but
/// at most a tenth of the steps. Every preset's own warm-up is less than that of its own steps.
std::int64_t warmupFor(std::int64_t steps, std::int64_t usual);

} // namespace lookback::train
