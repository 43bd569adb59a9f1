// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "core/run/run_lock.h"
#include "core/run/training_desk.h"

namespace lookback::run {

/// Holds the desk's mutex; on the way out it lets go and then wakes the listener, who may call back.
class TrainingDesk::Hold {
public:
    explicit Hold(const TrainingDesk &desk) : m_lock(desk.m_mutex), m_events(desk.m_events) { }
    ~Hold()
    {
        m_lock.unlock();
        m_events.wakeIfNeeded();
    }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

private:
    std::unique_lock<std::mutex> m_lock;
    EventQueue &m_events;
};

/// A run of the list, and the observer of its trainer. All members are guarded by the desk's mutex; the overrides are
/// called by the trainer's thread.
struct TrainingDesk::Entry final : train::RunObserver {
    Entry(TrainingDesk &owner, RunSnapshot first) : desk(owner), snapshot(std::move(first)) { }

    TrainingDesk &desk;
    RunSnapshot snapshot;
    std::string device = "auto"; ///< As asked for.
    int threads = 1;
    bool isEvaluatedAtEnd = true;
    bool isInLine = false; ///< Waits for a place; its trainer, if any, is paused.
    bool hasPlace = false; ///< Computes, or is about to.
    RunMeter meter;
    std::deque<MetricsRecord> live; ///< Newest log lines of this session.
    std::int64_t toldStep = 0; ///< Last step whose log line was told.
    bool isLogBeingRead = false;
    EvaluationStatus evaluation; ///< Of the trainer; job 0 = none in progress.
    std::shared_ptr<RunLock> lock; ///< While it waits or is paused without a trainer; null: the trainer takes its own.
    std::unique_ptr<train::Trainer> trainer;

    void stateChanged(RunState state, const std::string &reason) override;
    void stepFinished(const MetricsRecord &record) override;
    void logged(const MetricsRecord &record) override;
    void checkpointWritten(std::int64_t step) override;
    void wentBack(std::int64_t step) override;
    void evaluationProgressed(const Progress &progress) override;
    void evaluated(const eval::AccuracyCurve &curve) override;
    void failed(const Error &error) override;
    void occupied(const Error &error) override;
    void noticed(const Error &notice) override;

    void tell() { desk.m_events.changed(snapshot); }
    void setState(RunState state, const std::string &reason = {});
    void finishEvaluation();
};

/// True for the states in which a run has ended.
bool isEnded(RunState state);

} // namespace lookback::run
