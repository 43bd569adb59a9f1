// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/run/metrics.h"
#include "core/run/run_folder.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/plot_painter.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_run.h"

namespace lookback::ui {

struct TrainingFigureRun {
    FigureRun run;
    std::vector<run::MetricsRecord> metrics; ///< Strictly rising steps.
};

/// What the training figure shows: loss above accuracy over a common step axis.
struct TrainingFigureInput {
    std::vector<TrainingFigureRun> runs;
    QString stagesOf; ///< Id of the run whose curriculum is marked; empty = the first run.
    Scale stepScale = Scale::Linear;
    double smoothing = 0.0; ///< 0 = off.
    std::optional<Range> steps; ///< Zoomed view; empty = all.
    std::optional<Range> loss;
    std::optional<Range> accuracy;
    bool hasSeedBands = false; ///< Runs that differ in their seed only: median and range, each seed as a hair line.
    bool hasFullRange = false; ///< Also values that robustRange would leave off scale.
};

/// The figure of the Training tab, for export and the command line. Copies nothing that it does not need.
std::unique_ptr<Figure> makeTrainingFigure(TrainingFigureInput input);

/// Input from run folders, in their order. Throws Error if a folder cannot be read.
TrainingFigureInput trainingInput(const std::vector<run::RunFolder> &folders,
                                  std::span<const model::VariantInfo> variants);

// What live chart and figure have in common.

/// The curve of one quantity of a log; a value that was not logged is an empty y.
std::vector<CurvePoint> lossPoints(std::span<const run::MetricsRecord> metrics);
std::vector<CurvePoint> accuracyPoints(std::span<const run::MetricsRecord> metrics);

/// Steps of an automatic axis that holds `last`: 0 (1 on a logarithmic axis) to a nice number.
Range stepRange(double last, Scale scale);
/// Loss axis range for the values of all curves, chance included.
Range lossRange(const RobustRange &values, bool hasFullRange);
/// The curriculum as named stretches: "n = 2", "n = 4", ... the last one to infinity. Where accuracy promotes, they are
/// those that the log shows, each from the last logged step of the one before.
std::vector<Stage> curriculumStages(const RunConfig &config, std::span<const run::MetricsRecord> metrics);

/// Nats a digit of a model that knows nothing: ln 10; its per-digit accuracy.
constexpr double kChanceLoss = 2.302585092994046;
constexpr double kChanceDigit = 0.1;

} // namespace lookback::ui
