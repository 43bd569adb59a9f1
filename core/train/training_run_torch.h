// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/compute.h"
#include "core/run/run_folder.h"
#include "core/train/trainer.h"

namespace lookback::train {

/// What a training thread is to do.
struct TrainingJob {
    run::RunFolder folder;
    ComputeOptions compute;
    bool evaluateAtEnd = true;
    std::shared_ptr<run::RunLock> lock; ///< Null: taken when the training begins.
};

/// The wishes of other threads, as the training thread asks for them.
class RunControl {
public:
    virtual ~RunControl() = default;
    /// States the new state to everybody; does nothing if it is not new.
    virtual void setState(run::RunState state, const std::string &reason) = 0;
    /// Blocks while a pause is wanted, after one call of `onPause`; a stop or an abort ends the pause. True if it
    /// paused.
    virtual bool waitWhilePaused(const std::function<void()> &onPause) = 0;
    virtual bool isStopRequested() const = 0; ///< Stop or abort.
    virtual bool isAbortRequested() const = 0;
    virtual bool takeSaveRequest() = 0;
    /// A new token for one evaluation; a stop, an abort and a wish to cancel the evaluation request it.
    virtual std::stop_token beginEvaluation() = 0;
};

/// Trains the run of that folder in the calling thread: from its newest checkpoint or from the start, to its last step
/// or until it is stopped (specs/training.md). Throws nothing: what goes wrong ends in the state Failed.
void trainRun(const TrainingJob &job, RunControl &control, RunObserver &observer);

} // namespace lookback::train
