// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/run/metrics.h"

namespace lookback::run {

/// readMetrics that throws Cancelled soon after `stop` is requested. The file is read in pieces, however long it or a
/// line is.
MetricsLog readMetricsUntil(const std::filesystem::path &file, const std::stop_token &stop);

/// Reads a log of any length for somebody who looks on: `tell` gets what came since its last call, every 4 MiB and at
/// the end (also of an empty or missing file); `isWhole`: it replaces what was told before. No more than `most` records
/// are in memory and shown, see ThinnedLog. If `tell` gives false, the reading ends with Cancelled. Gives the notes of
/// the log. Throws Error if the file cannot be read.
std::vector<std::string>
readMetricsInPieces(const std::filesystem::path &file, std::size_t most,
                    const std::function<bool(std::span<const MetricsRecord> records, bool isWhole)> &tell);

} // namespace lookback::run
