// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/circuit/head_measures.h"
#include "core/run/run_folder.h"

namespace lookback::circuit {

/// Measured heads of a checkpoint as they are kept in its run folder: circuit/heads-<8 digits of the step>.json
/// (specs/formats/head-measures.md). `fingerprint`: of the weights; what was measured of others counts as absent.
std::filesystem::path headCacheFile(const run::RunFolder &folder, std::int64_t step);

/// What was kept for this request. A file that cannot be used adds a sentence to `notes` (may be null).
std::optional<HeadTable> keptHeads(const run::RunFolder &folder, std::int64_t step, const std::string &fingerprint,
                                   const HeadRequest &request, std::uint64_t evaluationSeed,
                                   std::vector<std::string> *notes = nullptr);

/// Keeps a table beside those of other requests; the newest kKeptTables of them stay. A file of a newer format is left
/// alone. If it cannot be written, `notes` (may be null) gets a sentence and nothing else happens.
void keepHeads(const run::RunFolder &folder, const std::string &fingerprint, const HeadTable &table,
               std::vector<std::string> *notes = nullptr);

} // namespace lookback::circuit
