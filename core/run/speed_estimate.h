// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "core/run/run_service.h"
#include "core/run/task_thread.h"

namespace lookback::run {

/// How long the steps of that training would take, measured now and here, some tenths of a second long, with three
/// short steps on part of a batch. Without evaluations; empty if it cannot be measured quickly.
std::optional<double> measuredTrainingSeconds(const TrainRequest &request);

/// How long a training would take on this machine. What is not known is measured in the background with a few short
/// steps on part of a batch; a training that really runs corrects that.
class SpeedEstimate {
public:
    /// `mayMeasure`: whether cores are idle. `measured`: called from the background thread when something new is known.
    SpeedEstimate(std::function<bool()> mayMeasure, std::function<void()> measured);
    ~SpeedEstimate();
    /// Ends the measuring, with the measurement at hand; neither function is called afterwards.
    void close();

    /// Quick; empty while it is being measured or cannot be.
    std::optional<double> seconds(const TrainRequest &request);
    /// What a training reaches.
    void seen(const RunRecord &record, double flopPerSecond);

private:
    static std::string keyOf(const RunConfig &config, const std::string &device, int threads);
    void measure(const std::string &key, const TrainRequest &request);

    const std::function<bool()> m_mayMeasure;
    const std::function<void()> m_measured;
    std::mutex m_mutex;
    std::map<std::string, double> m_flopPerSecond; // guarded
    std::set<std::string> m_asked; // guarded: being measured, or impossible
    bool m_isClosing = false; // guarded
    TaskThread m_tasks; // last: its tasks use all of the above
};

} // namespace lookback::run
