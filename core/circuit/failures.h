// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/circuit/head_id.h"

namespace lookback::circuit {

struct FailureRequest {
    std::int64_t n_keys = 64;
    std::int64_t sequences = 128;
    std::vector<HeadId> readers{}; ///< Heads that tell where a digit was taken from; none = the retrieval heads.
    std::int64_t mostListed = 1000; ///< Wrong digits that are listed; all are counted.
    bool operator==(const FailureRequest &) const = default;
};

/// Where a wrong digit was taken from: the earlier position with the predicted token on which the reading heads put
/// most weight together.
struct TakenFrom {
    std::int64_t position = 0;
    std::int64_t entry = 0;
    std::int64_t key = 0;
    std::int64_t keyDistance = 0; ///< Digits in which that key differs from the asked one; 0 = the right key.
    double weight = 0.0; ///< Of the reading heads on it, mean over them.
    bool operator==(const TakenFrom &) const = default;
};

/// A value digit of a second occurrence that the model gets wrong.
struct WrongDigit {
    std::int64_t sequence = 0; ///< Evaluation sequence.
    std::int64_t entry = 0; ///< That is asked.
    std::int64_t firstEntry = 0; ///< That holds the answer.
    std::int64_t digit = 0; ///< Of the value, from 0.
    std::int64_t position = 0; ///< That predicts it.
    std::int64_t key = 0;
    int truth = 0;
    int predicted = 0; ///< Token.
    double margin = 0.0; ///< Logit of the predicted token less that of the true one, nats; above 0.
    double probability = 0.0; ///< Of the true digit.
    std::optional<TakenFrom> from{}; ///< Nothing if the reading heads put less than kTakenWeight on any such position.
    bool operator==(const WrongDigit &) const = default;
};
/// Mean weight of the reading heads below which nobody can say where a digit came from.
inline constexpr double kTakenWeight = 0.05;

/// Wrong ones of the asked.
struct FailureCount {
    std::int64_t asked = 0;
    std::int64_t wrong = 0;
    bool operator==(const FailureCount &) const = default;
};

/// Bins of a context: entries in tenths of it.
inline constexpr std::int64_t kPlaceBins = 10;

struct Failures {
    std::string variant{};
    std::int64_t step = 0;
    std::uint64_t evaluationSeed = 0;
    FailureRequest request{}; ///< With the readers that were used.
    std::int64_t answers = 0;
    std::int64_t wrongAnswers = 0; ///< With a wrong digit.
    std::int64_t digits = 0;
    std::int64_t wrongDigits = 0;
    std::vector<WrongDigit> list{}; ///< By sequence and position; the first mostListed.
    std::vector<std::int64_t> byKeyDistance{}; ///< [key digits + 1] wrong digits by TakenFrom::keyDistance.
    std::int64_t unknownOrigin = 0; ///< Wrong digits without TakenFrom.
    /// [key digits + 1] shares of byKeyDistance, if wrong digits came from other keys of the context at random.
    std::vector<double> expectedByKeyDistance{};
    std::vector<FailureCount> byPlace{}; ///< [kPlaceBins] answers by the place of the asked entry in the context.
    std::vector<FailureCount> byDistance{}; ///< [kPlaceBins] answers by how far back the first occurrence lies.
    bool operator==(const Failures &) const = default;
};

} // namespace lookback::circuit
