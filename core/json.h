// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace lookback {

/// Strict JSON: a name that occurs twice in an object is refused, nothing may follow the value, and the result does
/// not depend on the locale. Throws Error with `subject`; the parser's own words are its details.
nlohmann::json parseJson(std::string_view text, const std::string &subject);

/// As parseJson, but members keep their order; a repeated name keeps its last value.
nlohmann::ordered_json parseOrderedJson(std::string_view text, const std::string &subject);

/// As parseJson, but nothing instead of an Error. For records of which one may be damaged.
std::optional<nlohmann::json> tryParseJson(std::string_view text);

/// A real number, also a non-finite one: JSON has none, so those are spelt as the strings "NaN", "Infinity" and
/// "-Infinity". Used in every file of Lookback.
nlohmann::json realToJson(double value);
/// The number of realToJson; also reads integers. Nothing if it is anything else.
std::optional<double> realFromJson(const nlohmann::json &value);

/// The shortest text that reads back to exactly this number, with a dot whatever the locale: plain decimals from 1e-6
/// to 1e15, as people write them, else "2.5e-9"; the words of realToJson for non-finite ones.
std::string realText(double value);

/// A whole number that fits, or nothing: 3 and 3.0 are whole, 3.5, true and "3" are not.
std::optional<std::int64_t> integerFromJson(const nlohmann::json &value);
std::optional<std::uint64_t> unsignedFromJson(const nlohmann::json &value);

/// Text from outside for a sentence: line breaks and control characters replaced, broken UTF-8 too, long text cut in
/// the middle. In quotation marks.
std::string inQuotes(std::string_view text);

} // namespace lookback
