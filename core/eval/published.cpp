// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "core/config.h"
#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/json.h"

namespace lookback::embedded {

extern const char *const kPublishedAccuracyJson; // resources/published/kvbench_accuracy_vs_context.json

} // namespace lookback::embedded

namespace lookback::eval {

std::vector<AccuracyCurve> publishedCurves()
{
    // The published table has three-digit keys and values, 128 sequences a point and no counts by sequence; which
    // sequences they were is not known, and neither are intervals.
    constexpr std::int64_t kPublishedSequences = 128;
    const RunConfig published;
    const nlohmann::json table = parseJson(embedded::kPublishedAccuracyJson, "Published curves");
    std::vector<AccuracyCurve> curves;
    for (const auto &[variant, accuracies] : table.at("accuracy").items()) {
        AccuracyCurve curve;
        curve.variant = variant;
        curve.step = published.steps;
        curve.totalSteps = published.steps;
        curve.trainedTokens = published.contextTokens(table.at("train_n").get<std::int64_t>());
        for (std::size_t i = 0; i < accuracies.size(); ++i) {
            AccuracyPoint point;
            point.n_keys = table.at("n").at(i).get<std::int64_t>();
            point.contextTokens = published.contextTokens(point.n_keys);
            point.sequences = kPublishedSequences;
            point.answers = point.sequences * point.n_keys;
            point.accuracy = accuracies.at(i).get<double>();
            point.exact = std::llround(point.accuracy * static_cast<double>(point.answers));
            point.low = point.accuracy;
            point.high = point.accuracy;
            curve.points.push_back(point);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

} // namespace lookback::eval
