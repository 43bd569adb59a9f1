// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
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

/// A JSON object a line.
std::string linesOf(const std::vector<Json> &lines);

} // namespace lookback::cli
