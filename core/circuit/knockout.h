// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/attention_view.h"
#include "core/circuit/head_id.h"
#include "core/circuit/removal.h"
#include "core/circuit/statistics.h"
#include "core/eval/accuracy.h"

namespace lookback::circuit {

/// Exact match before and after on the same sequences, at one context length.
struct KnockoutPoint {
    eval::AccuracyPoint before{};
    eval::AccuracyPoint after{};
    eval::PairedDifference difference{}; ///< after - before; isDistinguishable: of at least two standard errors.
    McNemar mcNemar{}; ///< Over answers.
    bool operator==(const KnockoutPoint &) const = default;
};

/// "not distinguishable here", or the difference in percentage points: "-98.44 points".
std::string differenceText(const eval::PairedDifference &difference);

/// What an intervention does to a checkpoint.
struct Knockout {
    std::string variant{};
    std::int64_t step = 0;
    std::uint64_t evaluationSeed = 0;
    Intervention intervention{};
    std::vector<KnockoutPoint> points{}; ///< Ascending n.
    bool operator==(const Knockout &) const = default;
};

struct KnockoutRequest {
    Intervention intervention{};
    std::vector<std::int64_t> n_keys{8};
    std::int64_t sequences = 128;
    bool operator==(const KnockoutRequest &) const = default;
};

/// One example before and after an intervention.
struct ExampleUnder {
    analysis::Example before{};
    analysis::Example after{};
};

/// Every head alone.
struct GridRequest {
    Removal removal = Removal::Zero;
    std::int64_t n_keys = 8;
    std::int64_t sequences = 128;
    bool operator==(const GridRequest &) const = default;
};
struct HeadEffect {
    HeadId id{};
    KnockoutPoint point{}; ///< The head alone removed.
    bool operator==(const HeadEffect &) const = default;
};
struct KnockoutGrid {
    std::string variant{};
    std::int64_t step = 0;
    std::uint64_t evaluationSeed = 0;
    GridRequest request{};
    eval::AccuracyPoint intact{};
    std::vector<HeadEffect> heads{}; ///< By layer, then head.
    bool operator==(const KnockoutGrid &) const = default;
};

/// Greedy searches for small sets.
struct SearchRequest {
    Removal removal = Removal::Mean; ///< Of the set that is removed, and of what is not in the set that is kept.
    std::int64_t n_keys = 8;
    std::int64_t sequences = 32;
    double keptShare = 0.9; ///< A set keeps retrieval if this share of the intact exact match remains.
    bool operator==(const SearchRequest &) const = default;
};
struct SearchStep {
    HeadId head{}; ///< Removed in this step.
    eval::AccuracyPoint point{}; ///< With all heads removed up to and with it.
    eval::PairedDifference difference{}; ///< From the intact model.
    bool operator==(const SearchStep &) const = default;
};
/// The two searches and their paths. Greedy: a smaller set may exist.
struct SmallestSets {
    std::string variant{};
    std::int64_t step = 0;
    std::uint64_t evaluationSeed = 0;
    SearchRequest request{};
    eval::AccuracyPoint intact{};
    /// Each step removes the head that costs most, until exact match is no longer above that of copying any value.
    std::vector<SearchStep> breaking{};
    bool isBroken = false; ///< It got there; `breaking` names the set. False, and all below empty, if the intact model
                           ///< is no better than that itself.
    /// Each step removes the head that costs least, as long as retrieval is kept.
    std::vector<SearchStep> sparing{};
    std::vector<HeadId> kept{}; ///< What remains then: it alone keeps retrieval.
    bool operator==(const SmallestSets &) const = default;
};

} // namespace lookback::circuit
