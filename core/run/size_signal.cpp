// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/size_signal.h"

#include <cerrno>
#include <ctime>

namespace lookback::run {

SizeSignalBlock::SizeSignalBlock()
{
    sigemptyset(&m_sizeSignal);
    sigaddset(&m_sizeSignal, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    m_wasPending = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &m_sizeSignal, &m_former);
}

SizeSignalBlock::~SizeSignalBlock()
{
    const int savedError = errno;
    const timespec noWait{};
    if (!m_wasPending) {
        while (sigtimedwait(&m_sizeSignal, nullptr, &noWait) == -1 && errno == EINTR) { }
    }
    pthread_sigmask(SIG_SETMASK, &m_former, nullptr);
    errno = savedError;
}

} // namespace lookback::run
