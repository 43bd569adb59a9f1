// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/rng.h"

namespace lookback::task {

inline constexpr int kVocabulary = 12; ///< Digits 0-9 are tokens 0-9.
inline constexpr int kStartKeyToken = 10;
inline constexpr int kStartValueToken = 11;

/// Shape of an entry: StartKey, `key_digits` digits, StartValue, `value_digits` digits, most significant first.
struct TaskShape {
    std::int64_t key_digits = 3;
    std::int64_t value_digits = 3;
    std::int64_t entryTokens() const { return 2 + key_digits + value_digits; }
    bool operator==(const TaskShape &) const = default;
};

/// How the keys of a sequence are chosen; all n are distinct in any case.
struct KeyChoice {
    enum class Kind {
        Uniform, ///< Every set of n keys is as likely.
        Clusters, ///< Clusters of one uniform key and mutants of it, the last cluster perhaps smaller.
        Mutated, ///< Uniform ones, the others mutants of one of them.
    };
    Kind kind = Kind::Uniform;
    std::int64_t cluster_keys = 8; ///< Clusters: keys of each, the base included; at least 2.
    double mutated_share = 0.5; ///< Mutated: of the n keys, rounded to the nearest number, at most n - 1.
    bool operator==(const KeyChoice &) const = default;
};

/// One key-value entry of a sequence.
struct Entry {
    std::int64_t key = 0;
    std::int64_t value = 0;
    bool isSecondOccurrence = false;
    std::int64_t partner = 0; ///< Index of the other entry with the same key.
    bool operator==(const Entry &) const = default;
};

/// A sequence of 2n entries: n distinct keys, each key-value pair exactly twice, in random order.
struct Sequence {
    TaskShape shape;
    std::int64_t n_keys = 0;
    std::vector<Entry> entries; ///< 2n, in order.
    std::vector<std::uint8_t> tokens; ///< T = 2 * n * entryTokens; the model reads tokens[0..T-2].

    /// Position of value digit `digit` (0-based) of entry `entry` in the prediction frame: the position whose logits
    /// predict it. entry * entryTokens + (1 + key_digits) + digit.
    std::int64_t predictionPosition(std::int64_t entry, std::int64_t digit) const;
    /// Scored positions in the prediction frame: all value digits of second occurrences, ascending.
    std::vector<std::int64_t> scoredPositions() const;
    bool operator==(const Sequence &) const = default;
};

/// Draws one sequence. Throws Error if n exceeds 10^key_digits or a size is out of range.
Sequence drawSequence(const TaskShape &shape, std::int64_t n_keys, Philox &generator, const KeyChoice &choice = {});

/// Sequence `row` of the training batch of `step` (1-based): a pure function of (seed, step, row).
Sequence trainingSequence(const TaskShape &shape, std::int64_t n_keys, std::uint64_t seed, std::int64_t step,
                          std::int64_t row, const KeyChoice &choice = {});

/// Evaluation sequence: a pure function of (evaluation seed, n, index), the same for every variant.
Sequence evaluationSequence(const TaskShape &shape, std::int64_t n_keys, std::uint64_t evaluationSeed,
                            std::int64_t index, const KeyChoice &choice = {});

/// The keys of sequence `row` of a training batch of `batch` sequences: clusters in the first clustered_share of them,
/// rounded up, so that a batch of one is clustered if any is.
KeyChoice trainingKeys(const RunConfig &config, std::int64_t row, std::int64_t batch);
/// The keys of every evaluated sequence: evaluation_mutated.
KeyChoice evaluationKeys(const RunConfig &config);

/// Entries and occurrences read back from tokens. Throws Error naming the first position that breaks the format.
Sequence parseSequence(const TaskShape &shape, std::span<const std::uint8_t> tokens);

/// One character a token: digits, 'K' for StartKey, 'V' for StartValue.
char tokenCharacter(int token);
/// "StartKey", "StartValue" or the digit.
std::string tokenWord(int token);

} // namespace lookback::task
