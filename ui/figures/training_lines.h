// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/figures/seed_curves.h"
#include "ui/figures/training_figure.h"

namespace lookback::ui {

/// One quantity of a log as points: lossPoints or accuracyPoints.
using LoggedPoints = std::vector<CurvePoint> (*)(std::span<const run::MetricsRecord>);

/// A line of the training figure: a run, or the median of several seeds.
struct TrainingLine {
    FigureRun run; ///< Of a median: the first seed, renamed.
    std::vector<std::size_t> members; ///< Indices of the runs that it is made of.
    QString learned = {}; ///< Of a median: "4 of 5 seeds of rope learned".

    /// Without a range if it is a single run.
    SeedCurve curve(std::span<const TrainingFigureRun> runs, LoggedPoints points) const;
};

/// A line a run, and with bands one more for each group of seeds, above its seeds, which become hair lines.
std::vector<TrainingLine> trainingLines(std::span<const TrainingFigureRun> runs, bool hasSeedBands);

/// The numbers of the training figure.
QString trainingCsv(std::span<const TrainingFigureRun> runs, std::span<const TrainingLine> lines);

} // namespace lookback::ui
