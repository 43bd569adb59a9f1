// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Values of options, read from their text the same way under every locale. All throw UsageError naming option, text and
// what would be right.

namespace lookback::cli {

/// A whole number of minimum..maximum. "15,000", "1e3", " 5" and "+5" are refused.
std::int64_t countValue(std::string_view option, std::string_view text, std::int64_t minimum, std::int64_t maximum);

/// "8,16,32": whole numbers of minimum..maximum, ascending and without doubles in the result.
std::vector<std::int64_t> countList(std::string_view option, const std::vector<std::string> &texts,
                                    std::int64_t minimum, std::int64_t maximum);

/// "0.5,1,2": numbers of minimum..maximum, in the order given, each once.
std::vector<double> realList(std::string_view option, const std::vector<std::string> &texts, double minimum,
                             double maximum);

/// "0", "0-4", "0,2,7-9": seeds in the order given, each once; at most 1,000.
std::vector<std::uint64_t> seedList(std::string_view option, const std::vector<std::string> &texts);

/// Splits "a,b" and several texts into names; empty ones are refused.
std::vector<std::string> nameList(std::string_view option, const std::vector<std::string> &texts);

/// One of `choices`, or an error that lists them with near ones first.
std::string choiceValue(std::string_view option, std::string_view text, const std::vector<std::string> &choices);

} // namespace lookback::cli
