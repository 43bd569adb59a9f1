// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/json.h"
#include "core/json_members.h"
#include "core/newer_format.h"

namespace lookback::eval {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char *kKind = "lookback-accuracy";
constexpr int kFormatVersion = 1;

ordered_json pointToJson(const AccuracyPoint &point)
{
    return {{"n_keys", point.n_keys},
            {"context_tokens", point.contextTokens},
            {"sequences", point.sequences},
            {"answers", point.answers},
            {"exact", point.exact},
            {"digits_right", point.digitsRight},
            {"accuracy", ordered_json(realToJson(point.accuracy))},
            {"low", ordered_json(realToJson(point.low))},
            {"high", ordered_json(realToJson(point.high))},
            {"mean_loss", ordered_json(realToJson(point.meanLoss))},
            {"exact_by_sequence", point.exactBySequence}};
}

constexpr DamageWords kDamage{.what = "The evaluation results are damaged",
                              .remedy = "Delete the file and evaluate the run again."};

AccuracyPoint pointFromJson(const json &value, const std::string &subject)
{
    const JsonMembers members(value, subject, kDamage);
    AccuracyPoint point;
    point.n_keys = members.count("n_keys");
    point.contextTokens = members.count("context_tokens");
    point.sequences = members.count("sequences");
    point.answers = members.count("answers");
    point.exact = members.count("exact");
    point.digitsRight = members.count("digits_right");
    point.accuracy = members.share("accuracy");
    point.low = members.share("low");
    point.high = members.share("high");
    point.meanLoss = members.real("mean_loss");
    point.exactBySequence = members.counts("exact_by_sequence");
    if (point.exact > point.answers)
        members.refuse("more answers are right than were asked");
    return point;
}

AccuracyCurve curveFromJson(const json &value, const std::string &subject)
{
    const JsonMembers members(value, subject, kDamage);
    AccuracyCurve curve;
    curve.variant = members.text("variant");
    curve.step = members.count("step");
    curve.totalSteps = members.count("total_steps");
    curve.trainedTokens = members.count("trained_tokens");
    curve.evaluationSeed = members.seed("evaluation_seed");
    for (const json &point : members.list("points"))
        curve.points.push_back(pointFromJson(point, subject));
    return curve;
}

} // namespace

std::vector<AccuracyCurve> mergedCurves(std::vector<AccuracyCurve> curves, const AccuracyCurve &curve)
{
    const auto known = std::find_if(curves.begin(), curves.end(),
                                    [&](const AccuracyCurve &other) { return other.step == curve.step; });
    AccuracyCurve merged = curve;
    if (known != curves.end()) {
        // Points on other sequences are not comparable with the new ones: a changed evaluation seed drops them.
        const bool isComparable = known->evaluationSeed == curve.evaluationSeed && known->variant == curve.variant;
        for (const AccuracyPoint &point : known->points) {
            if (!isComparable)
                break;
            const auto newer = std::find_if(merged.points.begin(), merged.points.end(),
                                            [&](const auto &other) { return other.n_keys == point.n_keys; });
            if (newer == merged.points.end())
                merged.points.push_back(point);
            else if (newer->sequences < point.sequences)
                *newer = point; // fewer of the same sequences say nothing new
        }
        curves.erase(known);
    }
    std::sort(merged.points.begin(), merged.points.end(),
              [](const auto &left, const auto &right) { return left.n_keys < right.n_keys; });
    curves.push_back(std::move(merged));
    std::sort(curves.begin(), curves.end(), [](const auto &left, const auto &right) { return left.step < right.step; });
    return curves;
}

std::string accuracyToJson(const std::vector<AccuracyCurve> &curves)
{
    ordered_json object = ordered_json::object();
    object["format"] = kKind;
    object["format_version"] = kFormatVersion;
    object["n_sweep"] = ordered_json::array();
    object["curves"] = ordered_json::object();
    const auto newest = std::max_element(curves.begin(), curves.end(),
                                         [](const auto &left, const auto &right) { return left.step < right.step; });
    if (newest != curves.end()) {
        ordered_json accuracies = ordered_json::array();
        for (const AccuracyPoint &point : newest->points) {
            object["n_sweep"].push_back(point.n_keys);
            accuracies.push_back(point.accuracy);
        }
        object["curves"][newest->variant] = std::move(accuracies);
    }
    ordered_json evaluations = ordered_json::array();
    for (const AccuracyCurve &curve : curves) {
        ordered_json points = ordered_json::array();
        for (const AccuracyPoint &point : curve.points)
            points.push_back(pointToJson(point));
        evaluations.push_back({{"variant", curve.variant},
                               {"step", curve.step},
                               {"total_steps", curve.totalSteps},
                               {"trained_tokens", curve.trainedTokens},
                               {"evaluation_seed", curve.evaluationSeed},
                               {"points", std::move(points)}});
    }
    object["evaluations"] = std::move(evaluations);
    return object.dump(1) + "\n";
}

std::vector<AccuracyCurve> accuracyFromJson(std::string_view text, const std::string &subject)
{
    const json object = parseJson(text, subject);
    const JsonMembers members(object, subject, kDamage);
    if (members.text("format") != kKind)
        members.refuse("the file is of the kind " + inQuotes(members.text("format")));
    const std::int64_t version = members.count("format_version");
    if (version > kFormatVersion)
        throw NewerFormat(subject,
                          "The evaluation results are in format " + std::to_string(version)
                              + "; this Lookback (" LOOKBACK_VERSION ") reads up to format "
                              + std::to_string(kFormatVersion) + ".",
                          "Open them with a newer Lookback.");
    std::vector<AccuracyCurve> curves;
    for (const json &curve : members.list("evaluations"))
        curves = mergedCurves(std::move(curves), curveFromJson(curve, subject));
    return curves;
}

} // namespace lookback::eval
