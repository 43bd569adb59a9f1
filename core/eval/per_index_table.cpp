// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/per_index_table.h"

#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/json_members.h"
#include "core/measured_file.h"

namespace lookback::eval {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::int64_t kMostKeys = 1'000'000'000;
constexpr DamageWords kDamaged{"The kept losses by entry are damaged",
                               "They are measured anew, and the file is written over."};
constexpr MeasuredFileKind kKind{
    .format = "lookback-loss-by-entry", .version = 1, .content = "The kept losses by entry", .damage = kDamaged};
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

ordered_json listOf(const std::vector<IndexLoss> &losses)
{
    ordered_json list = ordered_json::array();
    for (const IndexLoss &loss : losses)
        list.push_back({realToJson(loss.mean), realToJson(loss.standardError), loss.entries});
    return list;
}

std::vector<IndexLoss> lossesIn(const JsonMembers &members, const char *name, std::int64_t entries)
{
    std::vector<IndexLoss> losses;
    for (const json &item : members.list(name, static_cast<std::size_t>(entries))) {
        const auto count = item.is_array() && item.size() == 3 ? integerFromJson(item[2]) : std::nullopt;
        if (!count || *count < 0)
            members.refuse(inQuotes(name) + " has an item that is not mean, standard error and count");
        losses.push_back(
            {.mean = members.real(item[0], name), .standardError = members.real(item[1], name), .entries = *count});
    }
    if (std::ssize(losses) != entries)
        members.refuse(inQuotes(name) + " has not an item for each entry");
    return losses;
}

} // namespace

void IndexSum::add(double loss)
{
    ++m_count;
    const double distance = loss - m_mean;
    m_mean += distance / static_cast<double>(m_count);
    m_squares += distance * (loss - m_mean);
}

IndexLoss IndexSum::loss() const
{
    const auto count = static_cast<double>(m_count);
    return {.mean = m_count > 0 ? m_mean : kNothing,
            .standardError = m_count > 1 ? std::sqrt(m_squares / ((count - 1.0) * count)) : kNothing,
            .entries = m_count};
}

std::string perIndexToJson(const std::vector<PerIndexTable> &tables, const std::string &fingerprint)
{
    ordered_json list = ordered_json::array();
    for (const PerIndexTable &table : tables) {
        list.push_back({{"variant", table.variant},
                        {"step", table.step},
                        {"n_keys", table.request.n_keys},
                        {"sequences", table.request.sequences},
                        {"evaluation_seed", table.evaluationSeed},
                        {"all", listOf(table.all)},
                        {"first", listOf(table.first)},
                        {"second", listOf(table.second)}});
    }
    return measuredFileText(kKind, fingerprint, std::move(list));
}

std::vector<PerIndexTable> perIndexFromJson(std::string_view text, const std::string &subject, std::string *fingerprint)
{
    const json object = parseJson(text, subject);
    std::vector<PerIndexTable> tables;
    for (const json &item : measuredTables(object, subject, kKind, fingerprint)) {
        const JsonMembers table(item, subject, kDamaged);
        PerIndexTable read{.variant = table.text("variant"),
                           .step = table.count("step"),
                           .request = {.n_keys = table.count("n_keys"), .sequences = table.count("sequences")},
                           .evaluationSeed = table.seed("evaluation_seed"),
                           .all = {},
                           .first = {},
                           .second = {}};
        if (read.request.n_keys > kMostKeys)
            table.refuse("\"n_keys\" is larger than that of any sequence");
        const std::int64_t entries = 2 * read.request.n_keys;
        read.all = lossesIn(table, "all", entries);
        read.first = lossesIn(table, "first", entries);
        read.second = lossesIn(table, "second", entries);
        tables.push_back(std::move(read));
    }
    return tables;
}

} // namespace lookback::eval
