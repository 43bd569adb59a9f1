// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/head_measures.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "core/json.h"
#include "core/near_names.h"

namespace lookback::circuit {

std::span<const MeasureInfo> headMeasures()
{
    static constexpr std::array<MeasureInfo, kHeadMeasures> kMeasures{{
        {HeadMeasure::Retrieval, "retrieval", "Retrieval", "retrieval", "",
         "Of the digits of right answers, those whose strongest key is the source: the same digit at the first "
         "occurrence of the key."},
        {HeadMeasure::SourceWeight, "source_weight", "Weight on the source", "source", "",
         "Mean weight on the source while a digit is answered."},
        {HeadMeasure::OwnEntry, "own_entry", "Weight on the own entry", "own entry", "",
         "Mean weight inside the entry that is asked, while a digit is answered."},
        {HeadMeasure::FirstToken, "first_token", "Weight on the first token", "first token", "",
         "Mean weight on position 0 (a sink), while a digit is answered."},
        {HeadMeasure::OtherValues, "other_values", "Weight on other values", "other values", "",
         "Mean weight on value digits of other entries, the source excepted, while a digit is answered."},
        {HeadMeasure::Elsewhere, "elsewhere", "Weight elsewhere", "elsewhere", "",
         "Mean weight on keys and markers of other entries, while a digit is answered."},
        {HeadMeasure::KeyMatching, "key_matching", "Key matching", "matching", "",
         "Mean weight from a key digit of the second occurrence to the token after the same digits at the first one "
         "(induction)."},
        {HeadMeasure::PreviousToken, "previous_token", "Weight on the previous token", "previous", "",
         "Mean weight on the token before."},
        {HeadMeasure::FixedOffset, "fixed_offset", "Weight at a fixed offset", "fixed offset", "",
         "The largest of the mean weights on the token a fixed number of tokens back."},
        {HeadMeasure::Entropy, "entropy", "Entropy", "entropy", "nats",
         "Mean entropy of the weights while a digit is answered."},
        {HeadMeasure::MeanDistance, "mean_distance", "Mean distance", "distance", "tokens",
         "Mean distance back, weighted, while a digit is answered."},
        {HeadMeasure::NegativeLogits, "negative_logits", "Weight won by negative logits", "negative", "",
         "Squared logits: mean weight on keys whose logit is negative, while a digit is answered."},
    }};
    return kMeasures;
}

const MeasureInfo &measureInfo(HeadMeasure measure)
{
    return headMeasures()[static_cast<std::size_t>(measure)];
}

bool isMeant(HeadMeasure measure, const model::SublayerInfo &layer)
{
    switch (measure) {
    case HeadMeasure::Retrieval:
    case HeadMeasure::KeyMatching:
        return !layer.isWindowed;
    case HeadMeasure::NegativeLogits:
        return layer.hasSoftmaxMap && layer.logits == model::LogitForm::Squared;
    default:
        return true;
    }
}

void Scores::keepMeant(const model::SublayerInfo &layer)
{
    for (const MeasureInfo &info : headMeasures()) {
        if (!isMeant(info.measure, layer))
            (*this)[info.measure].reset();
    }
}

HeadMeasure measureFromId(std::string_view id)
{
    std::vector<std::string> known;
    for (const MeasureInfo &info : headMeasures()) {
        if (info.id == id)
            return info.measure;
        known.emplace_back(info.id);
    }
    throw Error(inQuotes(id), "There is no such measure.", didYouMean(id, known) + "There are " + joined(known) + ".");
}

const HeadScores *HeadTable::find(const HeadId &id) const
{
    const auto found = std::ranges::find(heads, id, &HeadScores::id);
    return found == heads.end() ? nullptr : &*found;
}

std::vector<HeadId> retrievalHeads(const HeadTable &table)
{
    const auto valueOf = [](const HeadScores &head, HeadMeasure measure) {
        return head.scores[measure] ? head.scores[measure]->value : -1.0;
    };
    std::vector<HeadScores> heads = table.heads;
    std::ranges::stable_sort(heads, std::greater(),
                             [&](const HeadScores &head) { return valueOf(head, HeadMeasure::Retrieval); });
    std::vector<HeadId> ids;
    for (const HeadScores &head : heads) {
        if (valueOf(head, HeadMeasure::Retrieval) > kRetrievalHead)
            ids.push_back(head.id);
    }
    if (!ids.empty() || heads.empty())
        return ids;
    return {std::ranges::max_element(table.heads, {}, [&](const HeadScores &head) {
                return valueOf(head, HeadMeasure::SourceWeight);
            })->id};
}

} // namespace lookback::circuit
