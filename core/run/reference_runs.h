// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

namespace lookback::run {

/// The finished runs that come with the program: share/lookback/reference-runs beside the folder of the program. Empty
/// if they are not there.
std::filesystem::path referenceRunsFolder();

/// Copies each run of `from` into `folder` (made if need be), under its name and each complete or not at all; a name
/// that is taken there is left as it is. Returns what was copied. Throws Error naming the file and a remedy; what was
/// copied before stays.
std::vector<std::filesystem::path> copyRuns(const std::filesystem::path &from, const std::filesystem::path &folder);

} // namespace lookback::run
