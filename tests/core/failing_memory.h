// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// A program that includes this once replaces posix_memalign, by which LibTorch takes the memory of its tensors, and
// operator new; both can be made to fail.
#include <atomic>
#include <cerrno>

#include <malloc.h>

namespace lookback::testing {

/// How allocations of at least `leastBytes` fail in this thread. The JSON library allocates some kilobytes where it may
/// not throw: a program without those ends, as by a kill.
struct FailingMemory {
    bool isOn = false;
    std::size_t leastBytes = 1024;
    bool isOnwards = false; ///< Number `at` and all after it, else that one only.
    std::int64_t at = 0;
    std::int64_t count = 0; ///< So far.
};
inline thread_local FailingMemory failingMemory;

/// LibTorch gets no memory in any thread.
inline std::atomic<bool> isTensorMemoryFailing = false;

inline bool allocationFails(std::size_t size)
{
    if (!failingMemory.isOn || size < failingMemory.leastBytes)
        return false;
    const std::int64_t number = failingMemory.count++;
    return number == failingMemory.at || (failingMemory.isOnwards && number > failingMemory.at);
}

} // namespace lookback::testing

extern "C" int posix_memalign(void **memory, std::size_t alignment, std::size_t size) noexcept
{
    using namespace lookback::testing;
    if (allocationFails(size) || (size >= 1024 && isTensorMemoryFailing))
        return ENOMEM;
    *memory = memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

#include "tests/core/replaced_new.h" // needs allocationFails above
