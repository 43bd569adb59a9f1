// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json.h"

#include <array>
#include <charconv>
#include <clocale>
#include <cmath>
#include <limits>
#include <locale.h>
#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace lookback {

namespace {

using nlohmann::json;

/// The calling thread reads and writes numbers with a dot while one of these lives: the parser uses strtod inside,
/// which obeys the locale, and some locales have a decimal sign of several bytes that it cannot handle.
class DotNumbers {
public:
    DotNumbers() : m_locale(newlocale(LC_NUMERIC_MASK, "C", nullptr))
    {
        if (m_locale != nullptr)
            m_former = uselocale(m_locale);
    }
    ~DotNumbers()
    {
        if (m_locale == nullptr)
            return;
        uselocale(m_former);
        freelocale(m_locale);
    }
    DotNumbers(const DotNumbers &) = delete;
    DotNumbers &operator=(const DotNumbers &) = delete;

private:
    locale_t m_locale;
    locale_t m_former = nullptr;
};

/// Reading deeply nested values, and letting go of them, would need a stack of their depth.
bool isTooDeep(std::string_view text)
{
    constexpr int kMostDepth = 64; // files of Lookback have five
    int depth = 0;
    bool isInText = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char character = text[i];
        if (isInText) {
            if (character == '\\')
                ++i;
            else if (character == '"')
                isInText = false;
        } else if (character == '"') {
            isInText = true;
        } else if (character == '[' || character == '{') {
            if (++depth > kMostDepth)
                return true;
        } else if (character == ']' || character == '}') {
            --depth;
        }
    }
    return false;
}

constexpr const char *kTooDeep = "Its values are nested more than 64 deep.";

json parsedStrictly(std::string_view text, std::string &fault)
{
    if (isTooDeep(text)) {
        fault = kTooDeep;
        return nullptr;
    }
    const DotNumbers dotNumbers;
    std::vector<std::set<std::string>> namesByDepth;
    const auto watchNames = [&](int /*depth*/, json::parse_event_t event, json &parsed) {
        if (event == json::parse_event_t::object_start) {
            namesByDepth.emplace_back();
        } else if (event == json::parse_event_t::object_end) {
            namesByDepth.pop_back();
        } else if (event == json::parse_event_t::key) {
            auto name = parsed.get<std::string>();
            if (!namesByDepth.back().insert(name).second && fault.empty())
                fault = "The name " + inQuotes(name) + " occurs twice in one object.";
        }
        return true;
    };
    try {
        return json::parse(text, watchNames);
    } catch (const json::exception &error) {
        fault = error.what();
        return nullptr;
    }
}

constexpr const char *kNotANumber = "NaN";
constexpr const char *kInfinity = "Infinity";
constexpr const char *kMinusInfinity = "-Infinity";
constexpr double kTwoTo63 = 9223372036854775808.0;

} // namespace

json parseJson(std::string_view text, const std::string &subject)
{
    std::string fault;
    json parsed = parsedStrictly(text, fault);
    if (!fault.empty())
        throw Error(subject, text.empty() ? "The file is empty." : "This is not valid JSON.",
                    "Restore the file from a copy, or delete it.", fault);
    return parsed;
}

nlohmann::ordered_json parseOrderedJson(std::string_view text, const std::string &subject)
{
    if (isTooDeep(text))
        throw Error(subject, "This is not valid JSON.", "Restore the file from a copy, or delete it.", kTooDeep);
    const DotNumbers dotNumbers;
    try {
        return nlohmann::ordered_json::parse(text);
    } catch (const json::exception &error) {
        throw Error(subject, "This is not valid JSON.", "Restore the file from a copy, or delete it.", error.what());
    }
}

std::optional<json> tryParseJson(std::string_view text)
{
    std::string fault;
    json parsed = parsedStrictly(text, fault);
    if (!fault.empty())
        return std::nullopt;
    return parsed;
}

json realToJson(double value)
{
    if (std::isnan(value))
        return kNotANumber;
    if (std::isinf(value))
        return value > 0 ? kInfinity : kMinusInfinity;
    return value;
}

std::string realText(double value)
{
    if (!std::isfinite(value))
        return realToJson(value).get<std::string>();
    // Plain decimals where people write them so; both forms are the shortest that read back exactly.
    const double size = std::abs(value);
    const bool isPlain = size == 0.0 || (size >= 1e-6 && size < 1e15);
    std::array<char, 64> buffer{};
    const auto [end, fault] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                            isPlain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text = fault == std::errc() ? std::string(buffer.data(), end) : std::string();
    // "1e-09" and "1e+20" as people write them: "1e-9", "1e20"
    const std::size_t exponent = text.find('e');
    if (exponent != std::string::npos) {
        const std::size_t digits = text.find_first_not_of("+-0", exponent + 1);
        const bool isNegative = text[exponent + 1] == '-';
        if (digits != std::string::npos)
            text.erase(isNegative ? exponent + 2 : exponent + 1, digits - exponent - (isNegative ? 2 : 1));
    }
    return text;
}

std::optional<double> realFromJson(const json &value)
{
    if (value.is_number())
        return value.get<double>();
    if (!value.is_string())
        return std::nullopt;
    const auto &text = value.get_ref<const std::string &>();
    if (text == kNotANumber)
        return std::numeric_limits<double>::quiet_NaN();
    if (text == kInfinity)
        return std::numeric_limits<double>::infinity();
    if (text == kMinusInfinity)
        return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

std::optional<std::int64_t> integerFromJson(const json &value)
{
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (std::in_range<std::int64_t>(number))
            return static_cast<std::int64_t>(number);
        return std::nullopt;
    }
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (value.is_number_float()) {
        const auto number = value.get<double>();
        if (number == std::floor(number) && number >= -kTwoTo63 && number < kTwoTo63)
            return static_cast<std::int64_t>(number);
    }
    return std::nullopt;
}

std::optional<std::uint64_t> unsignedFromJson(const json &value)
{
    if (value.is_number_unsigned())
        return value.get<std::uint64_t>();
    const auto number = integerFromJson(value);
    if (number && *number >= 0)
        return static_cast<std::uint64_t>(*number);
    return std::nullopt;
}

std::string inQuotes(std::string_view text)
{
    constexpr std::size_t kLongest = 80;
    std::string shown;
    if (text.size() > kLongest)
        shown =
            std::string(text.substr(0, kLongest / 2)) + "..." + std::string(text.substr(text.size() - kLongest / 2));
    else
        shown = text;
    // Control characters as \\x1b, so that no terminal obeys them.
    std::string visible;
    for (const char character : shown) {
        const auto code = static_cast<unsigned char>(character);
        constexpr std::string_view kDigits = "0123456789abcdef";
        if (code < 0x20 || code == 0x7F)
            visible += {'\\', 'x', kDigits[code / 16], kDigits[code % 16]};
        else
            visible += character;
    }
    // The serialiser replaces bytes that are no UTF-8, among them characters cut above.
    std::string whole = json(visible).dump(-1, ' ', false, json::error_handler_t::replace);
    std::string plain = "\"";
    for (std::size_t i = 1; i + 1 < whole.size(); ++i) {
        if (whole[i] == '\\' && i + 2 < whole.size())
            ++i;
        plain += whole[i];
    }
    return plain + "\"";
}

} // namespace lookback
