// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/error.h"

namespace lookback {

/// First thing in every thread that computes with LibTorch: loads the CUDA part once (see machineInfo), sets the
/// thread count of this thread and, once per process, one inter-operator thread. Without it a thread would begin with
/// whatever count another thread set last, and the bits of its sums would depend on that.
void enterTorchThread(int threads);

/// Gives the memory that ended work has freed back to the system; the allocator would keep much of it for ever. After
/// a training, an evaluation or a model is done with; costs some milliseconds.
void returnFreedMemory();

/// The exception being handled as one Error; call only inside a catch block. `subject` names the thing that was worked
/// on. An Error passes unchanged; out-of-memory gets a remedy; raw text of LibTorch goes into details().
Error currentError(const std::string &subject);

/// A joinable thread with an 8 MiB stack where the system allows to choose (default stacks differ between systems and
/// a recursive graph needs room). `body` may not throw. Joins in its destructor.
class WorkerThread {
public:
    WorkerThread();
    ~WorkerThread();
    WorkerThread(const WorkerThread &) = delete;
    WorkerThread &operator=(const WorkerThread &) = delete;

    /// Throws Error if the system has no thread to give. Once only.
    void start(std::function<void()> body);
    /// Blocks until the body has returned; does nothing if not started. One caller at a time.
    void join();
    bool isStarted() const;
    /// True if called from the body.
    bool isCurrent() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback
