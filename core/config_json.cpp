// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/config.h"
#include "core/config_access.h"
#include "core/error.h"
#include "core/json.h"
#include "core/near_names.h"

namespace lookback {

namespace {

// nlohmann::ordered_json keeps the order of configFields in the file.
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char *kVariant = "variant";

ordered_json toJson(std::int64_t value)
{
    return value;
}

ordered_json toJson(std::uint64_t value)
{
    return value;
}

ordered_json toJson(double value)
{
    return ordered_json(realToJson(value));
}

ordered_json toJson(const std::vector<std::int64_t> &values)
{
    return values;
}

ordered_json toJson(const std::vector<CurriculumStage> &stages)
{
    ordered_json list = ordered_json::array();
    for (const CurriculumStage &stage : stages)
        list.push_back({{"n_keys", stage.n_keys}, {"until_step", stage.until_step}});
    return list;
}

[[noreturn]] void refuse(const ConfigField &field, const json &value)
{
    throw Error(std::string(field.name),
                "The value " + inQuotes(value.dump(-1, ' ', false, json::error_handler_t::replace))
                    + " is not what this setting holds.",
                "Allowed: " + configuration::rangeText(field) + ".");
}

std::int64_t integerOf(const ConfigField &field, const json &value)
{
    const auto number = integerFromJson(value);
    if (!number)
        refuse(field, value);
    return *number;
}

void fromJson(std::int64_t &target, const ConfigField &field, const json &value)
{
    target = integerOf(field, value);
}

void fromJson(std::uint64_t &target, const ConfigField &field, const json &value)
{
    const auto number = unsignedFromJson(value);
    if (!number)
        refuse(field, value);
    target = *number;
}

void fromJson(double &target, const ConfigField &field, const json &value)
{
    const auto number = realFromJson(value);
    if (!number)
        refuse(field, value);
    target = *number;
}

void fromJson(std::vector<std::int64_t> &target, const ConfigField &field, const json &value)
{
    if (!value.is_array())
        refuse(field, value);
    target.clear();
    for (const json &item : value)
        target.push_back(integerOf(field, item));
}

void fromJson(std::vector<CurriculumStage> &target, const ConfigField &field, const json &value)
{
    if (!value.is_array())
        refuse(field, value);
    target.clear();
    for (const json &item : value) {
        if (!item.is_object() || item.size() != 2 || !item.contains("n_keys") || !item.contains("until_step"))
            refuse(field, item);
        target.push_back({integerOf(field, item["n_keys"]), integerOf(field, item["until_step"])});
    }
}

} // namespace

std::string configToJson(const RunConfig &config)
{
    ordered_json object = ordered_json::object();
    object[kVariant] = config.variant;
    for (const ConfigField &field : configFields()) {
        std::visit([&](auto member) { object[std::string(field.name)] = toJson(config.*member); },
                   configuration::memberOf(field.name));
    }
    return object.dump(2);
}

RunConfig configFromJson(std::string_view text)
{
    const json object = parseJson(text, "Configuration");
    if (!object.is_object())
        throw Error("Configuration", "A configuration is a JSON object of settings.", "Restore the file from a copy.");
    RunConfig config;
    for (const auto &[name, value] : object.items()) {
        if (name == kVariant) {
            if (!value.is_string())
                throw Error(kVariant, "The variant is not a name in quotation marks.", "Restore the file from a copy.");
            config.variant = value.get<std::string>();
            continue;
        }
        const ConfigField &field = configField(name);
        std::visit([&, &item = value](auto member) { fromJson(config.*member, field, item); },
                   configuration::memberOf(name));
    }
    return config;
}

} // namespace lookback
