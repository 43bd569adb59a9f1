// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace lookback::testing {

/// Smaller allocations do not fail: the JSON library allocates where it may not throw, so that a program without a
/// few bytes left ends, as by a kill.
inline constexpr std::size_t kLeastFailingBytes = 1536;

/// How calls below the file layer, or allocations, fail. The program that uses this is linked so that its calls of
/// open, write, fsync, close, rename, ftruncate and mkdir come by here first.
enum class FailingCalls {
    None, ///< Calls are counted.
    Once, ///< One of them fails.
    Onwards, ///< That one and all after it fail.
    HalfWrite, ///< That one writes only half if it is a write, and the next write fails.
    Allocation, ///< One allocation of at least kLeastFailingBytes fails; the system's calls don't.
};

/// While it lives, the calls of this thread are counted and fail as asked. Only one at a time.
class CallFaults {
public:
    /// Number `at` (from 0) fails with `systemError`.
    CallFaults(FailingCalls kind, std::int64_t at, int systemError);
    ~CallFaults();
    CallFaults(const CallFaults &) = delete;
    CallFaults &operator=(const CallFaults &) = delete;

    /// Calls (allocations) so far.
    std::int64_t count() const;
};

} // namespace lookback::testing
