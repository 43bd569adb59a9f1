// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attention_comparison.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/circuit/head_id.h"
#include "core/error.h"
#include "core/task/key_value_task.h"

namespace lookback::analysis {

namespace {

std::string digitsWords(const RunConfig &config)
{
    const auto count = [](std::int64_t digits, const std::string &what) {
        return std::to_string(digits) + " " + what + (digits == 1 ? " digit" : " digits");
    };
    return count(config.key_digits, "key") + " and " + count(config.value_digits, "value");
}

/// "+0.66", "−0.0012"; nothing is rounded to no change.
std::string changeText(float change)
{
    if (!std::isfinite(change))
        return "no difference";
    if (change == 0.0F)
        return "no change";
    if (std::abs(change) < 0.00005F)
        return "less than 0.0001 apart";
    const double size = std::abs(static_cast<double>(change));
    std::array<char, 32> digits;
    const std::to_chars_result end = std::to_chars(digits.data(), digits.data() + digits.size(), size,
                                                   std::chars_format::fixed, size < 0.005 ? 4 : 2);
    return (change > 0.0F ? "+" : "\u2212") + std::string(digits.data(), end.ptr);
}

} // namespace

std::string whyNoCommonSequence(const RunConfig &left, const RunConfig &right)
{
    if (left.key_digits != right.key_digits || left.value_digits != right.value_digits) {
        return "These runs read different sequences: the left one has " + digitsWords(left) + ", the right one "
            + digitsWords(right) + ".";
    }
    if (left.evaluation_seed != right.evaluation_seed) {
        return "These runs are evaluated on different sequences: the left one has evaluation seed "
            + std::to_string(left.evaluation_seed) + ", the right one " + std::to_string(right.evaluation_seed) + ".";
    }
    if (!(task::evaluationKeys(left) == task::evaluationKeys(right)))
        return "These runs are evaluated on different sequences: their keys are chosen in different ways.";
    return {};
}

std::string whyNoDifference(const HeadMap &left, const HeadMap &right)
{
    if (left.queries != right.queries || left.keys != right.keys) {
        return "The maps have different sizes: " + std::to_string(left.queries) + " and "
            + std::to_string(right.queries) + " positions.";
    }
    if (left.kind != right.kind) {
        return "Attention weights and the signed matrix of a recurrence are different quantities: they have no "
               "difference.";
    }
    return {};
}

HeadMap differenceOf(const HeadMap &left, const HeadMap &right)
{
    if (std::string reason = whyNoDifference(left, right); !reason.empty())
        throw Error("difference", std::move(reason));
    HeadMap difference;
    difference.layer = right.layer;
    difference.head = right.head;
    difference.kind = MapKind::Difference;
    difference.queries = right.queries;
    difference.keys = right.keys;
    difference.window = left.window == 0 || right.window == 0 ? 0 : std::max(left.window, right.window);
    difference.weights.resize(right.weights.size());
    std::ranges::transform(right.weights, left.weights, difference.weights.begin(),
                           [](float of, float from) { return of - from; });
    return difference;
}

std::int64_t narrowerWindow(const HeadMap &left, const HeadMap &right)
{
    if (left.window == right.window)
        return 0;
    if (left.window == 0 || right.window == 0)
        return std::max(left.window, right.window);
    return std::min(left.window, right.window);
}

CellReading readingAt(const HeadMap &map, std::int64_t query, std::int64_t key)
{
    return {
        .kind = map.kind, .weight = map.at(query, key), .isVisible = map.isVisible(query, key), .window = map.window};
}

std::string comparisonSentence(const Example &example, const CellReading &left, const CellReading &right,
                               std::int64_t query, std::int64_t key)
{
    if (query < 0 || query >= example.positions || key < 0 || key >= example.positions)
        throw Error("cell (" + std::to_string(query) + ", " + std::to_string(key) + ")",
                    "The maps have " + std::to_string(example.positions) + " queries and keys, numbered from 0.");
    const task::Sequence &sequence = example.sequence;
    const std::string where = questionText(sequence, query) + " Position " + std::to_string(key);
    if (key > query)
        return where + " comes after the query: both sides hide it.";
    const std::string place = where + ", " + placeText(sequence, query, key);
    if (!left.isVisible && !right.isVisible)
        return place + ", lies before the window of both sides.";
    const auto side = [](const CellReading &reading, const char *name) {
        return reading.isVisible
            ? weightText(reading.weight) + " " + name
            : std::string("not visible ") + name + " (window of " + std::to_string(reading.window) + ")";
    };
    const std::string text = place + ": " + side(left, "left") + ", " + side(right, "right");
    if (left.kind != right.kind)
        return text + ".";
    return text + ", " + changeText(right.weight - left.weight) + ".";
}

std::string interventionText(const circuit::Intervention &intervention)
{
    if (intervention.heads.empty())
        return "intact";
    return "without " + circuit::headsText(intervention.heads) + " ("
        + std::string(circuit::removalName(intervention.removal)) + ")";
}

std::string unusedPatternNote(const circuit::Intervention &intervention, std::int64_t layer, std::int64_t head)
{
    const circuit::HeadId id{layer, head};
    if (std::ranges::find(intervention.heads, id) == intervention.heads.end()
        || intervention.removal == circuit::Removal::Uniform)
        return {};
    return "Head " + circuit::headText(id) + " is removed: its pattern is shown, but "
        + (intervention.removal == circuit::Removal::Zero ? "nothing that it reads is used."
                                                          : "its mean output is used instead of what it reads.");
}

std::string untouchedNote(const circuit::Intervention &removed, std::int64_t layer, std::int64_t head,
                          std::int64_t layers)
{
    const circuit::HeadId id{layer, head};
    const auto first = std::ranges::min_element(removed.heads, {}, &circuit::HeadId::layer);
    if (first == removed.heads.end() || layer > first->layer)
        return {};
    if (removed.removal == circuit::Removal::Uniform && std::ranges::find(removed.heads, id) != removed.heads.end())
        return {}; // it is shown as the uniform pattern that it has become
    return "A removal acts on later layers only: removing " + circuit::headsText(removed.heads) + " leaves the map of "
        + circuit::headText(id) + " as it is, and the difference is 0 everywhere. "
        + (first->layer + 1 < layers
               ? "Heads of layer " + std::to_string(first->layer + 1)
                   + (first->layer + 2 < layers ? " and later can differ." : " can differ.")
               : "No layer comes after layer " + std::to_string(first->layer) + ": only the answers can differ.");
}

} // namespace lookback::analysis
