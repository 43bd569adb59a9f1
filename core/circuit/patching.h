// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/circuit/head_id.h"
#include "core/circuit/head_measures.h"

namespace lookback::circuit {

/// What a head takes over from the other sequence.
enum class PatchPart {
    Pattern, ///< Its map.
    Output, ///< What it adds.
};
/// How sequence B differs from sequence A (specs/circuit.md).
enum class PatchDifference {
    Key, ///< The question: the asked entry holds another key of the context.
    Value, ///< The fact: one digit of the value at the first occurrence is another one.
};
/// "pattern", "output"; "key", "value".
std::string_view patchPartName(PatchPart part);
std::string_view patchDifferenceName(PatchDifference difference);
/// Throw Error about `subject` that lists the names.
PatchPart patchPartFromName(std::string_view name, const std::string &subject);
PatchDifference patchDifferenceFromName(std::string_view name, const std::string &subject);

struct PatchRequest {
    std::vector<HeadId> heads{}; ///< Patched together; none = each head alone.
    PatchPart part = PatchPart::Output;
    PatchDifference difference = PatchDifference::Value;
    std::int64_t n_keys = 8;
    std::int64_t sequences = 64;
    bool operator==(const PatchRequest &) const = default;
};

/// What patching some heads together moves.
struct PatchEffect {
    std::vector<HeadId> heads{};
    /// Of the way from the answer of A to that of B, in logit difference: 0 = nothing moves, 1 = all of it. May leave
    /// 0..1. Nothing if the model answers A and B alike.
    std::optional<Measured> moved{};
    std::int64_t flipped = 0; ///< Sequences that then give the answer of B.
    bool operator==(const PatchEffect &) const = default;
};

struct PatchResult {
    std::string variant{};
    std::int64_t step = 0;
    std::uint64_t evaluationSeed = 0;
    PatchRequest request{};
    std::int64_t sequences = 0; ///< Pairs in which the model answers both A and B rightly; others are left out.
    std::int64_t tried = 0; ///< Pairs that could be made.
    double logitDifference = 0.0; ///< Mean distance between the answers: logit of A's token less that of B's, on A
                                  ///< less on B.
    std::vector<PatchEffect> effects{}; ///< One, or by layer and head.
    bool operator==(const PatchResult &) const = default;
};

} // namespace lookback::circuit
