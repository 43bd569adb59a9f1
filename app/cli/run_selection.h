// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/run_folder.h"

namespace lookback::cli {

/// A run that the command line named.
struct SelectedRun {
    run::RunFolder folder;
    run::RunRecord record;
    bool isFound = false; ///< Found in a folder of runs; false if it was named itself.
};

/// The runs that `arguments` name, each once: run folders, and folders of runs, which stand for all runs directly in
/// them. A damaged run in a folder of runs is passed over with a note; one that is named itself is an Error. Throws
/// UsageError if nothing is named, Error if a folder is missing or holds no run.
std::vector<SelectedRun> selectRuns(const std::vector<std::string> &arguments);

/// Says so if the newest checkpoint was asked for and an older one, `usedStep`, had to do because it cannot be read.
void noteOlderCheckpoint(const run::RunFolder &folder, std::int64_t usedStep);

} // namespace lookback::cli
