// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/progress.h"

namespace lookback::circuit {

/// Tells a ProgressFunction how far equal units of work are, with the remaining time as Progress defines it.
class WorkMeter {
public:
    /// `function` may be empty; it must outlive the meter.
    WorkMeter(std::int64_t total, const ProgressFunction &function) : m_function(function), m_total(total) { }

    /// `done` units of the total are finished; `what` is said of them.
    void report(std::int64_t done, const std::string &what) const
    {
        if (!m_function)
            return;
        Progress progress{.what = what, .done = done, .total = m_total};
        progress.elapsedSeconds = std::chrono::duration<double>(Clock::now() - m_begin).count();
        if (done > 0 && (progress.elapsedSeconds >= 10.0 || done * 20 >= m_total))
            progress.remainingSeconds =
                progress.elapsedSeconds * static_cast<double>(m_total - done) / static_cast<double>(done);
        m_function(progress);
    }

private:
    using Clock = std::chrono::steady_clock;

    const ProgressFunction &m_function;
    std::int64_t m_total;
    Clock::time_point m_begin = Clock::now();
};

} // namespace lookback::circuit
