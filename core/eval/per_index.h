// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/task/key_value_task.h"

namespace lookback::eval {

/// What logits say about one sequence. Sums, so that sequences can be added up.
struct LogitScore {
    double lossSum = 0.0; ///< Cross-entropy of the scored digits, nats, summed.
    std::int64_t digits = 0; ///< Scored digits: n * value_digits.
    std::int64_t digitsRight = 0; ///< Their largest logit is the true digit (of equal ones the lower token counts).
    std::int64_t answers = 0; ///< Second occurrences: n.
    std::int64_t exact = 0; ///< With all digits right.
    bool operator==(const LogitScore &) const = default;
};

/// `logits`: [T-1][12], position p predicts token p + 1. Throws Error if the size does not fit the sequence.
LogitScore scoreLogits(const task::Sequence &sequence, std::span<const float> logits);
LogitScore scoreLogits(const task::Sequence &sequence, std::span<const double> logits);

/// Cross-entropy of one token under 12 logits, nats; computed in double with the largest logit subtracted.
double crossEntropy(std::span<const float> logits, int token);
double crossEntropy(std::span<const double> logits, int token);

/// Mean cross-entropy of the value digits by entry index, over sequences of one shape (specs/evaluation.md).
class PerIndexLoss {
public:
    /// Adds one sequence; all must have the same shape and n. Throws Error otherwise.
    void add(const task::Sequence &sequence, std::span<const float> logits);
    void add(const task::Sequence &sequence, std::span<const double> logits);

    std::int64_t sequences() const { return m_sequences; }
    /// By entry index, 2n values: first and second occurrences together, the published measure.
    std::vector<double> allEntries() const;
    /// By entry index, second occurrences only; 0 where there were none.
    std::vector<double> secondOccurrences() const;
    /// How many second occurrences stood at each entry index.
    const std::vector<std::int64_t> &secondOccurrenceCounts() const { return m_secondCounts; }

private:
    template <typename Real> void addAny(const task::Sequence &sequence, std::span<const Real> logits);

    task::TaskShape m_shape;
    std::int64_t m_sequences = 0;
    std::vector<double> m_allSums; // over sequences and digits
    std::vector<double> m_secondSums;
    std::vector<std::int64_t> m_secondCounts;
};

} // namespace lookback::eval
