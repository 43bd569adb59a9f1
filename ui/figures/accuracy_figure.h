// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/eval/accuracy.h"
#include "core/run/run_folder.h"
#include "ui/charts/plot_painter.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_run.h"

namespace lookback::ui {

/// One curve: a run at one evaluated checkpoint, or a published one.
struct AccuracyFigureCurve {
    FigureRun run;
    eval::AccuracyCurve curve;
    /// Short addition to the label: "step 2,000 of 15,000", "evaluation seed 2"; empty if there is nothing to say.
    QString note = {};
    /// Of a band of seeds: "4 of 5 seeds of rope learned".
    QString learned = {};
};

/// What the accuracy figure shows: exact match, or its error rate on a log axis, by context length.
struct AccuracyFigureInput {
    std::vector<AccuracyFigureCurve> curves;
    bool isErrorRate = false;
    bool hasIntervals = true;
    bool hasLabels = true;
    std::optional<Range> tokens = {}; ///< Zoomed view; empty = all.
    std::optional<Range> share = {};
};

/// The figure of the Accuracy tab, for export and the command line.
std::unique_ptr<Figure> makeAccuracyFigure(AccuracyFigureInput input);

/// Newest evaluated checkpoint of each run folder that has any; `hasPublished` adds the published curves of the
/// variants that these runs have, or of all variants if there are no folders. Throws Error if a folder cannot be read,
/// or if there is nothing to draw.
AccuracyFigureInput accuracyInput(const std::vector<run::RunFolder> &folders,
                                  std::span<const model::VariantInfo> variants, bool hasPublished);

/// All published curves as figure curves.
std::vector<AccuracyFigureCurve> publishedFigureCurves(std::span<const model::VariantInfo> variants);

/// Sets the notes: the step of a curve whose run is not trained to its end, and what in its evaluation differs from the
/// first own curve (seed, sequences a point, digits), so that different set-ups are told apart.
void noteDifferences(std::vector<AccuracyFigureCurve> &curves);

// What live chart and figure have in common.

/// Exact match or error rate with its 95 % interval. A point without an error has no place on the log axis; its
/// interval reaches up to `high`.
std::vector<CurvePoint> sharePoints(const eval::AccuracyCurve &curve, bool isErrorRate);
std::vector<IntervalPoint> shareIntervals(const eval::AccuracyCurve &curve, bool isErrorRate);

/// Axes that hold all curves: tokens with air at both ends; unique keys above; share or error rate.
struct AccuracyAxes {
    Axis tokens;
    Axis keys;
    Axis share;
    std::int64_t tokensPerKey = 16; ///< Of the first curve; the keys axis holds for curves with as many.
};
AccuracyAxes accuracyAxes(std::span<const AccuracyFigureCurve> curves, bool isErrorRate, int mostTokens, int mostKeys,
                          int mostShares, bool hasUnit = true);

/// "trained to 128 tokens" of each training length.
std::vector<ReferenceLine> trainedLines(std::span<const AccuracyFigureCurve> curves);
/// Chance exact match as a line, and the 1/n curve of a model that copies any value of the context.
ReferenceLine chanceLine(std::span<const AccuracyFigureCurve> curves, bool isErrorRate);
std::vector<QPointF> anyValueCurve(std::span<const AccuracyFigureCurve> curves, bool isErrorRate);

/// What bands, dots and hollow markers mean, and how many sequences a point has.
QString accuracyCaption(std::span<const AccuracyFigureCurve> curves, bool isErrorRate, bool hasIntervals);

} // namespace lookback::ui
