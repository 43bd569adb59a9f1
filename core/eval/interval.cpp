// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/eval/share_interval.h"

namespace lookback::eval {

namespace {

constexpr double kTail = 0.025; // of a two-sided 95 % interval

double normalQuantile()
{
    return boost::math::quantile(boost::math::normal(), 1.0 - kTail);
}

/// Counts of sequences, and what they say about dependence.
struct Counts {
    double sequences = 0.0; ///< With answers.
    double answers = 0.0;
    double right = 0.0;

    double answersPerSequence() const { return answers / sequences; }
    double share() const { return right / answers; }
};

Counts countsOf(std::span<const std::int64_t> exactBySequence, std::span<const std::int64_t> answersBySequence)
{
    Counts counts;
    for (std::size_t i = 0; i < exactBySequence.size(); ++i) {
        const std::int64_t exact = exactBySequence[i];
        const std::int64_t answers = answersBySequence[i];
        if (exact < 0 || exact > answers)
            throw Error("Exact match",
                        std::to_string(exact) + " right answers of " + std::to_string(answers)
                            + " in one sequence cannot be.");
        counts.sequences += answers > 0 ? 1.0 : 0.0;
        counts.answers += static_cast<double>(answers);
        counts.right += static_cast<double>(exact);
    }
    return counts;
}

/// How many answers of a sequence count as one independent answer, 1 to answersPerSequence.
double designEffect(std::span<const std::int64_t> exactBySequence, std::span<const std::int64_t> answersBySequence,
                    const Counts &counts)
{
    const double share = counts.share();
    const double length = std::max(1.0, counts.answersPerSequence());
    double estimate = length; // of a single sequence, or of answers that are all alike, nothing can be estimated
    if (counts.sequences > 1.0 && share > 0.0 && share < 1.0) {
        double variance = 0.0; // of the share, between sequences
        for (std::size_t i = 0; i < exactBySequence.size(); ++i)
            variance += std::pow(
                static_cast<double>(exactBySequence[i]) - share * static_cast<double>(answersBySequence[i]), 2);
        variance *= counts.sequences / (counts.sequences - 1.0) / (counts.answers * counts.answers);
        estimate = std::clamp(variance * counts.answers / (share * (1.0 - share)), 1.0, length);
    }
    // The estimate rests on the rarer kind of answer; one imagined such answer with full dependence stands beside them.
    const double rarer = std::min(counts.right, counts.answers - counts.right);
    return (rarer * estimate + length) / (rarer + 1.0);
}

/// The binomial sample size that carries as much information as these sequences.
double effectiveAnswers(std::span<const std::int64_t> exactBySequence, std::span<const std::int64_t> answersBySequence,
                        const Counts &counts)
{
    double effective = counts.answers / designEffect(exactBySequence, answersBySequence, counts);
    if (counts.sequences > 1.0) {
        // The variance between few sequences is itself uncertain (Korn and Graubard 1998).
        const double quantile = boost::math::quantile(boost::math::students_t(counts.sequences - 1.0), 1.0 - kTail);
        effective *= std::pow(normalQuantile() / quantile, 2);
    }
    return effective;
}

/// Clopper and Pearson 1934, for a number of answers that need not be whole.
Interval clopperPearson(double share, double answers)
{
    const double right = share * answers;
    const double wrong = answers - right;
    Interval interval;
    if (right > 0.0)
        interval.low = boost::math::quantile(boost::math::beta_distribution<>(right, wrong + 1.0), kTail);
    if (wrong > 0.0)
        interval.high = boost::math::quantile(boost::math::beta_distribution<>(right + 1.0, wrong), 1.0 - kTail);
    return interval;
}

/// Pearson's correlation of the sequences' shares; 0 if one of them does not vary.
double correlation(const std::vector<std::int64_t> &a, const std::vector<std::int64_t> &b)
{
    const auto mean = [](const std::vector<std::int64_t> &values) {
        return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}))
            / static_cast<double>(values.size());
    };
    const double meanA = mean(a);
    const double meanB = mean(b);
    double squareA = 0.0;
    double squareB = 0.0;
    double product = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double deviationA = static_cast<double>(a[i]) - meanA;
        const double deviationB = static_cast<double>(b[i]) - meanB;
        squareA += deviationA * deviationA;
        squareB += deviationB * deviationB;
        product += deviationA * deviationB;
    }
    return squareA > 0.0 && squareB > 0.0 ? product / std::sqrt(squareA * squareB) : 0.0;
}

} // namespace

Interval shareInterval(std::span<const std::int64_t> exactBySequence, std::span<const std::int64_t> answersBySequence)
{
    const Counts counts = countsOf(exactBySequence, answersBySequence);
    if (counts.answers < 1.0)
        return {};
    return clopperPearson(counts.share(), effectiveAnswers(exactBySequence, answersBySequence, counts));
}

Interval exactMatchInterval(const std::vector<std::int64_t> &exactBySequence, std::int64_t answersPerSequence)
{
    if (exactBySequence.empty() || answersPerSequence < 1)
        return {};
    return shareInterval(exactBySequence, std::vector(exactBySequence.size(), answersPerSequence));
}

PairedDifference pairedDifference(const AccuracyPoint &a, const AccuracyPoint &b)
{
    if (a.n_keys != b.n_keys || a.exactBySequence.empty() || a.exactBySequence.size() != b.exactBySequence.size())
        throw Error("Difference", "The two points were not evaluated on the same sequences.",
                    "Evaluate both runs with the same lengths, sequences and evaluation seed.");
    const Interval intervalA = exactMatchInterval(a.exactBySequence, a.n_keys);
    const Interval intervalB = exactMatchInterval(b.exactBySequence, b.n_keys);
    const std::vector<std::int64_t> answers(a.exactBySequence.size(), a.n_keys);
    const double shareA = countsOf(a.exactBySequence, answers).share();
    const double shareB = countsOf(b.exactBySequence, answers).share();
    const double common = correlation(a.exactBySequence, b.exactBySequence);
    // Limits recovered from those of the two shares (Newcombe 1998, method 10; Zou and Donner 2008, equation 11).
    const auto distance = [&](double ofB, double ofA) {
        return std::sqrt(std::max(0.0, ofB * ofB + ofA * ofA - 2.0 * common * ofB * ofA));
    };
    PairedDifference result;
    result.difference = shareB - shareA;
    const double below = distance(shareB - intervalB.low, intervalA.high - shareA);
    const double above = distance(intervalB.high - shareB, shareA - intervalA.low);
    result.interval = {std::max(-1.0, result.difference - below), std::min(1.0, result.difference + above)};
    const double standardError = (result.difference > 0.0 ? below : above) / normalQuantile();
    result.isDistinguishable = result.difference != 0.0 && std::abs(result.difference) >= 2.0 * standardError;
    return result;
}

double chanceExactMatch(std::int64_t valueDigits)
{
    return std::pow(10.0, -static_cast<double>(valueDigits));
}

double anyValueExactMatch(std::int64_t n_keys)
{
    return n_keys > 0 ? 1.0 / static_cast<double>(n_keys) : 1.0;
}

} // namespace lookback::eval
