// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/seed_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lookback::analysis {

namespace {

/// With all that may differ inside a group made equal.
RunConfig commonPart(RunConfig config)
{
    const RunConfig plain;
    config.seed = plain.seed;
    config.log_every = plain.log_every;
    config.checkpoint_every = plain.checkpoint_every;
    config.evaluate_every = plain.evaluate_every;
    config.evaluation_n = plain.evaluation_n;
    config.evaluation_sequences = plain.evaluation_sequences;
    config.evaluation_seed = plain.evaluation_seed;
    return config;
}

bool isFinite(const std::optional<double> &value)
{
    return value && std::isfinite(*value);
}

/// Reorders `values`, which are not empty.
double medianOf(std::vector<double> &values)
{
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

} // namespace

bool isSameButSeed(const RunConfig &a, const RunConfig &b)
{
    return commonPart(a) == commonPart(b);
}

std::vector<std::vector<std::size_t>> seedGroups(std::span<const RunConfig> configs)
{
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < configs.size(); ++i) {
        const auto takes = [&](const std::vector<std::size_t> &group) {
            return isSameButSeed(configs[group.front()], configs[i])
                && std::ranges::none_of(group, [&](std::size_t j) { return configs[j].seed == configs[i].seed; });
        };
        // A repeated seed begins a group that a third run of the design must not join.
        const auto first = std::ranges::find_if(
            groups, [&](const auto &group) { return isSameButSeed(configs[group.front()], configs[i]); });
        if (first != groups.end() && takes(*first))
            first->push_back(i);
        else
            groups.push_back({i});
    }
    return groups;
}

std::vector<SeedBandPoint> seedBand(std::span<const std::vector<SeedValue>> curves)
{
    std::size_t withValue = 0;
    for (const std::vector<SeedValue> &curve : curves)
        withValue += std::ranges::any_of(curve, [](const SeedValue &value) { return isFinite(value.y); }) ? 1 : 0;
    const std::size_t least = std::min<std::size_t>(withValue, 2);

    std::vector<SeedBandPoint> band;
    std::vector<std::size_t> next(curves.size(), 0);
    std::vector<double> values;
    for (;;) {
        // All curves move on together, from one logged x to the next.
        double x = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (next[i] < curves[i].size())
                x = std::min(x, curves[i][next[i]].x);
        }
        if (!std::isfinite(x))
            return band;
        bool isLoggedByAll = true;
        values.clear();
        for (std::size_t i = 0; i < curves.size(); ++i) {
            const bool hasBegun = next[i] > 0;
            if (next[i] == curves[i].size())
                continue;
            const SeedValue &value = curves[i][next[i]];
            if (value.x == x) {
                ++next[i];
                if (isFinite(value.y))
                    values.push_back(*value.y);
            } else if (hasBegun) {
                isLoggedByAll = false;
            }
        }
        if (!isLoggedByAll || values.empty() || values.size() < least)
            continue;
        SeedBandPoint point{.x = x, .seeds = std::int64_t(values.size())};
        const auto [low, high] = std::ranges::minmax(values);
        point.low = low;
        point.high = high;
        point.median = medianOf(values);
        band.push_back(point);
    }
}

std::optional<bool> hasLearned(std::span<const std::optional<double>> accuracies)
{
    if (accuracies.empty())
        return std::nullopt;
    std::vector<double> newest;
    for (const std::optional<double> &value : accuracies.last(std::min(accuracies.size(), kLearnedValues)))
        newest.push_back(isFinite(value) ? *value : 0.0);
    return medianOf(newest) >= kLearned;
}

std::optional<bool> hasLearned(const eval::AccuracyCurve &curve)
{
    const eval::AccuracyPoint *longest = nullptr;
    for (const eval::AccuracyPoint &point : curve.points) {
        if (point.contextTokens <= curve.trainedTokens && (!longest || point.contextTokens > longest->contextTokens))
            longest = &point;
    }
    return longest ? std::optional(longest->accuracy >= kLearned) : std::nullopt;
}

} // namespace lookback::analysis
