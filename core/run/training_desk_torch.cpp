// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/training_desk.h"

#include <algorithm>
#include <utility>

#include "core/json.h"
#include "core/run/run_scan.h"
#include "core/run/training_desk_entry.h"
#include "core/torch_thread.h"

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

// Entry: told by the trainer's thread

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
        desk.post([self = &desk, id] {
            self->refresh(id);
            self->readMetricsOf(id); // a resumed log was cut back to its checkpoint
        });
    }
    // A stop that was asked for meanwhile stays visible.
    const bool isStopShown = snapshot.state == RunState::Stopping && !isEnded(state);
    if (!isStopShown)
        setState(state, reason);
    if (state == RunState::Paused || isEnded(state)) {
        hasPlace = false;
        desk.post([self = &desk] { self->schedule(); });
    }
    if (isEnded(state)) {
        finishEvaluation();
        desk.post([self = &desk, id] { self->reap(id); });
    }
}

void TrainingDesk::Entry::stepFinished(const MetricsRecord &record)
{
    double flopPerSecond = 0.0;
    {
        const Hold hold(desk);
        finishEvaluation(); // one that was cancelled between two steps
        meter.stepFinished(record.step, record.elapsedSeconds.value_or(0.0));
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
    if (record.step > toldStep) {
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
    desk.post([self = &desk, id = snapshot.id] { self->readAccuracyOf(id); });
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

// The desk: called by any thread

TrainingDesk::TrainingDesk(const std::filesystem::path &folder, Surroundings surroundings)
    : m_surroundings(std::move(surroundings)), m_events(m_surroundings.events),
      m_parallelRuns(std::max(1, m_surroundings.cores)), m_tasks({}, [this] { guarded([this] { lookAround(); }); })
{
    openFolder(folder);
}

TrainingDesk::~TrainingDesk()
{
    std::vector<train::Trainer *> trainers;
    std::vector<RunId> waiting;
    {
        const std::scoped_lock lock(m_mutex);
        m_isClosing = true;
    }
    m_tasks.close(); // nobody takes a trainer away from now on
    {
        const std::scoped_lock lock(m_mutex);
        for (auto &[id, entry] : m_entries) {
            if (entry->trainer)
                trainers.push_back(entry->trainer.get());
            else if (entry->isInLine || entry->snapshot.state == RunState::Paused)
                waiting.push_back(id);
        }
    }
    for (train::Trainer *trainer : trainers)
        trainer->requestStop();
    for (train::Trainer *trainer : trainers)
        trainer->wait();
    for (const RunId &id : waiting)
        markStopped(id, "The program was closed before it started.");
}

void TrainingDesk::post(std::function<void()> task)
{
    m_tasks.post([this, task = std::move(task)] { guarded(task); });
}

void TrainingDesk::guarded(const std::function<void()> &task)
{
    try {
        task();
    } catch (...) { // what a task does not expect, such as too little memory, costs that task, never the program
        const Error error = currentError(folder().string());
        const Hold hold(*this);
        refuse({}, error.sentence(), error.details());
    }
}

TrainingDesk::Entry *TrainingDesk::find(const RunId &id)
{
    const auto found = m_entries.find(id);
    return found == m_entries.end() ? nullptr : found->second.get();
}

bool TrainingDesk::isBusy(const Entry &entry) const
{
    return entry.trainer || entry.isInLine || entry.snapshot.state == RunState::Paused;
}

void TrainingDesk::refuse(const RunId &id, const std::string &sentence, const std::string &details)
{
    m_events.noticed({.run = id, .sentence = sentence, .details = details});
}

void TrainingDesk::leaveLine(Entry &entry)
{
    entry.isInLine = false;
    std::erase(m_line, entry.snapshot.id);
}

void TrainingDesk::openFolder(const std::filesystem::path &folder)
{
    const Hold hold(*this);
    m_folder = runIdOf(folder);
    m_hidden.clear();
    post([this, folder = m_folder] { scanFolder(folder); });
}

std::filesystem::path TrainingDesk::folder() const
{
    const std::scoped_lock lock(m_mutex);
    return m_folder;
}

void TrainingDesk::setParallelRuns(int count)
{
    const Hold hold(*this);
    m_parallelRuns = std::max(1, count);
    post([this] { schedule(); });
}

void TrainingDesk::train(const std::vector<TrainRequest> &requests)
{
    const Hold hold(*this);
    m_pendingTasks += static_cast<int>(requests.size());
    for (const TrainRequest &request : requests)
        post([this, folder = m_folder, request] { create(folder, request); });
}

void TrainingDesk::pause(const RunId &id)
{
    const Hold hold(*this);
    Entry *entry = find(id);
    if (!entry)
        return;
    if (entry->isInLine) {
        leaveLine(*entry);
        entry->setState(RunState::Paused);
    } else if (entry->trainer && !isEnded(entry->snapshot.state)) {
        entry->trainer->pause();
    }
}

void TrainingDesk::resume(const RunId &id)
{
    const Hold hold(*this);
    Entry *entry = find(id);
    if (!entry || entry->isInLine)
        return;
    if (entry->trainer && entry->hasPlace) {
        entry->trainer->resume(); // its pause has not begun yet
        return;
    }
    // After what the housekeeping thread has in line: the former trainer may have to be put away first.
    ++m_pendingTasks;
    post([this, id] { enqueue(id); });
}

void TrainingDesk::stop(const RunId &id)
{
    const Hold hold(*this);
    Entry *entry = find(id);
    if (!entry)
        return;
    const bool isWaiting = entry->isInLine || entry->snapshot.state == RunState::Paused;
    leaveLine(*entry);
    if (entry->trainer) {
        if (!isEnded(entry->snapshot.state))
            entry->setState(RunState::Stopping);
        entry->trainer->requestStop();
    } else if (isWaiting) {
        entry->setState(RunState::Stopped, "Stopped while it waited.");
        post([this, id] { markStopped(id, "Stopped while it waited."); });
    }
}

void TrainingDesk::stopAll()
{
    const auto stopKnown = [this] {
        std::vector<RunId> ids;
        {
            const std::scoped_lock lock(m_mutex);
            for (const auto &[id, entry] : m_entries) {
                if (isBusy(*entry))
                    ids.push_back(id);
            }
        }
        for (const RunId &id : ids)
            stop(id);
    };
    stopKnown();
    post(stopKnown); // those whose folders were about to be made
}

void TrainingDesk::saveNow(const RunId &id)
{
    const Hold hold(*this);
    Entry *entry = find(id);
    if (entry && entry->trainer)
        entry->trainer->saveNow();
}

void TrainingDesk::removeFromView(const RunId &id)
{
    const Hold hold(*this);
    Entry *entry = find(id);
    if (!entry)
        return;
    if (isBusy(*entry)) {
        refuse(id, inQuotes(entry->snapshot.name) + " is still training; stop it before you take it out of the list.");
        return;
    }
    m_entries.erase(id);
    m_hidden.insert(id);
    m_events.removed(id);
}

void TrainingDesk::deleteRun(const RunId &id)
{
    post([this, id] { moveToTrash(id); });
}

void TrainingDesk::restoreDeleted()
{
    post([this] { moveBack(); });
}

void TrainingDesk::loadRun(const RunId &id)
{
    post([this, id] {
        readMetricsOf(id);
        readAccuracyOf(id);
    });
}

void TrainingDesk::loadAccuracy(const RunId &id)
{
    post([this, id] { readAccuracyOf(id); });
}

bool TrainingDesk::isActive() const
{
    const std::scoped_lock lock(m_mutex);
    if (m_pendingTasks > 0)
        return true;
    return std::any_of(m_entries.begin(), m_entries.end(), [this](const auto &one) { return isBusy(*one.second); });
}

int TrainingDesk::threadsInUse() const
{
    const std::scoped_lock lock(m_mutex);
    int threads = 0;
    for (const auto &[id, entry] : m_entries)
        threads += entry->hasPlace ? entry->threads : 0;
    return threads;
}

bool TrainingDesk::cancelEvaluation(JobId job)
{
    const Hold hold(*this);
    for (const auto &[id, entry] : m_entries) {
        if (entry->trainer && entry->evaluation.job == job) {
            entry->trainer->cancelEvaluation();
            return true;
        }
    }
    return false;
}

std::vector<RunSnapshot> TrainingDesk::snapshots() const
{
    std::vector<RunSnapshot> all;
    for (const bool isBusyTurn : {true, false}) {
        for (const auto &[id, entry] : m_entries) {
            if (isBusy(*entry) == isBusyTurn)
                all.push_back(entry->snapshot);
        }
    }
    return all;
}

} // namespace lookback::run
