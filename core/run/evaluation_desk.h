// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <stop_token>

#include "core/run/event_queue.h"
#include "core/run/task_thread.h"

namespace lookback::run {

/// Evaluations on request, one after the other on a thread of their own; each point is written as it is finished.
class EvaluationDesk {
public:
    struct Surroundings {
        EventQueue &events;
        std::function<int()> freeThreads; ///< CPU threads that an evaluation may use now, 1 or more.
        std::function<void(const RunId &)> accuracyChanged;
    };
    explicit EvaluationDesk(Surroundings surroundings);
    /// Cancels everything and waits.
    ~EvaluationDesk();

    void evaluate(JobId job, const EvaluationRequest &request);
    void cancel(JobId job);
    void cancelAll();
    bool isActive() const;

private:
    void work(JobId job, const EvaluationRequest &request, const std::stop_token &stop);
    void tell(const EvaluationStatus &status);

    const Surroundings m_surroundings;
    mutable std::mutex m_mutex;
    std::map<JobId, std::stop_source> m_jobs; // guarded by m_mutex; queued and active ones
    TaskThread m_tasks; // last: its tasks use all of the above
};

} // namespace lookback::run
