// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison of two heads prints.
#include <algorithm>

#include "app/cli/attention_compare.h"
#include "app/cli/attention_text.h"
#include "app/cli/console.h"
#include "app/cli/json_text.h"
#include "core/analysis/attention_comparison.h"

namespace lookback::cli {

namespace {

std::string sideText(const analysis::Example &example, const analysis::HeadMap &map)
{
    std::string text = example.variant + ", step " + grouped(example.key.step);
    if (!example.key.intervention.heads.empty())
        text += ", " + analysis::interventionText(example.key.intervention);
    return text + ", layer " + std::to_string(map.layer) + " ("
        + example.layers[static_cast<std::size_t>(map.layer)].words() + "), head " + std::to_string(map.head);
}

std::string rightValues(const analysis::Example &example)
{
    return grouped(std::ranges::count_if(example.answers, &analysis::Answer::isExact)) + " of "
        + grouped(std::ssize(example.answers));
}

Json sideJson(const analysis::Example &example, const analysis::HeadMap &map)
{
    const bool isSoftmax = map.kind == analysis::MapKind::AttentionWeights;
    return {{"run", example.key.runFolder},
            {"variant", example.variant},
            {"step", example.key.step},
            {"removed", removedJson(example.key.intervention)},
            {"mode", modeJson(example.key.intervention)},
            {"layer", map.layer},
            {"layer_words", example.layers[static_cast<std::size_t>(map.layer)].words()},
            {"head", map.head},
            {"map", isSoftmax ? "attention_weights" : "recurrence_matrix"},
            {"window", map.window}};
}

Json answerJson(const analysis::Answer &answer)
{
    return {{"predicted", answer.predicted}, {"exact", answer.isExact()}, {"probabilities", probabilitiesJson(answer)}};
}

} // namespace

Cell clearestDifference(const analysis::Example &example, const analysis::HeadMap &left, const analysis::HeadMap &right,
                        std::int64_t query)
{
    const bool hasDifference = analysis::whyNoDifference(left, right).empty();
    const analysis::HeadMap map = hasDifference ? analysis::differenceOf(left, right) : right;
    if (query >= 0)
        return {query, strongestKey(map, query)};
    const std::int64_t clearest = clearestQuery(example, map);
    for (const analysis::Answer &answer : example.answers) {
        for (std::int64_t digit = 0; digit < std::ssize(answer.truth); ++digit) {
            if (example.sequence.predictionPosition(answer.entry, digit) == clearest)
                return {clearest, matchPosition(example, answer, digit)};
        }
    }
    return {clearest, strongestKey(map, clearest)};
}

std::string whySame(const analysis::Example &leftExample, const analysis::HeadMap &left,
                    const analysis::Example &rightExample, const analysis::HeadMap &right)
{
    const analysis::ExampleKey &of = leftExample.key;
    const analysis::ExampleKey &other = rightExample.key;
    if (of.runFolder != other.runFolder || of.step != other.step || !of.intervention.heads.empty()
        || left.layer != right.layer || left.head != right.head)
        return {};
    return analysis::untouchedNote(other.intervention, right.layer, right.head, std::ssize(rightExample.layers));
}

std::string comparisonText(const analysis::Example &leftExample, const analysis::HeadMap &left,
                           const analysis::Example &rightExample, const analysis::HeadMap &right, Cell cell)
{
    std::string text = "Left:  " + sideText(leftExample, left) + "\nRight: " + sideText(rightExample, right)
        + "\nn = " + grouped(leftExample.key.n_keys) + ", sequence " + grouped(leftExample.key.sequence) + " ("
        + grouped(leftExample.positions) + " positions)\n\n";
    using Align = TextTable::Align;
    TextTable table({{"key", Align::Right},
                     {"value", Align::Right},
                     {"left", Align::Right},
                     {"probability of the value", Align::Left},
                     {"right", Align::Right},
                     {"probability of the value", Align::Left}});
    for (std::size_t i = 0; i < leftExample.answers.size(); ++i) {
        const analysis::Answer &of = leftExample.answers[i];
        std::vector<std::string> cells{keyDigits(leftExample, of), digitsText(of.truth)};
        for (const analysis::Example *example : {&leftExample, &rightExample}) {
            const analysis::Answer &answer = example->answers[i];
            std::string probabilities;
            for (std::size_t d = 0; d < answer.truth.size(); ++d) {
                const auto token = static_cast<std::size_t>(answer.truth[d]);
                probabilities += (d > 0 ? " " : "") + fixed(answer.probabilities[d][token], 2);
            }
            cells.push_back(digitsText(answer.predicted));
            cells.push_back(std::move(probabilities));
        }
        table.addRow(std::move(cells));
    }
    text += table.text() + rightValues(leftExample) + " values right at the left, " + rightValues(rightExample)
        + " at the right\n\n";
    const std::string noDifference = analysis::whyNoDifference(left, right);
    if (!noDifference.empty())
        text += wrapped(noDifference, 80, 0) + "\n";
    const std::string same = whySame(leftExample, left, rightExample, right);
    if (!same.empty())
        text += wrapped(same, 80, 0) + "\n";
    const std::string note = analysis::unusedPatternNote(rightExample.key.intervention, right.layer, right.head);
    if (!note.empty())
        text += wrapped(note, 80, 0) + "\n";
    const auto [query, key] = cell;
    return text
        + wrapped(analysis::comparisonSentence(leftExample, analysis::readingAt(left, query, key),
                                               analysis::readingAt(right, query, key), query, key),
                  80, 0)
        + "\n";
}

std::string comparisonJson(const analysis::Example &leftExample, const analysis::HeadMap &left,
                           const analysis::Example &rightExample, const analysis::HeadMap &right, bool hasWeights)
{
    Json answers = Json::array();
    for (std::size_t i = 0; i < leftExample.answers.size(); ++i) {
        const analysis::Answer &answer = leftExample.answers[i];
        answers.push_back({{"entry", answer.entry},
                           {"first_entry", answer.firstEntry},
                           {"key", answer.key},
                           {"truth", answer.truth},
                           {"left", answerJson(answer)},
                           {"right", answerJson(rightExample.answers.at(i))}});
    }
    const Json json = {{"kind", "lookback-attention-comparison"},
                       {"format_version", 1},
                       {"left", sideJson(leftExample, left)},
                       {"right", sideJson(rightExample, right)},
                       {"n_keys", leftExample.key.n_keys},
                       {"sequence", leftExample.key.sequence},
                       {"queries", left.queries},
                       {"keys", left.keys},
                       {"key_digits", leftExample.sequence.shape.key_digits},
                       {"value_digits", leftExample.sequence.shape.value_digits},
                       {"tokens", leftExample.sequence.tokens},
                       {"entries", entriesJson(leftExample)},
                       {"answers", answers}};
    std::string text = jsonLine(json);
    if (hasWeights) {
        text.pop_back(); // the closing brace; a float a cell would lose its shortest spelling inside Json
        text += ",\"left_weights\":" + weightsText(left) + ",\"right_weights\":" + weightsText(right);
        const bool hasDifference = analysis::whyNoDifference(left, right).empty();
        text += ",\"difference\":"
            + (hasDifference ? weightsText(analysis::differenceOf(left, right)) : std::string("null")) + "}";
    }
    return text;
}

} // namespace lookback::cli
