// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/config.h"
#include "core/eval/accuracy.h"

namespace lookback::analysis {

/// True if the two differ at most in their seed and in what is recorded (how often a run logs, saves and evaluates):
/// then both are samples of one design.
bool isSameButSeed(const RunConfig &a, const RunConfig &b);

/// Runs that differ only in their seed, as indices of `configs`; each run in exactly one group. Groups in the order of
/// their first run, runs in the order given. A seed counts once: a second run of it is a group of its own.
std::vector<std::vector<std::size_t>> seedGroups(std::span<const RunConfig> configs);

/// One value of one seed's curve; without a value, or with one that is not finite, the seed has none there.
struct SeedValue {
    double x = 0.0; ///< Strictly rising along a curve.
    std::optional<double> y;
    bool operator==(const SeedValue &) const = default;
};

/// What the seeds of a group say at one x.
struct SeedBandPoint {
    double x = 0.0;
    double median = 0.0; ///< Of an even number: the mean of the two in the middle.
    double low = 0.0; ///< Lowest seed.
    double high = 0.0; ///< Highest seed.
    std::int64_t seeds = 0; ///< With a finite value here.
    bool operator==(const SeedBandPoint &) const = default;
};

/// Median, lowest and highest of the curves of one group, ascending x. A curve takes part between its first and its
/// last x; an x at which one of those that take part logged nothing is left out, so that the band does not jump between
/// curves that log at different steps. Where seeds have no finite value the others stand alone, down to two of them; if
/// no more than one curve has a value anywhere, that one alone is the band.
std::vector<SeedBandPoint> seedBand(std::span<const std::vector<SeedValue>> curves);

/// From this share of right answers on a run has learned the task at the lengths that it was trained on.
inline constexpr double kLearned = 0.95;
/// Newest logged values that say whether a run has learned: their median, so that one batch decides nothing.
inline constexpr std::size_t kLearnedValues = 5;

/// Whether a training log ends with at least kLearned of the digits right. `accuracies`: as logged, 0..1; values that
/// are missing or not finite count as wrong. Nothing if the log is empty.
std::optional<bool> hasLearned(std::span<const std::optional<double>> accuracies);

/// Whether a checkpoint answers at least kLearned exactly, at the longest evaluated context that is not longer than its
/// training. Nothing if there is none.
std::optional<bool> hasLearned(const eval::AccuracyCurve &curve);

} // namespace lookback::analysis
