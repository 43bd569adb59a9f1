// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lookback::eval {

/// What is measured: evaluation sequences 0, 1, ... of so many unique keys.
struct PerIndexRequest {
    std::int64_t n_keys = 50; ///< As published.
    std::int64_t sequences = 256;
    bool operator==(const PerIndexRequest &) const = default;
};

/// Mean cross-entropy of a value digit at one entry index, nats.
struct IndexLoss {
    double mean = 0.0; ///< NaN without an entry.
    double standardError = 0.0; ///< Over entries; NaN with fewer than two.
    std::int64_t entries = 0; ///< How many there were.
};

/// Cross-entropy by entry index of one checkpoint (specs/evaluation.md); 2 n values each.
struct PerIndexTable {
    std::string variant;
    std::int64_t step = 0;
    PerIndexRequest request{};
    std::uint64_t evaluationSeed = 0;
    std::vector<IndexLoss> all; ///< The published measure, which mixes the other two.
    std::vector<IndexLoss> first; ///< First occurrences: cannot be predicted, ln 10 is the best.
    std::vector<IndexLoss> second; ///< Second occurrences.
};

/// Entries of one index added up.
class IndexSum {
public:
    /// `loss`: mean over the digits of one entry.
    void add(double loss);
    IndexLoss loss() const;

private:
    std::int64_t m_count = 0;
    double m_mean = 0.0;
    double m_squares = 0.0; ///< Sum of squared distances from the mean (Welford).
};

/// The text of a file of losses by entry index (specs/formats/per-index.md). `fingerprint`: of the weights.
std::string perIndexToJson(const std::vector<PerIndexTable> &tables, const std::string &fingerprint);

/// Reads it. Throws Error with `subject` if it is damaged, NewerFormat if it is of a newer format. `fingerprint` (may
/// be null) gets that of the weights.
std::vector<PerIndexTable> perIndexFromJson(std::string_view text, const std::string &subject,
                                            std::string *fingerprint);

} // namespace lookback::eval
