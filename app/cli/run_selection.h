// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/run/run_folder.h"

namespace lookback::cli {

/// A run that the command line named.
struct SelectedRun {
    run::RunFolder folder;
    run::RunRecord record;
    bool isFound = false; ///< Found in a folder of runs; false if it was named itself.
};

/// The runs to work on, and how many could not be used; why was told as an error each.
struct Selection {
    std::vector<SelectedRun> runs;
    int faults = 0;

    /// The exit code of a command that did what it should with these runs.
    int exitCode() const { return faults > 0 ? kFailed : kDone; }
};

/// Where runs of a folder are looked for.
enum class SearchDepth {
    Directly, ///< Right in it.
    Below, ///< Anywhere below it (run::findRunsBelow).
};

/// The runs that `arguments` name, each once: run folders, and folders of runs, which stand for the runs in them. What
/// is missing, damaged or no run is told and counted, the others go on; if nothing else was named, it is an Error.
/// Throws UsageError if nothing is named.
Selection selectRuns(const std::vector<std::string> &arguments, const Session &session,
                     SearchDepth depth = SearchDepth::Directly);

/// `error` with the run's folder as its subject, for errors that do not name the run themselves.
Error aboutRun(const run::RunFolder &folder, const Error &error);

/// Says so if the newest checkpoint was asked for and an older one, `usedStep`, had to do because it cannot be read.
void noteOlderCheckpoint(const run::RunFolder &folder, std::int64_t usedStep);

} // namespace lookback::cli
