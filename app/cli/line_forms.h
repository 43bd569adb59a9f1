// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/json_text.h"

namespace lookback::cli {

/// The fields as a line of CSV with its line end; quoted where they need it.
std::string csvLine(const std::vector<std::string> &fields);

/// A number for CSV: as realText, empty if there is none.
std::string csvNumber(std::optional<double> number);

/// Objects with the same members as CSV with a header; lists of texts with blanks between, null empty. `isFirst`: with
/// the header.
std::string csvOf(const std::vector<Json> &lines, bool isFirst = true);

/// The same table as a JSON object a line: numbers, true and false, texts by the kind of the column
/// (run::columnKind); null where the table has nothing.
std::string jsonOfCsv(std::string_view csv);

/// A JSON object a line.
std::string linesOf(const std::vector<Json> &lines);

} // namespace lookback::cli
