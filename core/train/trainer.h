// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/compute.h"
#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/progress.h"
#include "core/run/run_folder.h"

namespace lookback::run {
class RunLock;
}

namespace lookback::train {

/// What a trainer tells while it works. Called from the trainer's thread; quick; may call back nothing but
/// Trainer::requestStop, pause, resume, saveNow, cancelEvaluation and abort.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    virtual void stateChanged(run::RunState, const std::string & /*reason*/) { }
    /// After each step. `record` holds that step's values, also when it is not logged.
    virtual void stepFinished(const run::MetricsRecord & /*record*/) { }
    /// After a line was written to metrics.jsonl.
    virtual void logged(const run::MetricsRecord & /*record*/) { }
    virtual void checkpointWritten(std::int64_t /*step*/) { }
    /// After values that were not finite: what was logged, saved and evaluated after `step` is no part of the run any
    /// more.
    virtual void wentBack(std::int64_t /*step*/) { }
    virtual void evaluationProgressed(const Progress & /*progress*/) { }
    /// After each finished point and at the end; `curve` holds all points so far.
    virtual void evaluated(const eval::AccuracyCurve & /*curve*/) { }
    virtual void failed(const Error & /*error*/) { }
    /// Another trainer holds the run, as `error` says: nothing was begun, read or written. The state is then Stopped.
    virtual void occupied(const Error & /*error*/) { }
    /// All steps are trained, but points that should be there could not be evaluated or kept, as `error` says. Told
    /// before the run becomes Finished.
    virtual void evaluationLost(const Error &error) { noticed(error); }
    /// Something went wrong that does not end the run: a checkpoint or log line that could not be written (it is tried
    /// again), a damaged checkpoint that was passed over, a resume with another thread count.
    virtual void noticed(const Error & /*notice*/) { }
};

/// Trains one run in a thread of its own, from its newest checkpoint if there is one. `lock`, if given, is the run's,
/// held since it began to wait; otherwise the trainer takes it.
///
/// start, pause, resume, requestStop, saveNow, cancelEvaluation and abort return at once, from any thread. wait blocks
/// until the thread has ended; never call it from an observer. The destructor is abort and wait.
class Trainer {
public:
    Trainer(run::RunFolder folder, const ComputeOptions &compute, RunObserver *observer, bool evaluateAtEnd = true,
            std::shared_ptr<run::RunLock> lock = nullptr);
    ~Trainer();
    Trainer(const Trainer &) = delete;
    Trainer &operator=(const Trainer &) = delete;

    void start();
    void pause();
    void resume();
    /// The current step finishes, a checkpoint is written, the state becomes Stopped. A second call changes nothing.
    void requestStop();
    /// Ends soon without a checkpoint of its own.
    void abort();
    /// A checkpoint after the current step.
    void saveNow();
    /// Ends the evaluation in progress, if there is one; the training goes on or, after its last step, is finished.
    void cancelEvaluation();
    void wait();

    run::RunState state() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::train
