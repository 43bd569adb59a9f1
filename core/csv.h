// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lookback {

/// The records of a CSV text (RFC 4180; "\n" and "\r\n" as line ends), header first; fields without their quotes.
std::vector<std::vector<std::string>> csvRecords(std::string_view csv);

} // namespace lookback
