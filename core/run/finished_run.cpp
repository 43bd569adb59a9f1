// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/finished_run.h"

#include <string>
#include <system_error>

#include "core/error.h"
#include "core/run/checkpoint_store.h"
#include "core/run/file.h"
#include "core/run/staging_folder.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

/// Under the first of name, name-2, ... that is free.
fs::path moveToFreeName(const fs::path &made, const fs::path &target, const std::string &name)
{
    for (int number = 1;; ++number) {
        fs::path place = target / (number == 1 ? name : name + "-" + std::to_string(number));
        std::error_code fault;
        if (fs::exists(fs::symlink_status(place, fault)))
            continue;
        fs::rename(made, place, fault);
        if (!fault)
            return place;
        if (fault != std::errc::file_exists && fault != std::errc::directory_not_empty)
            throw Error(place.string(), "The run cannot be copied here: " + systemReason(fault.value()) + ".",
                        systemRemedy(fault.value()));
    }
}

} // namespace

fs::path copyFinishedRun(const RunFolder &folder, const fs::path &target, const std::vector<std::int64_t> &earlierSteps)
{
    const RunRecord record = folder.readRecord();
    if (record.state != RunState::Finished)
        throw Error(folder.path().string(),
                    "The run has not finished, and a copy without the optimiser's state could "
                    "not go on.",
                    "Let it finish with \"lookback-cli resume\", or copy its folder as it is.");
    std::vector<Checkpoint> checkpoints;
    for (const std::int64_t step : earlierSteps)
        checkpoints.push_back(checkpointAt(folder, step, CheckpointParts::Weights));
    if (earlierSteps.empty() || earlierSteps.back() != record.config.steps)
        checkpoints.push_back(checkpointAt(folder, record.config.steps, CheckpointParts::Weights));
    const std::vector<eval::AccuracyCurve> curves = folder.readAccuracy();
    const StagingFolder staging(target);
    const RunFolder made = RunFolder::create(staging.path(), folder.name(), record);
    writeFileWhole(made.metricsFile(), readFileWhole(folder.metricsFile()));
    std::vector<std::string> notes;
    CheckpointStore store(made);
    for (const Checkpoint &checkpoint : checkpoints) {
        const bool isLast = checkpoint.step == record.config.steps;
        store.save(checkpoint, isLast ? CheckpointPurpose::Final : CheckpointPurpose::Early, &notes);
    }
    if (!notes.empty())
        throw Error(target.string(), "The run cannot be copied here: " + notes.front());
    for (const eval::AccuracyCurve &curve : curves)
        made.writeAccuracy(curve);
    return moveToFreeName(made.path(), target, folder.name());
}

} // namespace lookback::run
