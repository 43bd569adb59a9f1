// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/work_estimate.h"

#include <algorithm>

#include "core/model/variant_registry.h"

namespace lookback::cli {

WorkEstimate::WorkEstimate(const RunConfig &config, std::int64_t firstStep)
    : m_firstStep(firstStep), m_steps(config.steps)
{
    for (const CurriculumStage &stage : config.curriculum)
        m_stages.push_back({stage.until_step, model::trainingStepFlop(config, stage.n_keys)});
    m_stages.push_back({config.steps, model::trainingStepFlop(config, config.n_keys)});
}

double WorkEstimate::costUpTo(std::int64_t step) const
{
    double cost = 0.0;
    std::int64_t from = 0;
    for (const Stage &stage : m_stages) {
        const std::int64_t until = std::min(stage.untilStep, step);
        if (until > from) {
            cost += static_cast<double>(until - from) * stage.stepCost;
            from = until;
        }
    }
    return cost;
}

std::optional<double> WorkEstimate::remainingSeconds(std::int64_t step, double elapsedSeconds) const
{
    const double done = costUpTo(step) - costUpTo(m_firstStep);
    const double all = costUpTo(m_steps) - costUpTo(m_firstStep);
    if (done <= 0.0 || all <= 0.0 || (elapsedSeconds < 10.0 && done < 0.05 * all))
        return std::nullopt;
    return elapsedSeconds * (all - done) / done;
}

} // namespace lookback::cli
