// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_lock.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run/file.h"

namespace lookback::run {

namespace {

constexpr std::string_view kWaiting = "waiting\n";

std::filesystem::path lockFile(const std::filesystem::path &folder)
{
    return folder / "run.lock";
}

std::string hostName()
{
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "unknown host";
}

/// A lock of the open file description: unlike the older kind it also excludes other holders in this process, and
/// unlike flock() it can be asked for without taking it.
struct flock wholeFile(short type)
{
    struct flock lock { };
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

/// "1234 host-name\n", and "waiting\n" after it for a run in a queue
LockOwner readOwner(int file)
{
    char text[300] = {};
    const ssize_t count = pread(file, text, sizeof text - 1, 0);
    LockOwner owner;
    if (count <= 0)
        return owner;
    const std::string_view line(text, static_cast<std::size_t>(count));
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), owner.process);
    const std::size_t space = line.find(' ');
    const std::size_t stop = line.find('\n');
    if (error == std::errc() && space != std::string_view::npos && stop != std::string_view::npos && stop > space)
        owner.host = line.substr(space + 1, stop - space - 1);
    owner.isWaiting = stop != std::string_view::npos && line.substr(stop + 1) == kWaiting;
    owner.isThisProcess = owner.process == getpid() && owner.host == hostName();
    return owner;
}

} // namespace

std::string LockOwner::words() const
{
    if (isThisProcess)
        return "this program (process " + std::to_string(process) + ")";
    if (process == 0)
        return "another program";
    return "process " + std::to_string(process) + " on " + host;
}

std::string LockOwner::sentence() const
{
    return (isWaiting ? "This run waits in the queue of " : "This run is being trained by ") + words() + ".";
}

RunLock::RunLock(const std::filesystem::path &folder) : RunLock(folder, false) { }

RunLock::RunLock(const std::filesystem::path &folder, bool isWaiting)
{
    const std::filesystem::path path = lockFile(folder);
    m_file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (m_file < 0) {
        throw Error(folder.string(), "The run cannot be continued here: " + systemReason(errno) + ".",
                    "Copy it to a folder that you may write to.");
    }
    struct flock lock = wholeFile(F_WRLCK);
    if (fcntl(m_file, F_OFD_SETLK, &lock) != 0) {
        const int reason = errno;
        const LockOwner owner = readOwner(m_file);
        close(std::exchange(m_file, -1));
        if (reason != EAGAIN && reason != EACCES) {
            throw Error(folder.string(), "The run folder cannot be locked: " + systemReason(reason) + ".",
                        "Copy it to a local disk.");
        }
        throw RunOccupied(folder.string(), owner.sentence(), "Stop it there first; two writers would mix their steps.");
    }
    tell(isWaiting);
}

void RunLock::tell(bool isWaiting) const
{
    std::string line = std::to_string(getpid()) + " " + hostName() + "\n";
    if (isWaiting)
        line += kWaiting;
    // Only for the sentence that another program says; the lock holds without it.
    if (ftruncate(m_file, 0) != 0 || pwrite(m_file, line.data(), line.size(), 0) < 0)
        return;
}

std::unique_ptr<RunLock> RunLock::forQueue(const std::filesystem::path &folder)
{
    constexpr rlim_t kMostRaised = 65536; // the usual soft limit is 1,024, for programs that use select()
    constexpr rlim_t kSpare = 256; // for checkpoints, logs, libraries and the window system
    struct rlimit limit { };
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        if (const rlim_t wanted = std::min(limit.rlim_max, kMostRaised); limit.rlim_cur < wanted) {
            limit.rlim_cur = wanted;
            setrlimit(RLIMIT_NOFILE, &limit);
            getrlimit(RLIMIT_NOFILE, &limit);
        }
    }
    try {
        std::unique_ptr<RunLock> lock(new RunLock(folder, true));
        if (limit.rlim_cur > kSpare && static_cast<rlim_t>(lock->m_file) >= limit.rlim_cur - kSpare)
            lock.reset();
        return lock;
    } catch (const RunOccupied &) {
        throw;
    } catch (const Error &) {
        return nullptr;
    }
}

void RunLock::beginTraining()
{
    tell(false);
}

RunLock::~RunLock()
{
    if (m_file >= 0)
        close(m_file);
}

RunLock::RunLock(RunLock &&other) noexcept : m_file(std::exchange(other.m_file, -1)) { }

RunLock &RunLock::operator=(RunLock &&other) noexcept
{
    std::swap(m_file, other.m_file);
    return *this;
}

std::optional<LockOwner> RunLock::owner(const std::filesystem::path &folder)
{
    const int file = open(lockFile(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return std::nullopt;
    struct flock lock = wholeFile(F_WRLCK);
    std::optional<LockOwner> result;
    if (fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        result = readOwner(file);
    close(file);
    return result;
}

} // namespace lookback::run
