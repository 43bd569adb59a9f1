// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/heads_text.h"

#include <algorithm>
#include <functional>

#include "app/cli/console.h"
#include "app/cli/json_text.h"
#include "app/cli/line_forms.h"

namespace lookback::cli {

namespace {

using circuit::HeadMeasure;
using circuit::Measured;

std::string valueText(const circuit::MeasureInfo &info, const std::optional<Measured> &measured)
{
    if (!measured)
        return "-";
    return fixed(measured->value, info.isShare() ? 3 : info.measure == HeadMeasure::Entropy ? 2 : 1);
}

std::string shareInterval(const std::optional<Measured> &measured)
{
    return measured ? fixed(measured->low, 3) + ".." + fixed(measured->high, 3) : "-";
}

/// One measured thing: a head, a key-value head or a layer.
struct Unit {
    std::string kind;
    std::int64_t layer = 0;
    std::optional<std::int64_t> head;
    std::optional<std::int64_t> kvHead;
    const circuit::Scores &scores;
};

void eachUnit(const circuit::HeadTable &table, const std::function<void(const Unit &)> &function)
{
    for (const circuit::HeadScores &head : table.heads)
        function({"head", head.id.layer, head.id.head, head.kvHead, head.scores});
    for (const circuit::GroupScores &group : table.groups)
        function({"kv_head", group.layer, {}, group.kvHead, group.scores});
    for (const circuit::LayerScores &layer : table.layerMeans)
        function({"layer", layer.layer, {}, {}, layer.scores});
}

Json optionalCount(const std::optional<std::int64_t> &count)
{
    return count ? Json(*count) : Json(nullptr);
}

} // namespace

circuit::HeadTable sortedBy(circuit::HeadTable table, circuit::HeadMeasure measure)
{
    const auto isBefore = [measure](const auto &left, const auto &right) {
        const std::optional<Measured> &a = left.scores[measure];
        const std::optional<Measured> &b = right.scores[measure];
        return a && (!b || a->value > b->value);
    };
    std::ranges::stable_sort(table.heads, isBefore);
    std::ranges::stable_sort(table.groups, isBefore);
    std::ranges::stable_sort(table.layerMeans, isBefore);
    return table;
}

std::string headsText(const circuit::HeadTable &table)
{
    using Align = TextTable::Align;
    std::vector<TextTable::Column> columns{{"head"}};
    for (const circuit::MeasureInfo &info : circuit::headMeasures()) {
        columns.push_back({std::string(info.heading), Align::Right});
        if (info.measure == HeadMeasure::Retrieval || info.measure == HeadMeasure::KeyMatching)
            columns.push_back({"95 %", Align::Right});
        if (info.measure == HeadMeasure::FixedOffset)
            columns.push_back({"back", Align::Right});
    }
    TextTable text(std::move(columns));
    for (const circuit::HeadScores &head : table.heads) {
        std::vector<std::string> cells{circuit::headText(head.id)};
        for (const circuit::MeasureInfo &info : circuit::headMeasures()) {
            const std::optional<Measured> &measured = head.scores[info.measure];
            cells.push_back(valueText(info, measured));
            if (info.measure == HeadMeasure::Retrieval || info.measure == HeadMeasure::KeyMatching)
                cells.push_back(shareInterval(measured));
            if (info.measure == HeadMeasure::FixedOffset)
                cells.push_back(std::to_string(head.scores.strongestOffset));
        }
        text.addRow(std::move(cells));
    }
    return table.variant + ", step " + grouped(table.step) + ", n = " + grouped(table.request.n_keys) + ": "
        + grouped(table.answers) + " answers of " + grouped(table.request.sequences) + " sequences, "
        + (table.answers > 0
               ? percent(static_cast<double>(table.rightAnswers) / static_cast<double>(table.answers)) + " right"
               : "their values all stand within the window")
        + "\n" + text.text();
}

std::string headsJson(const std::string &run, const circuit::HeadTable &table)
{
    std::string text;
    eachUnit(table, [&](const Unit &unit) {
        Json measures = Json::object();
        for (const circuit::MeasureInfo &info : circuit::headMeasures()) {
            const std::optional<Measured> &measured = unit.scores[info.measure];
            measures[std::string(info.id)] = measured
                ? Json{jsonNumber(measured->value), jsonNumber(measured->low), jsonNumber(measured->high)}
                : Json(nullptr);
        }
        Json offsets = Json::array();
        for (const double offset : unit.scores.offsets)
            offsets.push_back(jsonNumber(offset));
        text += jsonLine({{"run", run},
                          {"variant", table.variant},
                          {"step", table.step},
                          {"n_keys", table.request.n_keys},
                          {"sequences", table.request.sequences},
                          {"answers", table.answers},
                          {"right_answers", table.rightAnswers},
                          {"positions", table.positions},
                          {"kind", unit.kind},
                          {"layer", unit.layer},
                          {"head", optionalCount(unit.head)},
                          {"kv_head", optionalCount(unit.kvHead)},
                          {"layer_words", table.layers[static_cast<std::size_t>(unit.layer)].words()},
                          {"measures", std::move(measures)},
                          {"offsets", std::move(offsets)},
                          {"strongest_offset", unit.scores.strongestOffset}})
            + "\n";
    });
    return text;
}

std::string headsCsvHeader()
{
    return csvLine({"run", "variant", "step", "n_keys", "sequences", "kind", "layer", "head", "kv_head", "measure",
                    "value", "low", "high"});
}

std::string headsCsv(const std::string &run, const circuit::HeadTable &table)
{
    std::string text;
    const auto optionalText = [](const std::optional<std::int64_t> &number) {
        return number ? std::to_string(*number) : std::string();
    };
    eachUnit(table, [&](const Unit &unit) {
        for (const circuit::MeasureInfo &info : circuit::headMeasures()) {
            const std::optional<Measured> &measured = unit.scores[info.measure];
            if (!measured)
                continue;
            text += csvLine({run, table.variant, std::to_string(table.step), std::to_string(table.request.n_keys),
                             std::to_string(table.request.sequences), unit.kind, std::to_string(unit.layer),
                             optionalText(unit.head), optionalText(unit.kvHead), std::string(info.id),
                             csvNumber(measured->value), csvNumber(measured->low), csvNumber(measured->high)});
        }
    });
    return text;
}

} // namespace lookback::cli
