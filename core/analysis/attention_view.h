// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/circuit/removal.h"
#include "core/model/variant_info.h"
#include "core/task/key_value_task.h"

namespace lookback::analysis {

/// Who asks for an example: two panes beside each other ask independently, so that neither drops the other's questions.
enum class Pane { First, Second };

/// Identifies an example: an evaluation sequence seen by one checkpoint, intact or with heads removed.
struct ExampleKey {
    std::string runFolder;
    std::int64_t step = -1; ///< Checkpoint; -1 = the newest.
    std::int64_t n_keys = 8;
    std::int64_t sequence = 0; ///< Index of the evaluation sequence.
    circuit::Intervention intervention{}; ///< Heads removed; what is seen is what the changed model does.
    Pane pane = Pane::First; ///< Of a question; what is seen does not depend on it.
    bool operator==(const ExampleKey &) const = default;
};

/// What the model answered at one second occurrence.
struct Answer {
    std::int64_t entry = 0; ///< Index of the second-occurrence entry.
    std::int64_t firstEntry = 0; ///< Index of the entry that it repeats.
    std::int64_t key = 0;
    std::vector<int> truth; ///< value_digits digits.
    std::vector<int> predicted; ///< Token of largest probability a digit (0..11).
    std::vector<std::vector<float>> probabilities; ///< [value digit][12 tokens], sums to 1.
    bool isExact() const { return truth == predicted; }
    bool operator==(const Answer &) const = default;
};

/// A whole example: the sequence, what the model predicts and how its attention sublayers are built.
struct Example {
    ExampleKey key; ///< With the step that was really used.
    std::string variant;
    task::Sequence sequence;
    std::int64_t positions = 0; ///< T - 1: queries and keys of every map.
    std::vector<Answer> answers; ///< By entry index.
    std::vector<model::SublayerInfo> layers; ///< Attention sublayers, numbered from 0.
    std::int64_t heads = 0; ///< Query heads of each layer.
    std::int64_t kvHeads = 0;
    std::int64_t window = 0; ///< Tokens that windowed layers see.
    bool operator==(const Example &) const = default;
};

/// What the numbers of a map are.
enum class MapKind {
    AttentionWeights, ///< Probabilities that the model used: rows sum to 1.
    RecurrenceMatrix, ///< Signed weight of value s in output t of a recurrent design; rows do not sum to 1.
    Difference, ///< Weights of one map less those of another (attention_comparison.h).
};

/// The map of one head.
struct HeadMap {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    MapKind kind = MapKind::AttentionWeights;
    std::int64_t queries = 0; ///< Rows.
    std::int64_t keys = 0; ///< Columns.
    std::vector<float> weights; ///< [query][key], row-major; exactly 0 where not visible.
    std::int64_t window = 0; ///< 0 = sees all earlier tokens; else query i sees keys i-window+1..i.

    float at(std::int64_t query, std::int64_t key) const
    {
        return weights[static_cast<std::size_t>(query * keys + key)];
    }
    /// False where the mask forbids the pair (key after query, or before the window).
    bool isVisible(std::int64_t query, std::int64_t key) const
    {
        return key <= query && (window == 0 || key > query - window);
    }
    bool operator==(const HeadMap &) const = default;
};

/// Rows of a map that are made and shown together, aligned to multiples of it: one head of a large map comes in such
/// pieces. At 4,096 tokens a piece has up to 4 MiB and takes some hundredths of a second.
constexpr std::int64_t kPieceRows = 256;

/// Some consecutive rows of the map of one head, exact.
struct HeadRows {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    MapKind kind = MapKind::AttentionWeights;
    std::int64_t positions = 0; ///< Queries and keys of the whole map.
    std::int64_t window = 0; ///< As in HeadMap.
    std::int64_t firstQuery = 0;
    std::int64_t rows = 0;
    std::int64_t firstKey = 0; ///< Columns before it and after the last one are hidden from all these rows: not stored.
    std::int64_t keys = 0;
    std::vector<float> weights; ///< [row][key - firstKey], row-major; exactly 0 where not visible.

    bool hasQuery(std::int64_t query) const { return query >= firstQuery && query < firstQuery + rows; }
    /// Of a query that is among the rows; 0 where nothing is stored.
    float at(std::int64_t query, std::int64_t key) const
    {
        const std::int64_t column = key - firstKey;
        return column < 0 || column >= keys ? 0.0F
                                            : weights[static_cast<std::size_t>((query - firstQuery) * keys + column)];
    }
    bool isVisible(std::int64_t query, std::int64_t key) const
    {
        return key <= query && (window == 0 || key > query - window);
    }
    bool operator==(const HeadRows &) const = default;
};

/// What stands at a position of the example.
struct PositionMeaning {
    std::int64_t position = 0;
    std::int64_t entry = 0;
    enum class Part { StartKey, KeyDigit, StartValue, ValueDigit } part = Part::StartKey;
    std::int64_t digit = 0; ///< Of the key or value, from 0.
    int token = 0;
    bool operator==(const PositionMeaning &) const = default;
};
PositionMeaning meaningOf(const task::Sequence &sequence, std::int64_t position);

/// The value digit that query position `position` predicts; nothing if it predicts something else.
struct PredictedDigit {
    std::int64_t entry = 0;
    std::int64_t digit = 0; ///< From 0.
    bool isScored = false; ///< True at second occurrences.
};
bool predictsValueDigit(const task::Sequence &sequence, std::int64_t position, PredictedDigit *out);

// The parts of sentences about a map.
/// "0.25"; two decimals, more where two would turn a weight into 0 or 1; a real minus sign.
std::string weightText(float weight);
/// "Query 52 predicts the first value digit of key 442 (entry 6, second occurrence)."
std::string questionText(const task::Sequence &sequence, std::int64_t query);
/// What stands at `key`, as seen from `query`: "the same digit (3) at its first occurrence (entry 4)".
std::string placeText(const task::Sequence &sequence, std::int64_t query, std::int64_t key);

/// Reads one cell in words: "Query 52 predicts the first value digit of key 442 (entry 6, second occurrence). It puts
/// 0.25 on position 37, the same digit (3) at its first occurrence (entry 4). More weight, 0.32, goes to position 0,
/// the StartKey of entry 0; 0.24 goes to position 5, the first value digit (7) of entry 0." Digits are "first, second,
/// third, ..." in words. Hidden cells say why they are hidden. Throws Error for a cell outside the map.
std::string sentenceFor(const Example &example, const HeadMap &map, std::int64_t query, std::int64_t key);
/// The same from the query's row alone.
std::string sentenceFor(const Example &example, const HeadRows &rows, std::int64_t query, std::int64_t key);

} // namespace lookback::analysis
