// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/failing_calls.h"

#include <cerrno>
#include <cstdarg>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/core/replaced_new.h"

namespace lookback::testing {

namespace {

struct State {
    FailingCalls kind = FailingCalls::None;
    bool isOn = false;
    std::int64_t at = 0;
    int systemError = 0;
    std::int64_t calls = 0;
    std::int64_t allocations = 0;
    bool isNextWriteFailing = false;
};
thread_local State state;

/// Whether this call of the system is to fail; sets errno then.
bool failsNow()
{
    if (!state.isOn)
        return false;
    const std::int64_t call = state.calls++;
    const bool fails = (state.kind == FailingCalls::Once && call == state.at)
        || (state.kind == FailingCalls::Onwards && call >= state.at);
    if (fails)
        errno = state.systemError;
    return fails;
}

} // namespace

bool allocationFails(std::size_t size)
{
    if (!state.isOn || size < lookback::testing::kLeastFailingBytes)
        return false;
    const std::int64_t allocation = state.allocations++;
    return state.kind == FailingCalls::Allocation && allocation == state.at;
}

CallFaults::CallFaults(FailingCalls kind, std::int64_t at, int systemError)
{
    state = {};
    state.kind = kind;
    state.at = at;
    state.systemError = systemError;
    state.isOn = true;
}

CallFaults::~CallFaults()
{
    state.isOn = false;
}

std::int64_t CallFaults::count() const
{
    return state.kind == FailingCalls::Allocation ? state.allocations : state.calls;
}

} // namespace lookback::testing

using lookback::testing::FailingCalls;

extern "C" {

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *bytes, size_t count);
int __real_close(int file);
int __real_rename(const char *from, const char *to);
int __real_ftruncate(int file, off_t length);
int __real_mkdir(const char *path, mode_t mode);

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return lookback::testing::failsNow() ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    auto &state = lookback::testing::state;
    const bool isHalf = state.isOn && state.kind == FailingCalls::HalfWrite && state.calls == state.at;
    if (lookback::testing::failsNow())
        return -1;
    if (state.isOn && state.isNextWriteFailing) {
        state.isNextWriteFailing = false;
        errno = state.systemError;
        return -1;
    }
    state.isNextWriteFailing = isHalf;
    return __real_write(file, bytes, isHalf ? count / 2 : count);
}

int __wrap_fsync(int file)
{
    (void)file; // what survives a power cut is not tried here, and thousands of flushes would take minutes
    return lookback::testing::failsNow() ? -1 : 0;
}

int __wrap_close(int file)
{
    // The descriptor is gone either way, as with the real one.
    const int result = __real_close(file);
    return lookback::testing::failsNow() ? -1 : result;
}

int __wrap_rename(const char *from, const char *to)
{
    return lookback::testing::failsNow() ? -1 : __real_rename(from, to);
}

int __wrap_ftruncate(int file, off_t length)
{
    return lookback::testing::failsNow() ? -1 : __real_ftruncate(file, length);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    return lookback::testing::failsNow() ? -1 : __real_mkdir(path, mode);
}

} // extern "C"
