// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_creation.h"

#include <system_error>

#include "core/run/record_stamp.h"

namespace lookback::cli {

std::vector<PlannedRun> createRuns(const std::filesystem::path &parent, const std::vector<RunConfig> &configs,
                                   const std::string &preset, const ComputeOptions &compute)
{
    std::vector<PlannedRun> runs;
    try {
        for (const RunConfig &config : configs) {
            const run::RunRecord record =
                run::newRunRecord(config, preset, compute.device, compute.threads, compute.kernels, compute.precision);
            const std::string name = config.variant + "-seed" + std::to_string(config.seed);
            const run::RunFolder folder = run::RunFolder::create(parent, name, record);
            runs.push_back({folder, record, compute});
            runs.back().lock = run::RunLock::forQueue(folder.path());
        }
    } catch (...) {
        for (const PlannedRun &run : runs) {
            std::error_code ignored;
            std::filesystem::remove_all(run.folder.path(), ignored);
        }
        throw;
    }
    return runs;
}

} // namespace lookback::cli
