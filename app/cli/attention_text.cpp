// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/attention_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "app/cli/console.h"
#include "app/cli/json_text.h"
#include "core/analysis/attention_comparison.h"

namespace lookback::cli {

namespace {

std::string layerWords(const analysis::Example &example, const analysis::HeadMap &map)
{
    return example.layers[static_cast<std::size_t>(map.layer)].words();
}

/// Shortest text that reads back as the same float; maps hold finite numbers only.
void appendNumber(std::string &text, float number)
{
    std::array<char, 32> buffer;
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
    if (error == std::errc{} && std::isfinite(number))
        text.append(buffer.data(), end);
    else
        text += "\"NaN\"";
}

Json answerJson(const analysis::Example &example, const analysis::HeadMap &map, const analysis::Answer &answer)
{
    Json digits = Json::array();
    for (std::size_t d = 0; d < answer.truth.size(); ++d) {
        const auto digit = static_cast<std::int64_t>(d);
        const std::int64_t query = example.sequence.predictionPosition(answer.entry, digit);
        const std::int64_t key = matchPosition(example, answer, digit);
        digits.push_back({{"query", query}, {"match", key}, {"weight", jsonNumber(map.at(query, key))}});
    }
    return {{"entry", answer.entry},
            {"first_entry", answer.firstEntry},
            {"key", answer.key},
            {"truth", answer.truth},
            {"predicted", answer.predicted},
            {"exact", answer.isExact()},
            {"probabilities", probabilitiesJson(answer)},
            {"digits", digits}};
}

} // namespace

std::string digitsText(const std::vector<int> &digits)
{
    std::string text;
    for (const int digit : digits)
        text += task::tokenCharacter(digit);
    return text;
}

std::string keyDigits(const analysis::Example &example, const analysis::Answer &answer)
{
    std::string key = std::to_string(answer.key);
    const auto digits = static_cast<std::size_t>(example.sequence.shape.key_digits);
    key.insert(0, digits > key.size() ? digits - key.size() : 0, '0');
    return key;
}

std::string weightsText(const analysis::HeadMap &map)
{
    std::string text = "[";
    for (std::int64_t query = 0; query < map.queries; ++query) {
        text += query > 0 ? ",[" : "[";
        for (std::int64_t key = 0; key < map.keys; ++key) {
            if (key > 0)
                text += ',';
            appendNumber(text, map.at(query, key));
        }
        text += ']';
    }
    return text + "]";
}

Json probabilitiesJson(const analysis::Answer &answer)
{
    Json probabilities = Json::array();
    for (const std::vector<float> &row : answer.probabilities) {
        Json numbers = Json::array();
        for (const float value : row)
            numbers.push_back(jsonNumber(value));
        probabilities.push_back(numbers);
    }
    return probabilities;
}

Json entriesJson(const analysis::Example &example)
{
    Json entries = Json::array();
    for (const task::Entry &entry : example.sequence.entries) {
        entries.push_back({{"key", entry.key},
                           {"value", entry.value},
                           {"second_occurrence", entry.isSecondOccurrence},
                           {"partner", entry.partner}});
    }
    return entries;
}

Json removedJson(const circuit::Intervention &intervention)
{
    Json heads = Json::array();
    for (const circuit::HeadId &id : intervention.heads)
        heads.push_back(circuit::headText(id));
    return heads;
}

Json modeJson(const circuit::Intervention &intervention)
{
    return intervention.heads.empty() ? Json() : Json(circuit::removalName(intervention.removal));
}

std::int64_t matchPosition(const analysis::Example &example, const analysis::Answer &answer, std::int64_t digit)
{
    return example.sequence.predictionPosition(answer.firstEntry, digit) + 1; // the token after its predicting position
}

double meanWeightOnMatches(const analysis::Example &example, const analysis::HeadMap &map)
{
    double sum = 0.0;
    std::int64_t count = 0;
    for (const analysis::Answer &answer : example.answers) {
        for (std::size_t d = 0; d < answer.truth.size(); ++d) {
            const auto digit = static_cast<std::int64_t>(d);
            sum +=
                map.at(example.sequence.predictionPosition(answer.entry, digit), matchPosition(example, answer, digit));
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

std::int64_t clearestQuery(const analysis::Example &example, const analysis::HeadMap &map)
{
    std::int64_t clearest = 0;
    double most = -1.0;
    for (const analysis::Answer &answer : example.answers) {
        for (std::size_t d = 0; d < answer.truth.size(); ++d) {
            const auto digit = static_cast<std::int64_t>(d);
            const std::int64_t query = example.sequence.predictionPosition(answer.entry, digit);
            const double weight = std::abs(map.at(query, matchPosition(example, answer, digit)));
            if (weight > most) {
                most = weight;
                clearest = query;
            }
        }
    }
    return clearest;
}

std::int64_t strongestKey(const analysis::HeadMap &map, std::int64_t query)
{
    std::int64_t strongest = 0;
    for (std::int64_t key = 1; key < map.keys; ++key) {
        if (std::abs(map.at(query, key)) > std::abs(map.at(query, strongest)))
            strongest = key;
    }
    return strongest;
}

std::string attentionText(const analysis::Example &example, const analysis::HeadMap &map, std::int64_t query)
{
    const std::string without =
        example.key.intervention.heads.empty() ? "" : ", " + analysis::interventionText(example.key.intervention);
    std::string text = example.variant + ", step " + grouped(example.key.step) + without
        + ", n = " + grouped(example.key.n_keys) + ", sequence " + grouped(example.key.sequence) + " ("
        + grouped(example.positions) + " positions)\n" + "Layer " + std::to_string(map.layer) + " ("
        + layerWords(example, map) + "), head " + std::to_string(map.head);
    text += map.kind == analysis::MapKind::AttentionWeights
        ? "; it puts " + percent(meanWeightOnMatches(example, map)) + " of its weight on the digits to be retrieved\n\n"
        : "; a recurrence has no softmax: its numbers are the signed matrix that it amounts to\n\n";

    using Align = TextTable::Align;
    TextTable table({{"key", Align::Right},
                     {"value", Align::Right},
                     {"predicted", Align::Right},
                     {"", Align::Left},
                     {"probability", Align::Left},
                     {"weight on the same digit at its first occurrence", Align::Left}});
    std::int64_t right = 0;
    for (const analysis::Answer &answer : example.answers) {
        std::string probabilities;
        std::string weights;
        for (std::size_t d = 0; d < answer.truth.size(); ++d) {
            const auto digit = static_cast<std::int64_t>(d);
            const auto token = static_cast<std::size_t>(answer.predicted[d]);
            probabilities += (d > 0 ? " " : "") + fixed(answer.probabilities[d][token], 2);
            weights += (d > 0 ? " " : "")
                + fixed(map.at(example.sequence.predictionPosition(answer.entry, digit),
                               matchPosition(example, answer, digit)),
                        2);
        }
        right += answer.isExact() ? 1 : 0;
        table.addRow({keyDigits(example, answer), digitsText(answer.truth), digitsText(answer.predicted),
                      answer.isExact() ? "right" : "wrong", probabilities, weights});
    }
    text += table.text() + grouped(right) + " of " + grouped(static_cast<std::int64_t>(example.answers.size()))
        + " values right\n\n";

    const std::string note = analysis::unusedPatternNote(example.key.intervention, map.layer, map.head);
    if (!note.empty())
        text += wrapped(note, 80, 0) + "\n";
    return text + wrapped(analysis::sentenceFor(example, map, query, strongestKey(map, query)), 80, 0) + "\n";
}

std::string attentionJson(const analysis::Example &example, const analysis::HeadMap &map, bool hasWeights)
{
    Json answers = Json::array();
    for (const analysis::Answer &answer : example.answers)
        answers.push_back(answerJson(example, map, answer));
    const bool isSoftmax = map.kind == analysis::MapKind::AttentionWeights;
    const Json json = {{"kind", "lookback-attention"},
                       {"format_version", 1},
                       {"run", example.key.runFolder},
                       {"variant", example.variant},
                       {"step", example.key.step},
                       {"removed", removedJson(example.key.intervention)},
                       {"mode", modeJson(example.key.intervention)},
                       {"n_keys", example.key.n_keys},
                       {"sequence", example.key.sequence},
                       {"layer", map.layer},
                       {"layer_words", layerWords(example, map)},
                       {"head", map.head},
                       {"map", isSoftmax ? "attention_weights" : "recurrence_matrix"},
                       {"queries", map.queries},
                       {"keys", map.keys},
                       {"window", map.window},
                       {"key_digits", example.sequence.shape.key_digits},
                       {"value_digits", example.sequence.shape.value_digits},
                       {"tokens", example.sequence.tokens},
                       {"entries", entriesJson(example)},
                       {"answers", answers}};
    std::string text = jsonLine(json);
    if (hasWeights) {
        text.pop_back(); // the closing brace; a float a cell would lose its shortest spelling inside Json
        text += ",\"weights\":" + weightsText(map) + "}";
    }
    return text;
}

} // namespace lookback::cli
