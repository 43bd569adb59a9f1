// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the housekeeping thread of the training desk does: folders, files, and who trains next.
#include <algorithm>
#include <system_error>
#include <utility>

#include "core/json.h"
#include "core/run/reference_runs.h"
#include "core/run/metrics_reading.h"
#include "core/run/record_stamp.h"
#include "core/run/run_folder.h"
#include "core/run/run_lock.h"
#include "core/run/run_scan.h"
#include "core/run/thinned_log.h"
#include "core/run/training_desk.h"
#include "core/run/training_desk_entry.h"
#include "core/torch_thread.h"

namespace lookback::run {

namespace fs = std::filesystem;

void TrainingDesk::scanFolder(const fs::path &folder)
{
    std::vector<RunSnapshot> found;
    std::set<RunId> wereBusy;
    {
        const std::scoped_lock lock(m_mutex);
        for (const auto &[id, entry] : m_entries) {
            if (isBusy(*entry))
                wereBusy.insert(id);
        }
    }
    try {
        found = scanRuns(folder);
    } catch (...) {
        const Error error = currentError(folder.string());
        const Hold hold(*this);
        refuse({}, error.sentence(), error.details());
    }
    const Hold hold(*this);
    if (m_folder != folder)
        return; // another one was opened while this one did not answer
    std::map<RunId, std::unique_ptr<Entry>> entries;
    for (auto &[id, entry] : m_entries) {
        if (wereBusy.contains(id) || isBusy(*entry)) // they go on, and what was read of them may be old by now
            entries.emplace(id, std::move(entry));
    }
    for (RunSnapshot &snapshot : found) {
        if (entries.contains(snapshot.id))
            continue;
        const RunId id = snapshot.id;
        auto entry = std::make_unique<Entry>(*this, std::move(snapshot));
        entry->device = entry->snapshot.record.device;
        entry->threads = entry->snapshot.record.threads;
        entries.emplace(id, std::move(entry));
    }
    m_entries = std::move(entries);
    m_events.listReplaced(snapshots());
}

void TrainingDesk::addReferenceRuns()
{
    const Hold hold(*this);
    post(placeOf(m_folder).files, [this, folder = fs::path(m_folder)] {
        const fs::path from = referenceRunsFolder();
        if (from.empty())
            throw Error("reference-runs", "The runs that come with Lookback are not installed.",
                        "Install Lookback whole, or make them with \"make reference-runs\".");
        if (copyRuns(from, folder).empty())
            throw Error(folder.string(), "The runs that come with Lookback are all in this folder already.");
        scanFolder(folder);
    });
}

void TrainingDesk::create(const fs::path &folder, const TrainRequest &request)
{
    std::string name = request.name;
    if (name.empty())
        name = request.config.variant + "-seed" + std::to_string(request.config.seed);
    try {
        const std::vector<ConfigProblem> problems = m_surroundings.problemsOf(request);
        if (!problems.empty())
            throw Error(name, problems.front().field + ": " + problems.front().message);
        const RunRecord record = newRunRecord(request.config, request.preset, request.device, request.threads);
        const RunFolder run = RunFolder::create(folder, name, record);
        std::shared_ptr<RunLock> lock = RunLock::forQueue(run.path());
        RunSnapshot snapshot;
        snapshot.id = runIdOf(run.path());
        snapshot.name = run.name();
        snapshot.record = record;
        auto entry = std::make_unique<Entry>(*this, std::move(snapshot));
        entry->device = request.device;
        entry->threads = request.threads;
        entry->isEvaluatedAtEnd = request.evaluateAtEnd;
        entry->isInLine = true;
        entry->lock = std::move(lock);

        const Hold hold(*this);
        --m_pendingTasks;
        m_line.push_back(entry->snapshot.id);
        entry->tell();
        const RunId id = entry->snapshot.id;
        m_entries[id] = std::move(entry);
    } catch (...) {
        const Error error = currentError(name);
        const Hold hold(*this);
        --m_pendingTasks;
        refuse({}, error.sentence(), error.details());
    }
    schedule();
}

void TrainingDesk::enqueue(const RunId &id)
{
    bool isLockNeeded = false;
    {
        const std::scoped_lock lock(m_mutex);
        const Entry *entry = find(id);
        isLockNeeded = entry && !entry->trainer && !entry->lock && entry->snapshot.isReadable
            && entry->snapshot.state != RunState::Finished && entry->snapshot.record.origin == RunOrigin::Lookback;
    }
    std::shared_ptr<RunLock> lock;
    std::optional<Error> refusal;
    if (isLockNeeded) { // from now on, so that no other program takes a run that waits here
        try {
            lock = RunLock::forQueue(id);
        } catch (const RunOccupied &error) {
            refusal = error;
            lookAgain(id);
        }
    }
    {
        const Hold hold(*this);
        --m_pendingTasks;
        Entry *entry = find(id);
        if (!entry)
            return;
        entry->tell(); // whoever asks isActive() hears that this is settled
        if (entry->isInLine || (entry->trainer && entry->snapshot.state != RunState::Paused))
            return;
        if (!entry->snapshot.isReadable) {
            refuse(id, entry->snapshot.reason);
            return;
        }
        if (refusal) {
            refuse(id, inQuotes(entry->snapshot.name) + ": " + refusal->message() + " " + refusal->remedy());
            return;
        }
        if (entry->snapshot.state == RunState::Finished)
            return;
        entry->isInLine = true;
        if (lock)
            entry->lock = std::move(lock);
        entry->snapshot.isForeign = false;
        m_line.push_back(id);
        entry->setState(RunState::Queued);
    }
    schedule();
}

void TrainingDesk::schedule()
{
    while (true) {
        const Hold hold(*this);
        if (m_isClosing || m_line.empty())
            return;
        int active = 0;
        int threads = 0;
        for (const auto &[id, entry] : m_entries) {
            active += entry->hasPlace ? 1 : 0;
            threads += entry->hasPlace ? entry->threads : 0;
        }
        Entry *entry = find(m_line.front());
        if (!entry) {
            m_line.pop_front();
            continue;
        }
        const bool hasRoom =
            active < m_parallelRuns && threads + entry->threads <= std::max(m_parallelRuns, m_surroundings.cores);
        if (active > 0 && !hasRoom)
            return;
        leaveLine(*entry);
        entry->hasPlace = true;
        if (entry->trainer) {
            entry->trainer->resume();
            continue;
        }
        try {
            entry->trainer = std::make_unique<train::Trainer>(RunFolder(entry->snapshot.id),
                                                              ComputeOptions{entry->device, entry->threads}, entry,
                                                              entry->isEvaluatedAtEnd, std::move(entry->lock));
            entry->trainer->start();
        } catch (...) {
            const Error error = currentError(entry->snapshot.name);
            entry->trainer.reset();
            entry->hasPlace = false;
            entry->setState(RunState::Failed, error.sentence());
        }
    }
}

void TrainingDesk::reap(const RunId &id)
{
    train::Trainer *trainer = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        Entry *entry = find(id);
        if (!entry || !entry->trainer || !isEnded(entry->snapshot.state))
            return;
        trainer = entry->trainer.get(); // only this thread takes it away
    }
    trainer->wait();
    bool isForeign = false;
    {
        const std::scoped_lock lock(m_mutex);
        isForeign = find(id)->snapshot.isForeign;
    }
    if (isForeign)
        lookAgain(id);
    else
        refresh(id);
    std::unique_ptr<train::Trainer> ended;
    {
        const Hold hold(*this);
        Entry *entry = find(id);
        ended = std::move(entry->trainer);
        entry->tell(); // only now it counts as quiet
    }
    ended.reset();
    schedule();
}

void TrainingDesk::refresh(const RunId &id)
{
    try {
        const RunFolder run(id);
        RunRecord record = run.readRecord();
        std::vector<std::int64_t> steps;
        for (const CheckpointInfo &info : run.checkpoints())
            steps.push_back(info.step);
        const Hold hold(*this);
        Entry *entry = find(id);
        if (!entry)
            return;
        entry->snapshot.record = std::move(record);
        entry->snapshot.checkpointSteps = std::move(steps);
        entry->tell();
    } catch (...) {
        const Error error = currentError(id);
        const Hold hold(*this);
        refuse(id, error.sentence(), error.details());
    }
}

void TrainingDesk::lookAgain(const RunId &id)
{
    RunSnapshot snapshot = scanRun(id);
    const Hold hold(*this);
    Entry *entry = find(id);
    if (!entry)
        return;
    entry->snapshot = std::move(snapshot);
    entry->tell();
}

void TrainingDesk::readMetricsOf(const RunId &id)
{
    const auto isWanted = [this, &id] { return !m_closing.stop_requested() && find(id); }; // under the mutex
    {
        const std::scoped_lock lock(m_mutex);
        if (!isWanted())
            return;
        find(id)->isLogBeingRead = true;
    }
    std::int64_t told = 0;
    std::vector<std::string> notes;
    try {
        notes = readMetricsInPieces(RunFolder(id).metricsFile(), ThinnedLog::kMost,
                                    [&](std::span<const MetricsRecord> records, bool isWhole) {
                                        const Hold hold(*this);
                                        if (!isWanted())
                                            return false;
                                        m_events.metricsRead(id, records, isWhole);
                                        told = records.empty() ? (isWhole ? 0 : told) : records.back().step;
                                        return true;
                                    });
    } catch (const Cancelled &) {
    } catch (...) {
        notes = {currentError(id).sentence()};
    }
    const Hold hold(*this);
    Entry *entry = find(id);
    if (!entry)
        return;
    entry->isLogBeingRead = false;
    entry->toldStep = told;
    for (const MetricsRecord &record : entry->live) { // logged while the file was read
        if (record.step <= entry->toldStep)
            continue;
        entry->toldStep = record.step;
        m_events.metricsLogged(id, record);
    }
    for (const std::string &note : notes)
        refuse(id, note);
}

void TrainingDesk::readAccuracyOf(const RunId &id)
{
    try {
        std::vector<eval::AccuracyCurve> curves = RunFolder(id).readAccuracy();
        const Hold hold(*this);
        if (find(id))
            m_events.accuracyLoaded(id, std::move(curves));
    } catch (...) {
        const Error error = currentError(id);
        const Hold hold(*this);
        refuse(id, error.sentence(), error.details());
    }
}

void TrainingDesk::markStopped(const RunId &id, const std::string &reason)
{
    try {
        const RunFolder run(id);
        RunRecord record = run.readRecord();
        record.state = RunState::Stopped;
        record.endReason = reason;
        record.ended = currentTime();
        run.writeRecord(record);
    } catch (...) {
        const Error error = currentError(id);
        const Hold hold(*this);
        refuse(id, error.sentence(), error.details());
    }
    std::shared_ptr<RunLock> ended; // given back without the mutex
    const std::scoped_lock lock(m_mutex);
    Entry *entry = find(id);
    if (entry && !entry->isInLine && !entry->trainer)
        ended = std::move(entry->lock);
}

} // namespace lookback::run
