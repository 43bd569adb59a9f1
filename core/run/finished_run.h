// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/run/run_folder.h"

namespace lookback::run {

/// Copies a finished run to give away or to keep: `target`/<name of the run>, or <name>-2, ... if that is taken, with
/// the record, the whole log, all evaluations and of the checkpoints the last one and those after `earlierSteps`
/// (ascending), without the optimiser's moments. It is evaluated and looked into like any run, with the same bits.
/// Complete or absent. Returns the new folder. Throws Error if the run has not finished, one of these checkpoints is
/// not there or cannot be read, or `target` cannot be written to.
std::filesystem::path copyFinishedRun(const RunFolder &folder, const std::filesystem::path &target,
                                      const std::vector<std::int64_t> &earlierSteps = {});

} // namespace lookback::run
