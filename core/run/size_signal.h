// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <csignal>

namespace lookback::run {

/// Writing beyond the process's file size limit raises SIGXFSZ, which ends it by default. While one of these lives, the
/// calling thread gets EFBIG from write instead; errno is kept.
class SizeSignalBlock {
public:
    SizeSignalBlock();
    ~SizeSignalBlock();
    SizeSignalBlock(const SizeSignalBlock &) = delete;
    SizeSignalBlock &operator=(const SizeSignalBlock &) = delete;

private:
    sigset_t m_sizeSignal{};
    sigset_t m_former{};
    bool m_wasPending = false;
};

} // namespace lookback::run
