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

// The desk: called by any thread

TrainingDesk::TrainingDesk(const std::filesystem::path &folder, Surroundings surroundings)
    : m_surroundings(std::move(surroundings)), m_events(m_surroundings.events),
      m_parallelRuns(std::max(1, m_surroundings.cores))
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
    m_closing.request_stop(); // long files are not read to their end
    m_order.close();
    std::vector<Place *> places;
    {
        const std::scoped_lock lock(m_placesMutex);
        m_arePlacesClosed = true;
        for (const auto &[folder, place] : m_places)
            places.push_back(place.get());
    }
    for (Place *place : places) { // nobody takes a trainer away from now on
        place->files.close();
        place->logs.close();
    }
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

TrainingDesk::Place &TrainingDesk::placeOf(const std::filesystem::path &folder)
{
    const std::scoped_lock lock(m_placesMutex);
    std::unique_ptr<Place> &place = m_places[folder];
    if (!place) {
        const TaskThread::Task idle = [this, folder] { guarded([&] { lookAround(folder); }); };
        place.reset(new Place{.files = TaskThread({}, idle), .logs = TaskThread()});
        if (m_arePlacesClosed) {
            place->files.close();
            place->logs.close();
        }
    }
    return *place;
}

TrainingDesk::Place &TrainingDesk::placeOfRun(const RunId &id)
{
    return placeOf(std::filesystem::path(id).parent_path());
}

void TrainingDesk::post(TaskThread &thread, std::function<void()> task)
{
    thread.post([this, task = std::move(task)] { guarded(task); });
}

void TrainingDesk::postReadingOf(const RunId &id)
{
    post(placeOfRun(id).logs, [this, id] { readMetricsOf(id); });
}

void TrainingDesk::postSchedule()
{
    post(m_order, [this] { schedule(); });
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
    post(placeOf(m_folder).files, [this, folder = m_folder] { scanFolder(folder); });
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
    postSchedule();
}

void TrainingDesk::train(const std::vector<TrainRequest> &requests)
{
    const Hold hold(*this);
    m_pendingTasks += static_cast<int>(requests.size());
    for (const TrainRequest &request : requests)
        post(placeOf(m_folder).files, [this, folder = m_folder, request] { create(folder, request); });
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
    post(id, [this, id] { enqueue(id); });
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
        post(id, [this, id] { markStopped(id, "Stopped while it waited."); });
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
    std::vector<Place *> places;
    {
        const std::scoped_lock lock(m_placesMutex);
        for (const auto &[folder, place] : m_places)
            places.push_back(place.get());
    }
    for (Place *place : places) // those whose folders were about to be made
        post(place->files, stopKnown);
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
    post(id, [this, id] { moveToTrash(id); });
}

void TrainingDesk::restoreDeleted(const RunId &id)
{
    post(id, [this, id] { moveBack(id); });
}

void TrainingDesk::loadRun(const RunId &id)
{
    postReadingOf(id);
    loadAccuracy(id);
}

void TrainingDesk::loadAccuracy(const RunId &id)
{
    post(id, [this, id] { readAccuracyOf(id); });
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
