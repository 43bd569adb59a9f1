// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/chance_watch.h"

#include <algorithm>

namespace lookback::train {

ChanceWatch::ChanceWatch(const RunConfig &config) : m_firstStep(std::max(config.warmup_steps, config.steps / 5) + 1) { }

std::optional<double> ChanceWatch::stepFinished(std::int64_t step, std::int64_t digits, double digitAccuracy)
{
    if (m_isTold || step < m_firstStep)
        return std::nullopt;
    ++m_steps;
    m_digits += digits;
    m_right += digitAccuracy * static_cast<double>(digits);
    if (m_steps < kSteps || m_digits < kDigits)
        return std::nullopt;
    const double share = m_right / static_cast<double>(m_digits);
    m_steps = m_digits = 0;
    m_right = 0.0;
    if (share > kShare)
        return std::nullopt;
    m_isTold = true;
    return share;
}

} // namespace lookback::train
