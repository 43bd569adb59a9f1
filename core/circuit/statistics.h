// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/circuit/head_measures.h"

namespace lookback::circuit {

/// Ratio of two sums over sequences, for means whose number of terms differs from sequence to sequence, with a 95 %
/// interval over sequences: Student's t with the linearised variance of the ratio. A single sequence with terms has no
/// interval: it is -infinity to infinity. Nothing if there are no terms.
std::optional<Measured> meanOverSequences(std::span<const double> sums, std::span<const double> counts);

/// The same for a share of yes-or-no terms; eval::shareInterval, sensible at 0 % and 100 % too.
std::optional<Measured> shareOverSequences(std::span<const std::int64_t> hits, std::span<const std::int64_t> counts);

/// McNemar's test of paired yes-or-no outcomes: do the two change sides equally often?
struct McNemar {
    std::int64_t lost = 0; ///< Right before, wrong after.
    std::int64_t gained = 0; ///< Wrong before, right after.
    double p = 1.0; ///< Two-sided.
    bool isExact = true; ///< Binomial; else chi-squared with one degree and continuity correction.
    bool operator==(const McNemar &) const = default;
};
/// Exact below 1,000 discordant pairs. Counts answers as independent, unlike eval::pairedDifference.
McNemar mcNemar(std::int64_t lost, std::int64_t gained);

} // namespace lookback::circuit
