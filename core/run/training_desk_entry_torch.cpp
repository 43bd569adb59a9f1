// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What a trainer's thread tells the training desk.
#include "core/run/training_desk_entry.h"

#include <algorithm>

namespace lookback::run {

namespace {

/// More than are logged while a whole log is read from the disk.
constexpr std::size_t kMostLive = 4096;

} // namespace

bool isEnded(RunState state)
{
    return state == RunState::Stopped || state == RunState::Finished || state == RunState::Interrupted
        || state == RunState::Failed;
}

void TrainingDesk::Entry::setState(RunState state, const std::string &reason)
{
    snapshot.state = state;
    snapshot.reason = reason;
    if (state != RunState::Running) {
        snapshot.stepsPerSecond = 0.0;
        snapshot.remainingSeconds.reset();
    }
    tell();
}

void TrainingDesk::Entry::stateChanged(RunState state, const std::string &reason)
{
    const Hold hold(desk);
    if (state == RunState::Initialising) {
        meter = RunMeter(snapshot.record.config);
        live.clear();
        toldStep = 0;
    }
    const RunId id = snapshot.id;
    if (state == RunState::Running) {
        hasPlace = true;
        desk.post(id, [self = &desk, id] { self->refresh(id); });
        desk.postReadingOf(id); // a resumed log was cut back to its checkpoint
    }
    // A stop that was asked for meanwhile stays visible.
    const bool isStopShown = snapshot.state == RunState::Stopping && !isEnded(state);
    if (!isStopShown)
        setState(state, reason);
    if (state == RunState::Paused || isEnded(state)) {
        hasPlace = false;
        desk.postSchedule();
    }
    if (isEnded(state)) {
        finishEvaluation();
        desk.post(id, [self = &desk, id] { self->reap(id); });
    }
}

void TrainingDesk::Entry::stepFinished(const MetricsRecord &record)
{
    double flopPerSecond = 0.0;
    {
        const Hold hold(desk);
        finishEvaluation(); // one that was cancelled between two steps
        meter.stepFinished(record.step, record.n_keys, record.elapsedSeconds.value_or(0.0));
        snapshot.step = record.step;
        snapshot.elapsedSeconds = record.elapsedSeconds.value_or(0.0);
        snapshot.stepsPerSecond = meter.stepsPerSecond();
        snapshot.remainingSeconds = meter.remainingSeconds();
        flopPerSecond = meter.flopPerSecond();
        tell();
    }
    // The record does not change while the trainer works, but for what refresh() reads anew under the mutex.
    if (flopPerSecond > 0.0 && record.step % 16 == 0) {
        RunRecord copy;
        {
            const std::scoped_lock lock(desk.m_mutex);
            copy = snapshot.record;
        }
        desk.m_surroundings.speedSeen(copy, flopPerSecond);
    }
}

void TrainingDesk::Entry::logged(const MetricsRecord &record)
{
    const Hold hold(desk);
    snapshot.last = record;
    live.push_back(record);
    if (live.size() > kMostLive)
        live.pop_front();
    if (record.step > toldStep && !isLogBeingRead) { // else it is told after what is read
        toldStep = record.step;
        desk.m_events.metricsLogged(snapshot.id, record);
    }
    tell();
}

void TrainingDesk::Entry::checkpointWritten(std::int64_t step)
{
    const Hold hold(desk);
    auto &steps = snapshot.checkpointSteps;
    const auto place = std::lower_bound(steps.begin(), steps.end(), step);
    if (place == steps.end() || *place != step)
        steps.insert(place, step);
    snapshot.record.step = step;
    tell();
}

void TrainingDesk::Entry::wentBack(std::int64_t step)
{
    const Hold hold(desk);
    std::erase_if(live, [step](const MetricsRecord &record) { return record.step > step; });
    toldStep = std::min(toldStep, step);
    meter = RunMeter(snapshot.record.config);
    std::erase_if(snapshot.checkpointSteps, [step](std::int64_t kept) { return kept > step; });
    snapshot.step = step;
    desk.postReadingOf(snapshot.id);
    desk.post(snapshot.id, [self = &desk, id = snapshot.id] { self->readAccuracyOf(id); });
    tell();
}

void TrainingDesk::Entry::evaluationProgressed(const Progress &progress)
{
    const Hold hold(desk);
    if (evaluation.job == 0)
        evaluation.job = desk.m_surroundings.nextJob();
    evaluation.run = snapshot.id;
    evaluation.step = snapshot.step;
    evaluation.progress = progress;
    desk.m_events.evaluationChanged(evaluation);
}

void TrainingDesk::Entry::evaluated(const eval::AccuracyCurve &)
{
    const Hold hold(desk);
    desk.post(snapshot.id, [self = &desk, id = snapshot.id] { self->readAccuracyOf(id); });
    if (evaluation.job != 0 && evaluation.progress.done >= evaluation.progress.total)
        finishEvaluation();
}

void TrainingDesk::Entry::finishEvaluation()
{
    if (evaluation.job == 0)
        return;
    evaluation.isFinished = true;
    desk.m_events.evaluationChanged(evaluation);
    evaluation = {};
}

void TrainingDesk::Entry::failed(const Error &error)
{
    const Hold hold(desk);
    desk.m_events.noticed({.run = snapshot.id, .sentence = error.sentence(), .details = error.details()});
}

void TrainingDesk::Entry::occupied(const Error &error)
{
    const Hold hold(desk);
    snapshot.isForeign = true; // reap() looks at it again
    desk.m_events.noticed({.run = snapshot.id, .sentence = error.sentence(), .details = {}});
}

void TrainingDesk::Entry::noticed(const Error &notice)
{
    const Hold hold(desk);
    desk.m_events.noticed({.run = snapshot.id, .sentence = notice.sentence(), .details = notice.details()});
}

} // namespace lookback::run
