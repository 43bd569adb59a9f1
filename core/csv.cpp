// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/csv.h"

#include <utility>

namespace lookback {

std::vector<std::vector<std::string>> csvRecords(std::string_view csv)
{
    std::vector<std::vector<std::string>> records;
    std::vector<std::string> record;
    std::string field;
    bool isQuoted = false;
    bool hasField = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (isQuoted) {
            if (c != '"') {
                field += c;
            } else if (i + 1 < csv.size() && csv[i + 1] == '"') {
                field += c;
                ++i;
            } else {
                isQuoted = false;
            }
        } else if (c == '"') {
            isQuoted = hasField = true;
        } else if (c == ',') {
            record.push_back(std::exchange(field, {}));
            hasField = true;
        } else if (c == '\n') {
            record.push_back(std::exchange(field, {}));
            records.push_back(std::exchange(record, {}));
            hasField = false;
        } else if (c != '\r') {
            field += c;
            hasField = true;
        }
    }
    if (hasField) {
        record.push_back(field);
        records.push_back(record);
    }
    return records;
}

} // namespace lookback
