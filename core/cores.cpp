// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

#include "core/compute.h"

namespace lookback {

int usableCores()
{
    int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    // "max 100000", or "150000 100000" in a container that grants one core and a half
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string quota;
    std::int64_t period = 0;
    if (file >> quota >> period && quota != "max" && period > 0) {
        std::int64_t microseconds = 0;
        const auto [end, error] = std::from_chars(quota.data(), quota.data() + quota.size(), microseconds);
        if (error == std::errc() && end == quota.data() + quota.size() && microseconds > 0)
            cores = std::min(cores, static_cast<int>(std::max<std::int64_t>(1, (microseconds + period - 1) / period)));
    }
    return cores;
}

} // namespace lookback
