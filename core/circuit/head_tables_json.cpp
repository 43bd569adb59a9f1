// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/circuit/head_measures.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_members.h"
#include "core/measured_file.h"

namespace lookback::circuit {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// More heads or layers than any run has.
constexpr std::size_t kMostScores = 1'000'000;
/// Nats and tokens stay far below.
constexpr double kLargestScore = 1e12;
/// Shares are sums of float32 weights.
constexpr double kRounding = 1e-5;

ordered_json number(double value)
{
    return ordered_json(realToJson(value));
}

ordered_json scoresToJson(const Scores &scores)
{
    ordered_json object = ordered_json::object();
    for (const MeasureInfo &info : headMeasures()) {
        if (const std::optional<Measured> &measured = scores[info.measure])
            object[std::string(info.id)] = {number(measured->value), number(measured->low), number(measured->high)};
    }
    ordered_json offsets = ordered_json::array();
    for (const double offset : scores.offsets)
        offsets.push_back(number(offset));
    object["offsets"] = std::move(offsets);
    object["strongest_offset"] = scores.strongestOffset;
    return object;
}

ordered_json layerToJson(const model::SublayerInfo &info)
{
    return {{"design", info.design},
            {"rotary_fraction", number(info.rotaryFraction)},
            {"windowed", info.isWindowed},
            {"squared", info.logits == model::LogitForm::Squared},
            {"softmax_map", info.hasSoftmaxMap}};
}

ordered_json tableToJson(const HeadTable &table)
{
    ordered_json layers = ordered_json::array();
    for (const model::SublayerInfo &info : table.layers)
        layers.push_back(layerToJson(info));
    ordered_json heads = ordered_json::array();
    for (const HeadScores &head : table.heads)
        heads.push_back({{"layer", head.id.layer},
                         {"head", head.id.head},
                         {"kv_head", head.kvHead},
                         {"scores", scoresToJson(head.scores)}});
    ordered_json groups = ordered_json::array();
    for (const GroupScores &group : table.groups)
        groups.push_back({{"layer", group.layer}, {"kv_head", group.kvHead}, {"scores", scoresToJson(group.scores)}});
    ordered_json means = ordered_json::array();
    for (const LayerScores &layer : table.layerMeans)
        means.push_back({{"layer", layer.layer}, {"scores", scoresToJson(layer.scores)}});
    return {{"variant", table.variant},
            {"step", table.step},
            {"n_keys", table.request.n_keys},
            {"sequences", table.request.sequences},
            {"answers_of_sequence", table.request.answersOfSequence},
            {"evaluation_seed", table.evaluationSeed},
            {"window", table.window},
            {"positions", table.positions},
            {"answers", table.answers},
            {"right_answers", table.rightAnswers},
            {"layers", std::move(layers)},
            {"heads", std::move(heads)},
            {"groups", std::move(groups)},
            {"layer_means", std::move(means)}};
}

constexpr DamageWords kDamage{.what = "The measured heads are damaged", .remedy = "They are measured anew."};
constexpr MeasuredFileKind kKind{
    .format = "lookback-head-measures", .version = 1, .content = "The measured heads", .damage = kDamage};

class Members : public JsonMembers {
public:
    Members(const json &object, const std::string &subject) : JsonMembers(object, subject, kDamage), m_subject(subject)
    {
    }

    const json &list(const char *name) const { return JsonMembers::list(name, kMostScores); }
    /// Without what means nothing for such a layer: earlier versions wrote 0 there.
    Scores scores(const model::SublayerInfo &layer) const
    {
        Scores scores = scoresFromJson(at("scores"), m_subject);
        scores.keepMeant(layer);
        return scores;
    }

private:
    static Scores scoresFromJson(const json &value, const std::string &subject)
    {
        const Members members(value, subject);
        Scores scores;
        for (const MeasureInfo &info : headMeasures()) {
            const std::string id(info.id);
            if (!value.contains(id))
                continue;
            const json &numbers = members.list(id.c_str());
            if (numbers.size() != 3)
                members.refuse(inQuotes(id) + " has not three numbers");
            const Measured measured{.value = members.real(numbers[0], id.c_str()),
                                    .low = members.real(numbers[1], id.c_str()),
                                    .high = members.real(numbers[2], id.c_str())};
            // Bounds of a single sequence are infinite. NaN fails every comparison.
            const double least = info.isShare() ? 0.0 : -kLargestScore;
            const double most = info.isShare() ? 1.0 : kLargestScore;
            const bool isInRange = measured.value >= least - kRounding && measured.value <= most + kRounding;
            if (!isInRange || !(measured.low <= measured.value + kRounding)
                || !(measured.high >= measured.value - kRounding))
                members.refuse(inQuotes(id) + " is no mean with its interval");
            scores[info.measure] = measured;
        }
        for (const json &offset : members.list("offsets"))
            scores.offsets.push_back(members.real(offset, "offsets"));
        scores.strongestOffset = members.count("strongest_offset");
        if (scores.offsets.size() != kOffsets || scores.strongestOffset >= kOffsets)
            members.refuse("\"offsets\" has not " + std::to_string(kOffsets) + " numbers");
        return scores;
    }

    const std::string &m_subject;
};

model::SublayerInfo layerFromJson(const json &value, const std::string &subject)
{
    const Members members(value, subject);
    return {.design = members.text("design"),
            .rotaryFraction = members.real("rotary_fraction"),
            .isWindowed = members.truth("windowed"),
            .logits = members.truth("squared") ? model::LogitForm::Squared : model::LogitForm::Plain,
            .hasSoftmaxMap = members.truth("softmax_map")};
}

/// Every head, key-value head and layer is there once, in order.
bool isWhole(const HeadTable &table)
{
    const std::size_t layers = table.layers.size();
    if (layers == 0 || table.heads.empty() || table.heads.size() % layers != 0 || table.layerMeans.size() != layers)
        return false;
    const std::size_t heads = table.heads.size() / layers;
    auto group = table.groups.begin();
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
        const HeadScores &head = table.heads[i];
        const auto layer = static_cast<std::int64_t>(i / heads);
        if (head.id != HeadId{layer, static_cast<std::int64_t>(i % heads)})
            return false;
        const bool isFirstOfLayer = i % heads == 0;
        const std::int64_t before = isFirstOfLayer ? -1 : table.heads[i - 1].kvHead;
        if (head.kvHead == before)
            continue;
        if (head.kvHead != before + 1 || group == table.groups.end() || group->layer != layer
            || group->kvHead != head.kvHead)
            return false;
        ++group;
    }
    const auto isInOrder = [&](const LayerScores &mean) { return mean.layer == &mean - table.layerMeans.data(); };
    return group == table.groups.end() && std::ranges::all_of(table.layerMeans, isInOrder);
}

HeadTable tableFromJson(const json &value, const std::string &subject)
{
    const Members members(value, subject);
    HeadTable table;
    table.variant = members.text("variant");
    table.step = members.count("step");
    table.request = {.n_keys = members.count("n_keys"),
                     .sequences = members.count("sequences"),
                     .answersOfSequence = members.count("answers_of_sequence")};
    table.evaluationSeed = members.seed("evaluation_seed");
    table.window = members.count("window");
    table.positions = members.count("positions");
    table.answers = members.count("answers");
    table.rightAnswers = members.count("right_answers");
    for (const json &layer : members.list("layers"))
        table.layers.push_back(layerFromJson(layer, subject));
    const auto layers = static_cast<std::int64_t>(table.layers.size());
    const auto layerOf = [&](const Members &of) {
        const std::int64_t layer = of.count("layer");
        if (layer >= layers)
            of.refuse("\"layer\" is none of the layers");
        return layer;
    };
    const auto scoresOf = [&](const Members &of) {
        return of.scores(table.layers[static_cast<std::size_t>(layerOf(of))]);
    };
    for (const json &item : members.list("heads")) {
        const Members head(item, subject);
        table.heads.push_back(
            {.id = {layerOf(head), head.count("head")}, .kvHead = head.count("kv_head"), .scores = scoresOf(head)});
    }
    for (const json &item : members.list("groups")) {
        const Members group(item, subject);
        table.groups.push_back({.layer = layerOf(group), .kvHead = group.count("kv_head"), .scores = scoresOf(group)});
    }
    for (const json &item : members.list("layer_means")) {
        const Members mean(item, subject);
        table.layerMeans.push_back({.layer = layerOf(mean), .scores = scoresOf(mean)});
    }
    if (!isWhole(table))
        members.refuse("\"heads\", \"groups\" and \"layer_means\" are not those of all layers in order");
    return table;
}

} // namespace

std::string headTablesToJson(const std::vector<HeadTable> &tables, const std::string &fingerprint)
{
    ordered_json list = ordered_json::array();
    for (const HeadTable &table : tables)
        list.push_back(tableToJson(table));
    return measuredFileText(kKind, fingerprint, std::move(list));
}

std::vector<HeadTable> headTablesFromJson(std::string_view text, const std::string &subject, std::string *fingerprint)
{
    const json object = parseJson(text, subject);
    std::vector<HeadTable> tables;
    for (const json &table : measuredTables(object, subject, kKind, fingerprint))
        tables.push_back(tableFromJson(table, subject));
    return tables;
}

} // namespace lookback::circuit
