// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "core/run/run_service.h"

namespace lookback::run {

/// What a RunService has to tell, merged until it is taken: one snapshot a run, one status a job, log lines of a run in
/// one update. Any thread. The order in which the parts are to be applied: whole list, removed, runs, the others.
class EventQueue {
public:
    /// When it returns, the former function is not running any more and never will again: what it uses may go. Not from
    /// within that function.
    void setWakeFunction(std::function<void()> wake);
    ServiceEvents take();

    void listReplaced(std::vector<RunSnapshot> runs);
    void changed(const RunSnapshot &run);
    void removed(const RunId &run);
    void metricsLogged(const RunId &run, const MetricsRecord &record);
    /// Log lines that follow those told before, or (`isWhole`) replace them.
    void metricsRead(const RunId &run, std::span<const MetricsRecord> records, bool isWhole);
    void accuracyLoaded(const RunId &run, std::vector<eval::AccuracyCurve> curves);
    void evaluationChanged(const EvaluationStatus &status);
    void answered(ExampleAnswer answer);
    void answered(HeadMapsAnswer answer);
    void answered(HeadRowsAnswer answer);
    void answered(CircuitAnswer answer);
    void probeChanged(const ProbeStatus &status);
    void noticed(Notice notice);
    void machineKnown(const MachineInfo &machine);

    /// Calls the wake function if something came since the queue was last empty and nobody was told. Call it without
    /// any lock held: the function may call back into the service.
    void wakeIfNeeded();

private:
    template <typename Change> void apply(Change &&change);

    std::mutex m_mutex;
    ServiceEvents m_events;
    std::function<void()> m_wake;
    bool m_isWakeNeeded = false;
    int m_wakesUnderWay = 0;
    std::condition_variable m_wakeEnded;
};

} // namespace lookback::run
