// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lookback::eval {

/// Exact match of one run at one context length.
struct AccuracyPoint {
    std::int64_t n_keys = 0; ///< Unique keys.
    std::int64_t contextTokens = 0; ///< 2 * n_keys * entryTokens.
    std::int64_t sequences = 0; ///< Sequences evaluated.
    std::int64_t answers = 0; ///< Second occurrences asked: sequences * n_keys.
    std::int64_t exact = 0; ///< Answers with all value digits right.
    std::int64_t digitsRight = 0; ///< Value digits right, of answers * value_digits.
    double accuracy = 0.0; ///< exact / answers, 0..1.
    double low = 0.0; ///< 95 % interval over sequences, inside 0..1, see exactMatchInterval.
    double high = 1.0;
    double meanLoss = 0.0; ///< Mean cross-entropy of the scored digits, nats.
    std::vector<std::int64_t> exactBySequence; ///< For paired comparisons; may be empty (published curves).
    bool operator==(const AccuracyPoint &) const = default;
};

/// Accuracy by context length of one checkpoint.
struct AccuracyCurve {
    std::string variant;
    std::int64_t step = 0; ///< Checkpoint evaluated.
    std::int64_t totalSteps = 0; ///< Steps that the run was to train.
    std::int64_t trainedTokens = 0; ///< Longest context in training.
    std::uint64_t evaluationSeed = 0;
    std::vector<AccuracyPoint> points; ///< Ascending n_keys.
    bool operator==(const AccuracyCurve &) const = default;
};

/// The text of accuracy_vs_context.json: kvbench's n_sweep and curves of the newest step, and every curve with its
/// counts (specs/formats/run-folder.md). `curves`: of one run, any order.
std::string accuracyToJson(const std::vector<AccuracyCurve> &curves);

/// Reads accuracyToJson's text: ascending step. Throws Error with `subject`: damaged or from a newer format.
std::vector<AccuracyCurve> accuracyFromJson(std::string_view text, const std::string &subject);

/// `curve` added to `curves`: points of the same step are merged by n, the newer ones win. Ascending step and n.
std::vector<AccuracyCurve> mergedCurves(std::vector<AccuracyCurve> curves, const AccuracyCurve &curve);

struct Interval {
    double low = 0.0;
    double high = 1.0;
    bool operator==(const Interval &) const = default;
};

/// 95 % interval of the exact-match share over sequences: answers within one sequence are not independent, so the
/// binomial sample size is divided by the design effect; sensible at 0 % and 100 % too (specs/evaluation.md).
/// `exactBySequence[i]` of `answersPerSequence` answers of sequence i are right.
Interval exactMatchInterval(const std::vector<std::int64_t> &exactBySequence, std::int64_t answersPerSequence);

/// Paired difference b - a of exact match on the same sequences, with a 95 % interval over sequences.
struct PairedDifference {
    double difference = 0.0; ///< -1..1
    Interval interval{-1.0, 1.0};
    bool isDistinguishable = false; ///< |difference| of at least two standard errors.
    bool operator==(const PairedDifference &) const = default;
};
PairedDifference pairedDifference(const AccuracyPoint &a, const AccuracyPoint &b);

/// Curves of the published table (kvbench, July 2026): one run a variant, 128 sequences a point.
std::vector<AccuracyCurve> publishedCurves();

/// Exact match of a model that guesses each digit, 10^-value_digits; and of one that copies any value, about 1/n.
double chanceExactMatch(std::int64_t valueDigits);
double anyValueExactMatch(std::int64_t n_keys);

} // namespace lookback::eval
