// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/peak_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace lookback::bench {

namespace {

/// A line of /proc/self/status in bytes; 0 if there is none.
double statusBytes(const std::string &name)
{
    constexpr double kKiB = 1024.0;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with(name + ":"))
            continue;
        const std::size_t digits = line.find_first_of("0123456789");
        double value = 0.0;
        if (digits != std::string::npos)
            std::from_chars(line.data() + digits, line.data() + line.size(), value);
        return value * kKiB;
    }
    return 0.0;
}

} // namespace

PeakMemory::PeakMemory()
{
    std::ofstream reset("/proc/self/clear_refs");
    reset << "5\n"; // the peak begins anew
    reset.flush();
    m_isKnown = reset.good();
    m_before = statusBytes("VmRSS");
}

double PeakMemory::peak() const
{
    return m_isKnown ? statusBytes("VmHWM") : 0.0;
}

double PeakMemory::added() const
{
    return m_isKnown ? std::max(0.0, peak() - m_before) : 0.0;
}

} // namespace lookback::bench
