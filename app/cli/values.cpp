// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/values.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "core/json.h"
#include "core/near_names.h"

namespace lookback::cli {

namespace {

constexpr std::size_t kMostSeeds = 1000;

/// All of the text as one number; std::from_chars: the same under every locale.
template <typename Number> std::optional<Number> numberIn(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::vector<std::string_view> splitAtCommas(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos)
            return parts;
        text.remove_prefix(comma + 1);
    }
}

} // namespace

std::int64_t countValue(std::string_view option, std::string_view text, std::int64_t minimum, std::int64_t maximum)
{
    const auto value = numberIn<std::int64_t>(text);
    if (!value || *value < minimum || *value > maximum) {
        throw UsageError(std::string(option),
                         inQuotes(text) + " is not a whole number from " + grouped(minimum) + " to " + grouped(maximum)
                             + ".");
    }
    return *value;
}

std::vector<std::int64_t> countList(std::string_view option, const std::vector<std::string> &texts,
                                    std::int64_t minimum, std::int64_t maximum)
{
    std::vector<std::int64_t> values;
    for (const std::string &text : texts) {
        for (const std::string_view part : splitAtCommas(text)) {
            if (!numberIn<std::int64_t>(part)) {
                throw UsageError(std::string(option), inQuotes(text) + " is not a list of whole numbers.",
                                 "Write it like 8,16,32.");
            }
            values.push_back(countValue(option, part, minimum, maximum));
        }
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

std::vector<double> realList(std::string_view option, const std::vector<std::string> &texts, double minimum,
                             double maximum)
{
    std::vector<double> values;
    for (const std::string &text : texts) {
        for (const std::string_view part : splitAtCommas(text)) {
            const auto value = numberIn<double>(part);
            if (!value || !(*value >= minimum && *value <= maximum)) {
                throw UsageError(std::string(option),
                                 inQuotes(text) + " is not a list of numbers from " + realText(minimum) + " to "
                                     + realText(maximum) + ".",
                                 "Write it like 0.5,1,2.");
            }
            if (std::find(values.begin(), values.end(), *value) == values.end())
                values.push_back(*value);
        }
    }
    return values;
}

std::vector<std::uint64_t> seedList(std::string_view option, const std::vector<std::string> &texts)
{
    std::vector<std::uint64_t> seeds;
    const auto add = [&](std::uint64_t seed) {
        if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end())
            seeds.push_back(seed);
        if (seeds.size() > kMostSeeds) {
            throw UsageError(std::string(option),
                             "These are more than " + grouped(std::int64_t{kMostSeeds}) + " seeds.");
        }
    };
    for (const std::string &text : texts) {
        for (const std::string_view part : splitAtCommas(text)) {
            const std::size_t dash = part.find('-');
            const auto first = numberIn<std::uint64_t>(part.substr(0, dash));
            const auto last = dash == std::string_view::npos ? first : numberIn<std::uint64_t>(part.substr(dash + 1));
            if (!first || !last) {
                throw UsageError(std::string(option),
                                 inQuotes(text) + " is not a seed, a range or a list of seeds (0 to "
                                     + std::to_string(std::numeric_limits<std::uint64_t>::max()) + ").",
                                 "Write it like 0, 0-4 or 0,2,7.");
            }
            if (*first > *last) {
                throw UsageError(std::string(option), "The range " + inQuotes(part) + " runs backwards.",
                                 "Write the smaller seed first.");
            }
            for (std::uint64_t seed = *first;; ++seed) {
                add(seed);
                if (seed == *last)
                    break;
            }
        }
    }
    return seeds;
}

std::vector<std::string> nameList(std::string_view option, const std::vector<std::string> &texts)
{
    std::vector<std::string> names;
    for (const std::string &text : texts) {
        for (const std::string_view part : splitAtCommas(text)) {
            if (part.empty())
                throw UsageError(std::string(option), inQuotes(text) + " holds an empty name.");
            names.emplace_back(part);
        }
    }
    return names;
}

std::string choiceValue(std::string_view option, std::string_view text, const std::vector<std::string> &choices)
{
    if (std::find(choices.begin(), choices.end(), text) != choices.end())
        return std::string(text);
    std::string remedy = didYouMean(text, choices);
    if (remedy.ends_with(' '))
        remedy.pop_back();
    throw UsageError(std::string(option), inQuotes(text) + " is not one of the choices: " + joined(choices) + ".",
                     remedy);
}

} // namespace lookback::cli
