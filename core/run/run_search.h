// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "core/run/run_folder.h"

namespace lookback::run {

/// All runs anywhere below `root` (and `root` itself if it is one), by path, as findRuns tells them. Up to eight
/// folders deep; folders inside a run, names that begin with a dot (the trash among them) and folders that cannot be
/// listed are passed over; one that several links lead to is looked into once. Throws Error if `root` cannot be listed.
std::vector<FoundRun> findRunsBelow(const std::filesystem::path &root);

} // namespace lookback::run
