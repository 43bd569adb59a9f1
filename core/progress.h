// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lookback {

/// How far a long task is. Immutable value; may be copied across threads.
struct Progress {
    std::string what; ///< What is being done, in words: "n = 128: 66 of 128 sequences".
    std::int64_t done = 0; ///< Units finished, 0..total.
    std::int64_t total = 0; ///< Units in all; 0 while not known.
    double elapsedSeconds = 0.0; ///< Time spent.
    std::optional<double> remainingSeconds = {}; ///< Estimate; empty before 10 s or 5 % have passed.

    bool operator==(const Progress &) const = default;
};

/// Called from the thread that does the work; must return quickly and may not throw.
using ProgressFunction = std::function<void(const Progress &)>;

} // namespace lookback
