// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attention_view.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "core/error.h"

namespace lookback::analysis {

namespace {

/// A weight beside the largest one is worth a clause from here on.
constexpr float kNoticeable = 0.1F;

/// Keys and values have at most nine digits.
std::string ordinal(std::int64_t index)
{
    static constexpr const char *kWords[] = {"first", "second",  "third",  "fourth", "fifth",
                                             "sixth", "seventh", "eighth", "ninth"};
    return kWords[index];
}

std::string fixedText(double value, int decimals)
{
    char buffer[64];
    const std::to_chars_result end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
    return end.ec == std::errc() ? std::string(buffer, end.ptr) : std::string("?");
}

/// The key with its leading zeros.
std::string keyText(const task::Sequence &sequence, std::int64_t entry)
{
    std::string digits = std::to_string(sequence.entries[static_cast<std::size_t>(entry)].key);
    const auto wanted = static_cast<std::size_t>(sequence.shape.key_digits);
    if (digits.size() < wanted)
        digits.insert(0, wanted - digits.size(), '0');
    return digits;
}

std::string entryText(std::int64_t entry)
{
    return "entry " + std::to_string(entry);
}

/// "the second key digit (4) of entry 6"
std::string partText(const PositionMeaning &meaning)
{
    switch (meaning.part) {
    case PositionMeaning::Part::StartKey:
        return "the StartKey of " + entryText(meaning.entry);
    case PositionMeaning::Part::StartValue:
        return "the StartValue of " + entryText(meaning.entry);
    case PositionMeaning::Part::KeyDigit:
        return "the " + ordinal(meaning.digit) + " key digit (" + task::tokenWord(meaning.token) + ") of "
            + entryText(meaning.entry);
    case PositionMeaning::Part::ValueDigit:
        break;
    }
    return "the " + ordinal(meaning.digit) + " value digit (" + task::tokenWord(meaning.token) + ") of "
        + entryText(meaning.entry);
}

/// Where the digit that the query predicts stood before; nothing if it predicts no second occurrence.
std::optional<std::int64_t> formerPosition(const task::Sequence &sequence, std::int64_t query)
{
    PredictedDigit predicted;
    if (!predictsValueDigit(sequence, query, &predicted) || !predicted.isScored)
        return {};
    const std::int64_t partner = sequence.entries[static_cast<std::size_t>(predicted.entry)].partner;
    return sequence.predictionPosition(partner, predicted.digit) + 1;
}

/// The visible key of largest magnitude besides `first` and `second`; -1 if there is none.
template <typename Map> // HeadMap or HeadRows
std::int64_t heaviestBesides(const Map &map, std::int64_t query, std::int64_t first, std::int64_t second)
{
    std::int64_t best = -1;
    for (std::int64_t key = 0; key <= query; ++key) {
        if (key == first || key == second || !map.isVisible(query, key))
            continue;
        if (best < 0 || std::abs(map.at(query, key)) > std::abs(map.at(query, best)))
            best = key;
    }
    return best;
}

} // namespace

std::string weightText(float weight)
{
    if (!std::isfinite(weight))
        return "not a number";
    if (weight < 0.0F) {
        if (weight > -0.00005F)
            return "more than \u22120.0001";
        return weight <= -0.99995F && weight > -1.0F ? "less than \u22120.9999" : "\u2212" + weightText(-weight);
    }
    const double value = static_cast<double>(weight);
    if (value == 0.0)
        return "0";
    if (value < 0.005)
        return value < 0.00005 ? "less than 0.0001" : fixedText(value, 4);
    if (value < 1.0 && value >= 0.995)
        return value >= 0.99995 ? "more than 0.9999" : fixedText(value, 4);
    return fixedText(value, 2);
}

std::string placeText(const task::Sequence &sequence, std::int64_t query, std::int64_t key)
{
    const PositionMeaning meaning = meaningOf(sequence, key);
    if (formerPosition(sequence, query) == key)
        return "the same digit (" + task::tokenWord(meaning.token) + ") at its first occurrence ("
            + entryText(meaning.entry) + ")";
    std::string text = partText(meaning);
    if (key == query)
        return "itself, " + text;
    const task::Entry &entry = sequence.entries[static_cast<std::size_t>(meaning.entry)];
    PredictedDigit predicted;
    if (predictsValueDigit(sequence, query, &predicted) && predicted.entry != meaning.entry
        && sequence.entries[static_cast<std::size_t>(predicted.entry)].key == entry.key)
        text += ", which holds the same key";
    return text;
}

std::string questionText(const task::Sequence &sequence, std::int64_t query)
{
    const std::string subject = "Query " + std::to_string(query) + " predicts ";
    PredictedDigit predicted;
    if (predictsValueDigit(sequence, query, &predicted)) {
        return subject + "the " + ordinal(predicted.digit) + " value digit of key " + keyText(sequence, predicted.entry)
            + " (" + entryText(predicted.entry)
            + (predicted.isScored ? ", second occurrence)."
                                  : ", first occurrence: nothing before it tells the value).");
    }
    if (query + 1 >= std::ssize(sequence.tokens))
        return "Query " + std::to_string(query) + " is the last position.";
    return subject + partText(meaningOf(sequence, query + 1)) + ".";
}

PositionMeaning meaningOf(const task::Sequence &sequence, std::int64_t position)
{
    if (position < 0 || position >= std::ssize(sequence.tokens))
        throw Error("position " + std::to_string(position),
                    "The sequence has " + std::to_string(sequence.tokens.size()) + " tokens, numbered from 0.");
    PositionMeaning meaning;
    meaning.position = position;
    meaning.entry = position / sequence.shape.entryTokens();
    meaning.token = sequence.tokens[static_cast<std::size_t>(position)];
    const std::int64_t offset = position % sequence.shape.entryTokens();
    const std::int64_t startValue = 1 + sequence.shape.key_digits;
    if (offset == 0) {
        meaning.part = PositionMeaning::Part::StartKey;
    } else if (offset < startValue) {
        meaning.part = PositionMeaning::Part::KeyDigit;
        meaning.digit = offset - 1;
    } else if (offset == startValue) {
        meaning.part = PositionMeaning::Part::StartValue;
    } else {
        meaning.part = PositionMeaning::Part::ValueDigit;
        meaning.digit = offset - startValue - 1;
    }
    return meaning;
}

bool predictsValueDigit(const task::Sequence &sequence, std::int64_t position, PredictedDigit *out)
{
    if (position < 0 || position + 1 >= std::ssize(sequence.tokens))
        return false;
    const PositionMeaning next = meaningOf(sequence, position + 1);
    if (next.part != PositionMeaning::Part::ValueDigit)
        return false;
    if (out)
        *out = {.entry = next.entry,
                .digit = next.digit,
                .isScored = sequence.entries[static_cast<std::size_t>(next.entry)].isSecondOccurrence};
    return true;
}

namespace {

template <typename Map> // HeadMap or HeadRows
std::string sentenceOf(const Example &example, const Map &map, std::int64_t query, std::int64_t key)
{
    const task::Sequence &sequence = example.sequence;
    std::string text = questionText(sequence, query) + " ";
    const std::string position = "position " + std::to_string(key);
    if (key > query)
        return text + "The mask hides " + position + ", " + partText(meaningOf(sequence, key))
            + ": it comes after the query.";
    if (!map.isVisible(query, key))
        return text + "The mask hides " + position + ", " + partText(meaningOf(sequence, key))
            + ": it lies before the window of " + std::to_string(map.window) + " tokens.";

    const bool isRecurrence = map.kind == MapKind::RecurrenceMatrix;
    const float weight = map.at(query, key);
    if (isRecurrence)
        text += "It takes " + position + ", " + placeText(sequence, query, key) + ", with weight " + weightText(weight)
            + ".";
    else
        text += "It puts " + weightText(weight) + " on " + position + ", " + placeText(sequence, query, key) + ".";

    const std::int64_t heaviest = heaviestBesides(map, query, key, -1);
    if (heaviest < 0)
        return text;
    const auto place = [&](std::int64_t other) {
        return weightText(map.at(query, other)) + (isRecurrence ? ", has position " : ", goes to position ")
            + std::to_string(other) + ", " + placeText(sequence, query, other);
    };
    const float most = std::abs(map.at(query, heaviest));
    const bool isMore = most > std::abs(weight);
    if (!isMore && most < kNoticeable)
        return text;
    text += (isMore ? " More weight, " : " The next largest weight, ") + place(heaviest);
    const std::int64_t next = heaviestBesides(map, query, key, heaviest);
    if (next >= 0 && std::abs(map.at(query, next)) >= kNoticeable)
        text += "; " + weightText(map.at(query, next)) + (isRecurrence ? " has position " : " goes to position ")
            + std::to_string(next) + ", " + placeText(sequence, query, next);
    return text + ".";
}

} // namespace

std::string sentenceFor(const Example &example, const HeadMap &map, std::int64_t query, std::int64_t key)
{
    if (query < 0 || query >= map.queries || key < 0 || key >= map.keys)
        throw Error("cell (" + std::to_string(query) + ", " + std::to_string(key) + ")",
                    "The map has " + std::to_string(map.queries) + " queries and " + std::to_string(map.keys)
                        + " keys, numbered from 0.");
    return sentenceOf(example, map, query, key);
}

std::string sentenceFor(const Example &example, const HeadRows &rows, std::int64_t query, std::int64_t key)
{
    if (!rows.hasQuery(query) || key < 0 || key >= rows.positions)
        throw Error("cell (" + std::to_string(query) + ", " + std::to_string(key) + ")",
                    "It is not among the rows " + std::to_string(rows.firstQuery) + " to "
                        + std::to_string(rows.firstQuery + rows.rows - 1) + " of " + std::to_string(rows.positions)
                        + " positions.");
    return sentenceOf(example, rows, query, key);
}

} // namespace lookback::analysis
