// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/circuit/circuit_probe.h"
#include "core/run/checkpoint_stamp.h"
#include "core/run/event_queue.h"
#include "core/torch_thread.h"

namespace lookback::run {

/// Answers questions about the circuits of checkpoints on a thread of its own, the newest first. A question is dropped
/// without an answer when a newer one of its kind comes, or when it is cancelled. A timeline that is under way, and
/// heads at several lengths, make way for other questions and go on afterwards: what they measured is kept in the run
/// folder. The model looked at last stays in memory.
class CircuitDesk {
public:
    /// `freeThreads`: CPU threads that a question may use now, 1 or more.
    CircuitDesk(EventQueue &events, std::function<int()> freeThreads);
    /// Ends the work at hand soon and waits.
    ~CircuitDesk();

    void ask(JobId job, const CircuitQuestion &question);
    /// Any thread; returns at once.
    void cancel(JobId job);

private:
    struct Request {
        JobId job = 0;
        CircuitQuestion question;

        bool isSupersededBy(const Request &newer) const { return question.task.index() == newer.question.task.index(); }
        bool canMakeWay() const
        {
            return std::holds_alternative<circuit::TimelineRequest>(question.task)
                || std::holds_alternative<circuit::ContextRequest>(question.task);
        }
    };
    void work();
    /// False if it was cancelled.
    bool serve(const Request &request, const std::stop_token &stop);
    CircuitResult resultOf(const Request &request, CircuitAnswer &answer, const ProgressFunction &progress,
                           const std::stop_token &stop);
    circuit::CircuitProbe &probeOf(const CircuitQuestion &question);

    EventQueue &m_events;
    const std::function<int()> m_freeThreads;

    std::mutex m_mutex; // guards the next six
    std::condition_variable m_changed;
    std::deque<Request> m_requests; ///< Newest first.
    bool m_isClosing = false;
    std::optional<Request> m_current; ///< What is being served,
    std::stop_source m_stop; ///< what ends it early,
    bool m_isMakingWay = false; ///< and whether it comes back to the end of the line then.

    // The worker's own.
    std::unique_ptr<circuit::CircuitProbe> m_probe;
    RunId m_probeRun;
    CheckpointStamp m_probeCheckpoint;
    ComputeOptions m_probeCompute;

    WorkerThread m_thread; // last: it uses all of the above
};

} // namespace lookback::run
