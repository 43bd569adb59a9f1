// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/run_group.h"

namespace lookback::cli {

/// Makes a folder `parent/<variant>-seed<seed>` for each configuration. If one cannot be made, those made before are
/// removed again and the Error is thrown.
std::vector<PlannedRun> createRuns(const std::filesystem::path &parent, const std::vector<RunConfig> &configs,
                                   const std::string &preset, const ComputeOptions &compute);

} // namespace lookback::cli
