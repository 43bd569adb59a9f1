// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/circuit/head_id.h"
#include "core/model/variant_info.h"

namespace lookback::circuit {

/// What is measured of a head; specs/circuit.md defines each. The source of a value digit is the same digit at the
/// first occurrence of its key.
enum class HeadMeasure {
    Retrieval, ///< Right answers: share of digits whose strongest key is the source.
    SourceWeight, ///< Answer rows: weight on the source.
    OwnEntry, ///< Answer rows: weight inside the entry that is asked.
    FirstToken, ///< Answer rows: weight on position 0.
    OtherValues, ///< Answer rows: weight on value digits of other entries, the source excepted.
    Elsewhere, ///< Answer rows: what remains.
    KeyMatching, ///< Key rows: weight on the token after the same prefix at the first occurrence (induction).
    PreviousToken, ///< All rows: weight on the token before.
    FixedOffset, ///< All rows: the largest of the mean weights on the token a fixed number of tokens back.
    Entropy, ///< Answer rows, nats.
    MeanDistance, ///< Answer rows: mean distance back, tokens.
    NegativeLogits, ///< Answer rows, squared logits: weight on keys whose logit is negative.
};
inline constexpr std::size_t kHeadMeasures = 12;

/// A measure as tables, legends and files show it.
struct MeasureInfo {
    HeadMeasure measure;
    std::string_view id; ///< "source_weight": in files and options.
    std::string_view title; ///< "Weight on the source"
    std::string_view heading; ///< "source": of a narrow column.
    std::string_view unit; ///< "nats", "tokens", or empty: a share of 0..1.
    std::string_view explanation; ///< One sentence.
    bool isShare() const { return unit.empty(); }
};
/// All, in the order of HeadMeasure.
std::span<const MeasureInfo> headMeasures();
const MeasureInfo &measureInfo(HeadMeasure measure);
/// Whether a measure means anything for the heads of such a layer. Behind a window no source can be seen, so there is
/// nothing to retrieve and no key to match; only squared logits win weight by being negative.
bool isMeant(HeadMeasure measure, const model::SublayerInfo &layer);
/// Throws Error that lists near ids.
HeadMeasure measureFromId(std::string_view id);

/// A mean over sequences with its 95 % interval.
struct Measured {
    double value = 0.0;
    double low = 0.0;
    double high = 0.0;
    bool operator==(const Measured &) const = default;
};

/// Tokens back, 0 (itself) to kOffsets - 1, for which weights are told one by one.
inline constexpr std::int64_t kOffsets = 16;

/// All measures of a head, or the mean over heads of a group or a layer.
struct Scores {
    std::array<std::optional<Measured>, kHeadMeasures> values{}; ///< Nothing where it means nothing (see the specs).
    std::vector<double> offsets{}; ///< [kOffsets] mean weight on the token so many back, over all rows.
    std::int64_t strongestOffset = 0; ///< Of FixedOffset.

    const std::optional<Measured> &operator[](HeadMeasure measure) const
    {
        return values[static_cast<std::size_t>(measure)];
    }
    std::optional<Measured> &operator[](HeadMeasure measure) { return values[static_cast<std::size_t>(measure)]; }
    /// Takes away what means nothing for the heads of such a layer.
    void keepMeant(const model::SublayerInfo &layer);
    bool operator==(const Scores &) const = default;
};

struct HeadScores {
    HeadId id{};
    std::int64_t kvHead = 0; ///< Key-value head that it reads.
    Scores scores{};
    bool operator==(const HeadScores &) const = default;
};

/// The query heads that read one key-value head: means over them.
struct GroupScores {
    std::int64_t layer = 0;
    std::int64_t kvHead = 0;
    Scores scores{};
    bool operator==(const GroupScores &) const = default;
};

/// All query heads of a layer: means over them.
struct LayerScores {
    std::int64_t layer = 0;
    Scores scores{};
    bool operator==(const LayerScores &) const = default;
};

/// What is measured, at one context length.
struct HeadRequest {
    std::int64_t n_keys = 8;
    std::int64_t sequences = 256;
    std::int64_t answersOfSequence = 16; ///< At most so many second occurrences of a sequence are looked at.
    bool operator==(const HeadRequest &) const = default;
};

/// The heads of one checkpoint at one context length.
struct HeadTable {
    std::string variant{};
    std::int64_t step = 0;
    HeadRequest request{};
    std::uint64_t evaluationSeed = 0;
    std::int64_t window = 0; ///< Tokens: answers whose source is nearer are not looked at.
    std::int64_t positions = 0; ///< Of a sequence; a head that looks anywhere hits a position with 1 / positions.
    std::int64_t answers = 0; ///< Second occurrences that were looked at.
    std::int64_t rightAnswers = 0; ///< Of those, with all digits right.
    std::vector<model::SublayerInfo> layers{};
    std::vector<HeadScores> heads{}; ///< By layer, then head.
    std::vector<GroupScores> groups{}; ///< By layer, then key-value head.
    std::vector<LayerScores> layerMeans{};

    /// Nothing if the head does not exist.
    const HeadScores *find(const HeadId &id) const;
    bool operator==(const HeadTable &) const = default;
};

/// A head is a retrieval head from here on (Wu et al., 2404.15574).
inline constexpr double kRetrievalHead = 0.1;
/// The heads whose retrieval score is above kRetrievalHead, highest first; if there is none, the one with most weight
/// on the source. None of an empty table.
std::vector<HeadId> retrievalHeads(const HeadTable &table);

/// The text of a file of measured heads (specs/formats/head-measures.md). `fingerprint`: of the weights.
std::string headTablesToJson(const std::vector<HeadTable> &tables, const std::string &fingerprint);

/// Reads it. Throws Error with `subject` if it is damaged, NewerFormat if it is of a newer format. `fingerprint` (may
/// be null) gets that of the weights.
std::vector<HeadTable> headTablesFromJson(std::string_view text, const std::string &subject, std::string *fingerprint);

} // namespace lookback::circuit
