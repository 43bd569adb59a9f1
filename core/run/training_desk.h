// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/run/event_queue.h"
#include "core/run/run_meter.h"
#include "core/run/task_thread.h"
#include "core/train/trainer.h"

namespace lookback::run {

/// The runs of a runs folder and their trainers: the list, the line of those that wait, and what is done to folders.
///
/// Every function returns at once, from any thread; disk work is done by housekeeping threads, training by the
/// trainers' own threads. Each folder that holds runs has housekeeping threads of its own: one that does not answer
/// holds up only what lies in it. What happens goes into the EventQueue.
class TrainingDesk {
public:
    struct Surroundings {
        EventQueue &events;
        std::function<JobId()> nextJob; ///< Any thread.
        std::function<void(const RunRecord &, double flopPerSecond)> speedSeen; ///< From trainers' threads; quick.
        std::function<std::vector<ConfigProblem>(const TrainRequest &)> problemsOf;
        int cores = 1;
    };
    TrainingDesk(const std::filesystem::path &folder, Surroundings surroundings);
    /// Stops every training with a checkpoint and waits, for a folder that does not answer as long as it takes.
    ~TrainingDesk();

    void openFolder(const std::filesystem::path &folder);
    std::filesystem::path folder() const;
    void addReferenceRuns();
    void setParallelRuns(int count);

    void train(const std::vector<TrainRequest> &requests);
    void pause(const RunId &id);
    void resume(const RunId &id);
    void stop(const RunId &id);
    void stopAll();
    void saveNow(const RunId &id);

    void removeFromView(const RunId &id);
    void deleteRun(const RunId &id);
    void restoreDeleted(const RunId &id);
    void loadRun(const RunId &id);
    /// Reads the accuracy file of a run again and tells it.
    void loadAccuracy(const RunId &id);

    bool isActive() const;
    /// CPU threads of the trainings that compute now.
    int threadsInUse() const;
    /// True if the job is an evaluation of a trainer.
    bool cancelEvaluation(JobId job);

private:
    struct Entry;
    /// A folder that holds runs.
    struct Place {
        TaskThread files; ///< Everything but what follows.
        TaskThread logs; ///< Reads logs, which may take long.
    };
    struct Deleted {
        std::filesystem::path trash;
        std::filesystem::path original;
    };
    class Hold;

    // Any thread.
    Place &placeOf(const std::filesystem::path &folder);
    /// The place where the run lies.
    Place &placeOfRun(const RunId &id);
    void post(TaskThread &thread, std::function<void()> task);
    /// On the place of that run.
    void post(const RunId &id, std::function<void()> task) { post(placeOfRun(id).files, std::move(task)); }
    void postReadingOf(const RunId &id);
    void postSchedule();
    void guarded(const std::function<void()> &task);
    Entry *find(const RunId &id);
    std::vector<RunSnapshot> snapshots() const;
    void leaveLine(Entry &entry);
    bool isBusy(const Entry &entry) const;
    void refuse(const RunId &id, const std::string &sentence, const std::string &details = {});

    // Housekeeping thread of the folder concerned.
    void scanFolder(const std::filesystem::path &folder);
    void create(const std::filesystem::path &folder, const TrainRequest &request);
    void enqueue(const RunId &id);
    void schedule(); ///< Any thread that may not be held up for long; touches no disk.
    void reap(const RunId &id);
    void refresh(const RunId &id);
    void lookAgain(const RunId &id); ///< At a run that another process trains.
    void readMetricsOf(const RunId &id);
    void readAccuracyOf(const RunId &id);
    void moveToTrash(const RunId &id);
    void moveBack(const RunId &id);
    void lookAround(const std::filesystem::path &folder);
    void markStopped(const RunId &id, const std::string &reason);

    const Surroundings m_surroundings;
    EventQueue &m_events;

    mutable std::mutex m_mutex; // guards what follows
    std::filesystem::path m_folder;
    int m_parallelRuns = 1;
    std::map<RunId, std::unique_ptr<Entry>> m_entries;
    std::deque<RunId> m_line;
    std::set<RunId> m_hidden; ///< Taken out of view.
    int m_pendingTasks = 0;
    bool m_isClosing = false;
    std::vector<Deleted> m_deleted;
    std::stop_source m_closing; // for what the housekeeping threads read; guards itself

    // Last: their tasks use all of the above.
    TaskThread m_order; ///< Who trains next; never touches a disk.
    std::mutex m_placesMutex; // guards what follows; no other mutex is taken while it is held
    std::map<std::filesystem::path, std::unique_ptr<Place>> m_places; ///< None is ever removed.
    bool m_arePlacesClosed = false;
};

} // namespace lookback::run
