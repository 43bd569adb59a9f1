// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace lookback::testing {

/// While it lives, whoever asks the system for a path below `folder` waits, as for a machine that does not answer; but
/// for the main thread, of which it is remembered what it asked. The program that uses this defines the system's calls
/// itself, so that Qt and the standard library come by here too. One at a time. A program that loads this as a library
/// (LD_PRELOAD) waits from its start on for what the variable LOOKBACK_HANGING_FOLDER names, and its main thread says
/// on standard error what it asked.
class HangingFolder {
public:
    explicit HangingFolder(const std::string &folder);
    ~HangingFolder();
    HangingFolder(const HangingFolder &) = delete;
    HangingFolder &operator=(const HangingFolder &) = delete;

    /// How many threads wait now.
    int waiting() const;
    /// What the main thread asked for, "stat /path\n" each; empty if nothing.
    std::string askedByMainThread() const;
};

} // namespace lookback::testing
