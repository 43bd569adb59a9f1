// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/seed_groups.h"
#include "core/run/metrics.h"
#include "ui/charts/plot_painter.h"
#include "ui/figures/accuracy_figure.h"

namespace lookback::ui {

/// The seeds of a group as one curve: their median, with a band from the lowest to the highest.
struct SeedCurve {
    std::vector<CurvePoint> medians;
    std::vector<IntervalPoint> range;
    bool operator==(const SeedCurve &) const = default;
};
SeedCurve seedCurve(std::span<const std::vector<CurvePoint>> curves);

/// "rope · 4 of 5 seeds"
QString seedsTitle(const QString &variant, std::int64_t seeds, std::int64_t known);

/// Whether each of some seeds has learned; nothing for a seed of which that cannot be said.
using LearnedFlags = std::vector<std::optional<bool>>;
/// "4 of 5 seeds of rope learned"; empty if nothing can be said of any.
QString learnedText(const QString &variant, const LearnedFlags &seeds);
std::optional<bool> hasLearned(std::span<const run::MetricsRecord> metrics);
/// What "learned" means on each chart, as a sentence.
QString learnedRule(bool isTraining);

/// Curves with one more before the first seed of each group of at least two: the median with its range in place of the
/// interval, its run marked as isSeedBand; the seeds are marked as isFaint. A group is one design, evaluated at the
/// same step on the same evaluation sequences.
std::vector<AccuracyFigureCurve> withSeedBands(std::vector<AccuracyFigureCurve> curves);

} // namespace lookback::ui
