// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/timeline.h"

#include <algorithm>
#include <optional>

#include "core/circuit/circuit_probe.h"
#include "core/circuit/work_meter.h"
#include "core/error.h"
#include "core/run/run_folder.h"

namespace lookback::circuit {

std::vector<HeadTable> measureTimeline(const std::string &runFolder, const TimelineRequest &request,
                                       const ComputeOptions &compute, const ProgressFunction &progress,
                                       const std::function<void(const HeadTable &)> &onTable, std::stop_token stop,
                                       std::vector<std::string> *notes)
{
    std::vector<std::int64_t> steps = request.steps;
    if (steps.empty()) {
        for (const run::CheckpointInfo &info : run::RunFolder::open(runFolder).checkpoints())
            steps.push_back(info.step);
    }
    std::ranges::sort(steps);
    steps.erase(std::ranges::unique(steps).begin(), steps.end());
    if (steps.empty())
        throw Error(runFolder, "This run has no checkpoint yet.", "Let it train until its first one.");
    const std::int64_t each = request.heads.sequences;
    const WorkMeter meter(std::ssize(steps) * each, progress);
    std::vector<HeadTable> timeline;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (stop.stop_requested())
            throw Cancelled();
        std::optional<CircuitProbe> probe;
        try {
            probe.emplace(runFolder, steps[i], compute);
        } catch (const Error &error) {
            if (!request.steps.empty())
                throw;
            if (notes)
                notes->push_back(error.sentence());
            continue;
        }
        const std::int64_t before = static_cast<std::int64_t>(i) * each;
        const std::string what = "step " + std::to_string(steps[i]) + ", " + std::to_string(i + 1) + " of "
            + std::to_string(steps.size()) + " checkpoints";
        const auto report = [&](const Progress &of) { meter.report(before + of.done, what); };
        timeline.push_back(probe->heads(request.heads, report, stop, notes));
        meter.report(before + each, what);
        if (onTable)
            onTable(timeline.back());
    }
    if (timeline.empty())
        throw Error(runFolder, "None of this run's checkpoints can be read.");
    return timeline;
}

} // namespace lookback::circuit
