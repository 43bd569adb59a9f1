// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/run/checkpoint.h"
#include "tests/core/training_helpers.h"

namespace lookback::testing {

/// A run that was stopped after the last of `steps`, where each of these checkpoints has an infinite weight.
inline run::RunFolder brokenRun(const std::filesystem::path &root, const RunConfig &config,
                                const std::vector<std::int64_t> &steps, const std::string &name = "run")
{
    const run::RunFolder folder = makeRun(root, config, name);
    {
        Recorder recorder;
        train::Trainer trainer(folder, {"cpu", 1}, &recorder);
        recorder.onStep = [&](std::int64_t step) {
            if (step == steps.back())
                trainer.requestStop();
        };
        trainer.start();
        trainer.wait();
    }
    for (const std::int64_t step : steps) {
        run::Checkpoint checkpoint = run::checkpointAt(folder, step);
        const float infinite = INFINITY;
        std::memcpy(checkpoint.weights.back().bytes.data(), &infinite, sizeof infinite);
        run::writeCheckpoint(folder.checkpointFile(step), checkpoint);
        std::filesystem::remove(folder.checkpointFile(step).parent_path() / "manifest.json");
    }
    return folder;
}

} // namespace lookback::testing
