// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "core/eval/share_interval.h"

namespace lookback::circuit {

namespace {

constexpr double kTail = 0.025; // of a two-sided 95 % interval
constexpr std::int64_t kExactPairs = 1000;

} // namespace

std::optional<Measured> meanOverSequences(std::span<const double> sums, std::span<const double> counts)
{
    const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (!(count > 0.0))
        return {};
    Measured measured;
    measured.value = std::accumulate(sums.begin(), sums.end(), 0.0) / count;
    double sequences = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (!(counts[i] > 0.0))
            continue;
        sequences += 1.0;
        squares += std::pow(sums[i] - measured.value * counts[i], 2);
    }
    double half = std::numeric_limits<double>::infinity();
    if (sequences > 1.0) {
        const double quantile = boost::math::quantile(boost::math::students_t(sequences - 1.0), 1.0 - kTail);
        half = quantile * std::sqrt(squares * sequences / (sequences - 1.0)) / count;
    }
    measured.low = measured.value - half;
    measured.high = measured.value + half;
    return measured;
}

std::optional<Measured> shareOverSequences(std::span<const std::int64_t> hits, std::span<const std::int64_t> counts)
{
    const std::int64_t count = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (count < 1)
        return {};
    const std::int64_t hit = std::accumulate(hits.begin(), hits.end(), std::int64_t{0});
    const eval::Interval interval = eval::shareInterval(hits, counts);
    return Measured{
        .value = static_cast<double>(hit) / static_cast<double>(count), .low = interval.low, .high = interval.high};
}

McNemar mcNemar(std::int64_t lost, std::int64_t gained)
{
    McNemar result{.lost = lost, .gained = gained};
    const std::int64_t pairs = lost + gained;
    if (pairs == 0)
        return result;
    const auto total = static_cast<double>(pairs);
    if (pairs < kExactPairs) {
        const auto fewer = static_cast<double>(std::min(lost, gained));
        result.p = std::min(1.0, 2.0 * boost::math::cdf(boost::math::binomial(total, 0.5), fewer));
        return result;
    }
    result.isExact = false;
    const double excess = std::max(0.0, std::abs(static_cast<double>(lost - gained)) - 1.0);
    result.p = boost::math::cdf(boost::math::complement(boost::math::chi_squared(1.0), excess * excess / total));
    return result;
}

} // namespace lookback::circuit
