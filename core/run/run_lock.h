// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"

namespace lookback::run {

/// Who writes to a run folder now.
struct LockOwner {
    std::int64_t process = 0; ///< Process id on `host`; 0 if the owner did not say.
    std::string host;
    bool isThisProcess = false;
    bool isWaiting = false; ///< The run is in the owner's queue; its training has not begun.
    std::string words() const; ///< "process 1234 on host-name", "this program".
    std::string sentence() const; ///< "This run is being trained by ..." or "This run waits in the queue of ...".
};

/// Another trainer holds the run; names it.
class RunOccupied : public Error {
public:
    using Error::Error;
};

/// The right to write to a run folder, held while it is trained or waits for it: a lock of the operating system on
/// "run.lock". It ends with the process however that dies, so whether a run lives is found out, never remembered; a
/// reused process number fools nobody. The file stays when the lock is given back.
class RunLock {
public:
    /// Throws RunOccupied naming the owner if another trainer holds it, Error with the reason if the folder
    /// cannot be written.
    explicit RunLock(const std::filesystem::path &folder);
    /// The lock of a run that waits in line; beginTraining() turns it into that of a training. Throws RunOccupied. Null
    /// if the folder cannot be locked, as the training will say when its turn comes, or if few file descriptors are
    /// left, each lock needing one: such a run waits without.
    static std::unique_ptr<RunLock> forQueue(const std::filesystem::path &folder);
    void beginTraining();
    ~RunLock();
    RunLock(RunLock &&other) noexcept;
    RunLock &operator=(RunLock &&other) noexcept;

    /// The owner of the lock, or nothing if the run is not being trained. Only asks; disturbs nobody.
    static std::optional<LockOwner> owner(const std::filesystem::path &folder);

private:
    RunLock(const std::filesystem::path &folder, bool isWaiting);
    void tell(bool isWaiting) const;

    int m_file = -1;
};

} // namespace lookback::run
