// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/run/run_service.h"

namespace lookback::run {

/// The id of a run folder: its absolute path, without "." and "..".
RunId runIdOf(const std::filesystem::path &folder);

/// A run as its files show it, from small reads only: run.json, the end of the log, the names of the checkpoints, the
/// lock. A state that only a living process can be in becomes Interrupted when no process holds the lock. Throws
/// nothing; what cannot be read says so in the snapshot.
RunSnapshot scanRun(const std::filesystem::path &folder);

/// scanRun of all runs directly below `root`, by name. A missing root is an empty list.
std::vector<RunSnapshot> scanRuns(const std::filesystem::path &root);

/// The last whole line of a metrics log, read from its end. Nothing if there is no file; throws Error if it is no
/// regular file or cannot be read.
std::optional<MetricsRecord> lastMetrics(const std::filesystem::path &file);

} // namespace lookback::run
