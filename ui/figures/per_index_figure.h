// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/eval/per_index_table.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_run.h"

namespace lookback::ui {

/// One run: what was measured, or what a kvbench folder recorded.
struct PerIndexFigureCurve {
    FigureRun run;
    eval::PerIndexTable table; ///< Recorded ones have `all` alone, without standard errors.
    bool isRecorded = false;
};

struct PerIndexFigureInput {
    std::vector<PerIndexFigureCurve> curves; ///< Of one n.
};

/// Cross-entropy by entry index: all entries, as published, with first occurrences behind, above second occurrences on
/// a logarithmic axis. CSV: one line a run, kind of entry and index.
std::unique_ptr<Figure> makePerIndexFigure(PerIndexFigureInput input);

/// The newest losses that a kvbench folder recorded in its eval.json, if they are of that n; nothing of other folders.
/// Throws Error if the file is damaged.
std::optional<eval::PerIndexTable> recordedPerIndex(const run::RunRecord &record, const std::filesystem::path &folder,
                                                    std::int64_t n_keys);

} // namespace lookback::ui
