// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run_service.h"

namespace lookback::testing {

/// Takes a service's events as a window would: only when woken; and knows what the window would know.
class Listener {
public:
    explicit Listener(run::RunService &service) : m_service(service)
    {
        service.setWakeFunction([this] {
            const std::scoped_lock lock(m_mutex);
            m_isWoken = true;
            m_changed.notify_all();
        });
    }
    ~Listener() { m_service.setWakeFunction({}); }

    std::map<run::RunId, run::RunSnapshot> runs;
    std::map<run::RunId, std::vector<run::RunState>> states; ///< Each new state of a run, in order.
    std::map<run::RunId, std::vector<run::MetricsRecord>> metrics;
    std::map<run::RunId, std::vector<eval::AccuracyCurve>> accuracy;
    std::map<run::JobId, std::vector<run::EvaluationStatus>> evaluations;
    std::vector<std::string> notices;
    std::vector<run::ExampleAnswer> examples;
    std::vector<run::HeadMapsAnswer> headMaps;
    std::vector<run::RunId> order; ///< Of the last whole list.
    std::optional<MachineInfo> machine;
    int wholeLists = 0;

    /// Takes events until `isDone`.
    template <typename Predicate> void until(Predicate &&isDone)
    {
        while (!isDone()) {
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait(lock, [this] { return m_isWoken; });
                m_isWoken = false;
            }
            take();
        }
    }
    void untilState(const run::RunId &run, run::RunState state)
    {
        until([&] { return runs.contains(run) && runs.at(run).state == state; });
    }
    /// Until nothing is active, and all that was told until then is taken: a service may fall quiet between two events.
    void untilQuiet()
    {
        until([this] { return !m_service.isActive(); });
        take();
    }

private:
    void take()
    {
        const run::ServiceEvents events = m_service.takeEvents();
        if (events.isListWhole) {
            ++wholeLists;
            runs.clear();
            order.clear();
            for (const run::RunSnapshot &run : events.runs)
                order.push_back(run.id);
        }
        for (const run::RunId &run : events.removed)
            runs.erase(run);
        for (const run::RunSnapshot &run : events.runs) {
            runs[run.id] = run;
            auto &known = states[run.id];
            if (known.empty() || known.back() != run.state)
                known.push_back(run.state);
        }
        for (const run::MetricsUpdate &update : events.metrics) {
            auto &known = metrics[update.run];
            if (update.isWhole)
                known.clear();
            known.insert(known.end(), update.records.begin(), update.records.end());
        }
        for (const run::AccuracyUpdate &update : events.accuracy)
            accuracy[update.run] = update.curves;
        for (const run::EvaluationStatus &status : events.evaluations)
            evaluations[status.job].push_back(status);
        examples.insert(examples.end(), events.examples.begin(), events.examples.end());
        headMaps.insert(headMaps.end(), events.headMaps.begin(), events.headMaps.end());
        for (const run::Notice &notice : events.notices)
            notices.push_back(notice.sentence);
        if (events.machine)
            machine = events.machine;
    }

    run::RunService &m_service;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_isWoken = false;
};

inline run::TrainRequest request(const RunConfig &config, const std::string &name)
{
    run::TrainRequest result;
    result.config = config;
    result.name = name;
    result.device = "cpu";
    return result;
}

} // namespace lookback::testing
