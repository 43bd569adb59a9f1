// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json_members.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"

namespace lookback {

using nlohmann::json;

JsonMembers::JsonMembers(const json &object, const std::string &subject, const DamageWords &words)
    : m_object(object), m_subject(subject), m_words(words)
{
    if (!object.is_object())
        refuse("an entry is not an object");
}

void JsonMembers::refuse(const std::string &what) const
{
    throw Error(m_subject, std::string(m_words.what) + ": " + what + ".", m_words.remedy);
}

const json &JsonMembers::at(const char *name) const
{
    const auto found = m_object.find(name);
    if (found == m_object.end())
        refuse(inQuotes(name) + " is missing");
    return *found;
}

std::string JsonMembers::text(const char *name) const
{
    if (!at(name).is_string())
        refuse(inQuotes(name) + " is not a text");
    return at(name).get<std::string>();
}

bool JsonMembers::truth(const char *name) const
{
    if (!at(name).is_boolean())
        refuse(inQuotes(name) + " is neither true nor false");
    return at(name).get<bool>();
}

std::int64_t JsonMembers::count(const char *name) const
{
    return countOf(at(name), name);
}

std::vector<std::int64_t> JsonMembers::counts(const char *name) const
{
    std::vector<std::int64_t> values;
    for (const json &item : list(name))
        values.push_back(countOf(item, name));
    return values;
}

std::uint64_t JsonMembers::seed(const char *name) const
{
    const auto number = unsignedFromJson(at(name));
    if (!number)
        refuse(inQuotes(name) + " is not a whole number from 0 on");
    return *number;
}

double JsonMembers::real(const char *name) const
{
    return real(at(name), name);
}

double JsonMembers::real(const json &item, const char *name) const
{
    const auto number = realFromJson(item);
    if (!number)
        refuse(inQuotes(name) + " is not a number");
    return *number;
}

double JsonMembers::share(const char *name) const
{
    const double value = real(name);
    if (!(value >= 0.0 && value <= 1.0))
        refuse(inQuotes(name) + " is not between 0 and 1");
    return value;
}

const json &JsonMembers::list(const char *name, std::size_t most) const
{
    if (!at(name).is_array() || at(name).size() > most)
        refuse(inQuotes(name) + " is not a list");
    return at(name);
}

std::int64_t JsonMembers::countOf(const json &value, const char *name) const
{
    const auto number = integerFromJson(value);
    if (!number || *number < 0)
        refuse(inQuotes(name) + " is not a whole number from 0 on");
    return *number;
}

} // namespace lookback
