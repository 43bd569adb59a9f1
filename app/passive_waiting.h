// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>

#include <unistd.h>

namespace lookback {

/// Makes OpenMP threads sleep instead of spin while they wait: several runs that spin on few cores slow each other down
/// tenfold (specs/training.md). libgomp reads OMP_WAIT_POLICY when it is loaded, before main, so the program starts
/// itself once more with it set. A value that the user chose is kept. Call it first thing in main, before any thread
/// exists. Where starting anew is impossible the program goes on as it is, only slower.
inline void ensurePassiveWaiting(char **argv)
{
    if (std::getenv("OMP_WAIT_POLICY") != nullptr)
        return; // the user's choice, or set by us a moment ago
    if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
        execv("/proc/self/exe", argv);
}

} // namespace lookback
