// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured_file.h"

#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/newer_format.h"

namespace lookback {

namespace {

constexpr std::size_t kMostTables = 1'000'000; // more than any run has

} // namespace

std::string measuredFileText(const MeasuredFileKind &kind, const std::string &fingerprint,
                             nlohmann::ordered_json tables)
{
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    object["format"] = kind.format;
    object["format_version"] = kind.version;
    object["weights"] = fingerprint;
    object["tables"] = std::move(tables);
    return object.dump() + "\n";
}

const nlohmann::json &measuredTables(const nlohmann::json &object, const std::string &subject,
                                     const MeasuredFileKind &kind, std::string *fingerprint)
{
    const JsonMembers members(object, subject, kind.damage);
    if (members.text("format") != kind.format)
        members.refuse("the file is of the kind " + inQuotes(members.text("format")));
    const std::int64_t version = members.count("format_version");
    if (version > kind.version) {
        throw NewerFormat(subject,
                          std::string(kind.content) + " are in format " + std::to_string(version)
                              + "; this Lookback (" LOOKBACK_VERSION ") reads up to format "
                              + std::to_string(kind.version) + ".",
                          "They are measured anew, and the file is left as it is.");
    }
    const std::string weights = members.text("weights");
    if (fingerprint)
        *fingerprint = weights;
    return members.list("tables", kMostTables);
}

} // namespace lookback
