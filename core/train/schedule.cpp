// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lookback::train {

double learningRateAt(const RunConfig &config, std::int64_t step)
{
    if (step <= 0)
        return config.warmup_steps > 0 ? 0.0 : config.learning_rate;
    if (step < config.warmup_steps)
        return config.learning_rate * static_cast<double>(step) / static_cast<double>(config.warmup_steps);
    if (step == config.warmup_steps)
        return config.learning_rate;
    if (step >= config.steps)
        return 0.0;
    std::int64_t fallFrom = config.warmup_steps;
    if (config.decay_start > 0.0)
        fallFrom += std::llround(config.decay_start * static_cast<double>(config.steps - config.warmup_steps));
    if (step <= fallFrom)
        return config.learning_rate;
    // The formula as published, evaluated as written: near the end its cancellation (2e-9 of a rate of 1e-8 of the
    // peak) is part of the published numbers.
    const double progress = static_cast<double>(step - fallFrom) / static_cast<double>(config.steps - fallFrom);
    return config.learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

std::int64_t warmupFor(std::int64_t steps, std::int64_t usual)
{
    return std::min(usual, std::max<std::int64_t>(0, steps / 10));
}

} // namespace lookback::train
