// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/config.h"

namespace lookback::cli {

/// Remaining time of a training whose steps grow dearer along the curriculum: weighs each step by its arithmetic.
class WorkEstimate {
public:
    /// `firstStep`: steps already done when this stretch began.
    WorkEstimate(const RunConfig &config, std::int64_t firstStep);

    /// After `step` steps and `elapsedSeconds` of this stretch; nothing before 10 s or 5 % of it have passed.
    std::optional<double> remainingSeconds(std::int64_t step, double elapsedSeconds) const;

private:
    struct Stage {
        std::int64_t untilStep;
        double stepCost;
    };
    double costUpTo(std::int64_t step) const;

    std::vector<Stage> m_stages;
    std::int64_t m_firstStep;
    std::int64_t m_steps;
};

} // namespace lookback::cli
