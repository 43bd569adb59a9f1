// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_meter.h"

#include <algorithm>
#include <cmath>

#include "core/model/variant_registry.h"

namespace lookback::run {

RunMeter::RunMeter(const RunConfig &config)
{
    std::int64_t done = 0;
    for (const CurriculumStage &stage : config.curriculum) {
        const std::int64_t until = std::min(stage.until_step, config.steps);
        if (until > done)
            m_stages.push_back({stage.n_keys, until, model::trainingStepFlop(config, stage.n_keys)});
        done = std::max(done, until);
    }
    if (config.steps > done)
        m_stages.push_back({config.n_keys, config.steps, model::trainingStepFlop(config, config.n_keys)});
}

void RunMeter::enterStage(std::int64_t step, std::int64_t n_keys)
{
    while (m_stage + 1 < m_stages.size() && step > m_stages[m_stage].until)
        ++m_stage;
    // Accuracy may have ended stages before their step.
    const auto isOfThem = [n_keys](const Stage &stage) { return stage.n_keys == n_keys; };
    const auto present = m_stages.begin() + static_cast<std::ptrdiff_t>(m_stage);
    const auto found = std::find_if(present, m_stages.end(), isOfThem);
    if (found != m_stages.end())
        m_stage = static_cast<std::size_t>(found - m_stages.begin());
}

void RunMeter::stepFinished(std::int64_t step, std::int64_t n_keys, double elapsedSeconds)
{
    if (m_stages.empty())
        return;
    enterStage(step, n_keys);
    if (m_firstStep == 0) {
        // The first step of a session warms caches up; it only sets the mark.
        m_firstStep = m_step = step;
        m_firstSeconds = m_seconds = elapsedSeconds;
        return;
    }
    const double seconds = elapsedSeconds - m_seconds;
    const auto steps = static_cast<double>(step - m_step);
    if (seconds <= 0.0 || steps <= 0.0)
        return;
    // The process was stopped or its machine stood still: that says nothing about the speed.
    constexpr double kShortestGap = 30.0;
    constexpr double kGapInSteps = 20.0;
    if (m_stepsPerSecond > 0.0 && seconds > kShortestGap && seconds * m_stepsPerSecond > kGapInSteps * steps) {
        m_firstSeconds += seconds;
        m_step = step;
        m_seconds = elapsedSeconds;
        return;
    }
    const double rate = steps / seconds;
    const double flopRate = rate * m_stages[m_stage].flopPerStep;
    // Forgets within about 5 s, however long a step is.
    const double weight = m_stepsPerSecond > 0.0 ? 1.0 - std::exp(-seconds / 5.0) : 1.0;
    m_stepsPerSecond += weight * (rate - m_stepsPerSecond);
    m_flopPerSecond += weight * (flopRate - m_flopPerSecond);
    m_step = step;
    m_seconds = elapsedSeconds;
}

std::optional<double> RunMeter::remainingSeconds() const
{
    if (m_stages.empty() || m_flopPerSecond <= 0.0)
        return std::nullopt;
    const std::int64_t steps = m_stages.back().until;
    const bool isSettled = m_seconds - m_firstSeconds >= 10.0 || (m_step - m_firstStep) * 20 >= steps;
    if (!isSettled)
        return std::nullopt;
    return flopAfter(m_step) / m_flopPerSecond;
}

double RunMeter::flopAfter(std::int64_t step) const
{
    double flop = 0.0;
    for (std::size_t i = m_stage; i < m_stages.size(); ++i) {
        const Stage &stage = m_stages[i];
        if (stage.until > step) {
            flop += static_cast<double>(stage.until - step) * stage.flopPerStep;
            step = stage.until;
        }
    }
    return flop;
}

double trainingFlop(const RunConfig &config)
{
    return RunMeter(config).flopAfter(0);
}

} // namespace lookback::run
