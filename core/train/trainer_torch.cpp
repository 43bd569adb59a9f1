// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trainer.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "core/torch_thread.h"
#include "core/train/training_run_torch.h"

namespace lookback::train {

struct Trainer::Private final : public RunControl {
    Private(run::RunFolder folder, const ComputeOptions &options, RunObserver *runObserver, bool evaluate,
            std::shared_ptr<run::RunLock> lock)
        : observer(runObserver ? runObserver : &silent), job{std::move(folder), options, evaluate, std::move(lock)}
    {
    }

    // Fixed for the whole life.
    RunObserver silent;
    RunObserver *const observer;
    const TrainingJob job;

    // Shared, under mutex.
    mutable std::mutex mutex;
    std::condition_variable changed;
    run::RunState current = run::RunState::Queued;
    bool isStarted = false;
    bool isPauseWanted = false;
    bool isStopWanted = false;
    bool isAbortWanted = false;
    bool isSaveWanted = false;
    std::stop_source evaluationStop; // of the evaluation in progress or the last one

    WorkerThread thread; // last: its body uses all of the above

    void setState(run::RunState state, const std::string &reason) override
    {
        {
            const std::scoped_lock lock(mutex);
            if (current == state)
                return;
            current = state;
        }
        observer->stateChanged(state, reason);
    }

    bool waitWhilePaused(const std::function<void()> &onPause) override
    {
        std::unique_lock lock(mutex);
        const auto isWaiting = [this] { return isPauseWanted && !isStopWanted && !isAbortWanted; };
        if (!isWaiting())
            return false;
        const run::RunState before = current;
        current = run::RunState::Paused;
        lock.unlock();
        onPause();
        observer->stateChanged(run::RunState::Paused, {});
        lock.lock();
        changed.wait(lock, [&] { return !isWaiting(); });
        if (isStopWanted || isAbortWanted)
            return true;
        current = before;
        lock.unlock();
        observer->stateChanged(before, {});
        return true;
    }

    bool isStopRequested() const override
    {
        const std::scoped_lock lock(mutex);
        return isStopWanted || isAbortWanted;
    }
    bool isAbortRequested() const override
    {
        const std::scoped_lock lock(mutex);
        return isAbortWanted;
    }
    bool takeSaveRequest() override
    {
        const std::scoped_lock lock(mutex);
        return std::exchange(isSaveWanted, false);
    }
    std::stop_token beginEvaluation() override
    {
        const std::scoped_lock lock(mutex);
        evaluationStop = std::stop_source();
        if (isStopWanted || isAbortWanted)
            evaluationStop.request_stop();
        return evaluationStop.get_token();
    }

    void cancelEvaluation()
    {
        const std::stop_source source = [this] {
            const std::scoped_lock lock(mutex);
            return evaluationStop;
        }();
        source.request_stop(); // without the lock: it calls back
    }

    void ask(bool Private::*wish, bool value)
    {
        {
            const std::scoped_lock lock(mutex);
            this->*wish = value;
        }
        changed.notify_all();
    }
};

Trainer::Trainer(run::RunFolder folder, const ComputeOptions &compute, RunObserver *observer, bool evaluateAtEnd,
                 std::shared_ptr<run::RunLock> lock)
    : d(std::make_unique<Private>(std::move(folder), compute, observer, evaluateAtEnd, std::move(lock)))
{
}

Trainer::~Trainer()
{
    abort();
    wait();
}

void Trainer::start()
{
    {
        const std::scoped_lock lock(d->mutex);
        if (std::exchange(d->isStarted, true))
            return;
    }
    d->thread.start([self = d.get()] { trainRun(self->job, *self, *self->observer); });
}

void Trainer::pause()
{
    d->ask(&Private::isPauseWanted, true);
}

void Trainer::resume()
{
    d->ask(&Private::isPauseWanted, false);
}

void Trainer::requestStop()
{
    d->ask(&Private::isStopWanted, true);
    d->cancelEvaluation();
}

void Trainer::abort()
{
    d->ask(&Private::isAbortWanted, true);
    d->cancelEvaluation();
}

void Trainer::saveNow()
{
    d->ask(&Private::isSaveWanted, true);
}

void Trainer::cancelEvaluation()
{
    d->cancelEvaluation();
}

void Trainer::wait()
{
    d->thread.join();
}

run::RunState Trainer::state() const
{
    const std::scoped_lock lock(d->mutex);
    return d->current;
}

} // namespace lookback::train
