// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/config.h"

namespace lookback::train {

/// Notices that a training does not get away from guessing: from the end of the warm-up, but not before a fifth of the
/// steps, scored digits are counted in blocks of at least kDigits digits and kSteps steps; a block with at most
/// kShare of its digits right is as good as chance, which is one in ten.
class ChanceWatch {
public:
    static constexpr double kShare = 0.12;
    static constexpr std::int64_t kDigits = 2000; ///< Three standard errors of chance are then 2 percentage points.
    static constexpr std::int64_t kSteps = 20;

    ChanceWatch() = default;
    explicit ChanceWatch(const RunConfig &config);

    /// After each finished step: `digits` were scored, the share `digitAccuracy` of them is right. The share of the
    /// first block that is no better than chance, once in this object's life.
    std::optional<double> stepFinished(std::int64_t step, std::int64_t digits, double digitAccuracy);

private:
    std::int64_t m_firstStep = 0;
    std::int64_t m_steps = 0; ///< Of the present block.
    std::int64_t m_digits = 0;
    double m_right = 0.0;
    bool m_isTold = false;
};

} // namespace lookback::train
