// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/line_forms.h"

#include <algorithm>

#include "core/csv.h"
#include "core/json.h"
#include "core/run/npy.h"

namespace lookback::cli {

std::string csvLine(const std::vector<std::string> &fields)
{
    std::string line;
    for (const std::string &field : fields) {
        if (&field != &fields.front())
            line += ',';
        if (field.find_first_of(",\"\r\n") == std::string::npos) {
            line += field;
            continue;
        }
        line += '"';
        for (const char character : field)
            line += character == '"' ? std::string("\"\"") : std::string(1, character);
        line += '"';
    }
    return line + "\n";
}

std::string csvNumber(std::optional<double> number)
{
    return number ? realText(*number) : std::string();
}

std::string csvOf(const std::vector<Json> &lines, bool isFirst)
{
    if (lines.empty())
        return {};
    std::vector<std::string> names;
    for (const auto &member : lines.front().items())
        names.push_back(member.key());
    std::string text = isFirst ? csvLine(names) : std::string();
    for (const Json &line : lines) {
        std::vector<std::string> fields;
        for (const std::string &name : names) {
            const Json &value = line.at(name);
            std::string field;
            if (value.is_array()) {
                for (const Json &item : value)
                    field += (field.empty() ? "" : " ") + item.get<std::string>();
            } else if (value.is_string()) {
                field = value.get<std::string>();
            } else if (!value.is_null()) {
                field = jsonLine(value);
            }
            fields.push_back(field);
        }
        text += csvLine(fields);
    }
    return text;
}

std::string jsonOfCsv(std::string_view csv)
{
    const std::vector<std::vector<std::string>> records = csvRecords(csv);
    std::string text;
    for (std::size_t record = 1; record < records.size(); ++record) {
        Json line = Json::object();
        for (std::size_t i = 0; i < std::min(records.front().size(), records[record].size()); ++i) {
            const std::string &name = records.front()[i];
            const std::string &field = records[record][i];
            const run::ColumnKind kind = run::columnKind(name);
            // Numbers stand in the table as they do in JSON; words of numbers that are not finite are texts in both.
            const bool isWord = field == "NaN" || field == "Infinity" || field == "-Infinity";
            if (kind == run::ColumnKind::Text || (!field.empty() && isWord))
                line[name] = field;
            else if (field.empty())
                line[name] = nullptr;
            else if (kind == run::ColumnKind::Truth)
                line[name] = field == "yes" || field == "true";
            else
                line[name] = parseOrderedJson(field, name);
        }
        text += jsonLine(line) + "\n";
    }
    return text;
}

std::string linesOf(const std::vector<Json> &lines)
{
    std::string text;
    for (const Json &line : lines)
        text += jsonLine(line) + "\n";
    return text;
}

} // namespace lookback::cli
