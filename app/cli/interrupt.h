// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <thread>

namespace lookback::cli {

/// Ctrl-C (SIGINT), SIGTERM and SIGHUP while it lives: the first asks for a stop through token(), the second ends the
/// program at once with 128 + its number. Signals that were ignored when the program started (nohup) stay ignored.
/// SIGPIPE is ignored meanwhile, so that a closed terminal or pager never costs a checkpoint.
/// One at a time, made and destroyed on the main thread.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

    std::stop_token token() const { return m_stop.get_token(); }
    /// True after the first signal.
    bool isAsked() const { return m_stop.stop_requested(); }
    /// Nothing is left that a signal could cut short: from now on signals are ignored, so that the last words are said.
    void settle();
    /// 128 + the number of the first signal; 0 if there was none.
    int exitCode() const;

private:
    std::stop_source m_stop;
    int m_readEnd = -1; ///< Of the pipe that the signal handler writes to.
    std::thread m_watcher;
};

/// Interrupt::exitCode() of the newest one, also when it is gone: for whoever hears of the stop later.
int exitCodeOfSignal();

} // namespace lookback::cli
