// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/config.h"

namespace lookback::run {

/// Speed and remaining time of a training. Counts work in FLOP, because the steps of a later curriculum stage take
/// longer; the time of the last steps is smoothed, so that the figures stay calm.
class RunMeter {
public:
    RunMeter() = default;
    explicit RunMeter(const RunConfig &config);

    /// A step on sequences of `n_keys` ended; `elapsedSeconds` is training time without pauses. Steps rise.
    void stepFinished(std::int64_t step, std::int64_t n_keys, double elapsedSeconds);

    double stepsPerSecond() const { return m_stepsPerSecond; }
    double flopPerSecond() const { return m_flopPerSecond; }
    /// Empty before 10 s of this session or 5 % of the run have passed.
    std::optional<double> remainingSeconds() const;

    /// FLOP of the steps after `step` up to the last. Stages yet to come that accuracy may end count to their latest
    /// end.
    double flopAfter(std::int64_t step) const;

private:
    struct Stage {
        std::int64_t n_keys = 0;
        std::int64_t until = 0; ///< Last step, at the latest.
        double flopPerStep = 0.0;
    };
    void enterStage(std::int64_t step, std::int64_t n_keys);

    std::vector<Stage> m_stages; ///< Ascending; the last one ends at the last step.
    std::size_t m_stage = 0; ///< Of the last step.
    std::int64_t m_firstStep = 0; ///< Of this session; 0 before it.
    std::int64_t m_step = 0;
    double m_firstSeconds = 0.0;
    double m_seconds = 0.0;
    double m_stepsPerSecond = 0.0;
    double m_flopPerSecond = 0.0;
};

/// Nominal work of the whole training.
double trainingFlop(const RunConfig &config);

} // namespace lookback::run
