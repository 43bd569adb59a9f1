// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.h"

namespace lookback::cli {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// Some senders deliver one Ctrl-C twice (to the process and to its group, as `timeout` does); a person needs longer.
constexpr std::int64_t kOneKeystrokeNanoseconds = 150'000'000;

// Touched by the signal handler, hence static, atomic and lock-free.
std::atomic<int> g_firstSignal{0};
std::atomic<std::int64_t> g_firstTime{0};
std::atomic<int> g_wakeDescriptor{-1};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::array<struct sigaction, kSignals.size()> g_formerActions;
struct sigaction g_formerPipeAction;

std::int64_t nanosecondsNow()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void writeAll(int descriptor, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = write(descriptor, text.data(), text.size());
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

extern "C" void handleSignal(int number)
{
    const int formerErrno = errno;
    int none = 0;
    if (g_firstSignal.compare_exchange_strong(none, number)) {
        g_firstTime.store(nanosecondsNow());
        writeAll(g_wakeDescriptor.load(), "s");
    } else if (nanosecondsNow() - g_firstTime.load() > kOneKeystrokeNanoseconds) {
        writeAll(STDERR_FILENO, "\nStopped at once; what was saved before is kept.\n");
        _exit(128 + number);
    }
    errno = formerErrno;
}

} // namespace

Interrupt::Interrupt()
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error("Signals", "No pipe for Ctrl-C could be made.", "Close some programs and try again.");
    m_readEnd = ends[0];
    g_firstSignal.store(0);
    g_wakeDescriptor.store(ends[1]);

    sigset_t all; // the watcher leaves signals to the main thread, whose system calls they then interrupt
    sigset_t former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    m_watcher = std::thread([this] {
        char byte = 0;
        while (read(m_readEnd, &byte, 1) < 0 && errno == EINTR) { }
        if (byte == 's')
            m_stop.request_stop();
    });
    pthread_sigmask(SIG_SETMASK, &former, nullptr);

    struct sigaction action { };
    action.sa_handler = handleSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &g_formerActions[i]);
        if (g_formerActions[i].sa_handler != SIG_IGN)
            sigaction(kSignals[i], &action, nullptr);
    }
    struct sigaction ignore { };
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &g_formerPipeAction);
}

void Interrupt::settle()
{
    struct sigaction ignore { };
    ignore.sa_handler = SIG_IGN;
    for (const int number : kSignals)
        sigaction(number, &ignore, nullptr);
}

Interrupt::~Interrupt()
{
    // After a stop the program is about to end, and another Ctrl-C would only cut its exit code off.
    if (g_firstSignal.load() != 0) {
        settle();
    } else {
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            sigaction(kSignals[i], &g_formerActions[i], nullptr);
    }
    sigaction(SIGPIPE, &g_formerPipeAction, nullptr);
    const int descriptor = g_wakeDescriptor.exchange(-1);
    writeAll(descriptor, "q"); // ends the watcher if no signal has
    m_watcher.join();
    close(m_readEnd); // only now: a pipe without a reader would kill with SIGPIPE
    close(descriptor);
}

int Interrupt::exitCode() const
{
    return exitCodeOfSignal();
}

int exitCodeOfSignal()
{
    const int number = g_firstSignal.load();
    return number == 0 ? 0 : 128 + number;
}

} // namespace lookback::cli
