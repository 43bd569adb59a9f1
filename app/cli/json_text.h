// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace lookback::cli {

/// JSON whose members keep the order in which they were added.
using Json = nlohmann::ordered_json;

/// A number as strict JSON: non-finite ones are the strings of realToJson, as in metrics.jsonl; nothing is null.
Json jsonNumber(const std::optional<double> &number);

/// One line without the line end; bytes that are no UTF-8 (in file names) are replaced.
std::string jsonLine(const Json &value);

} // namespace lookback::cli
