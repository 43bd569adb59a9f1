// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lookback::cli {

/// Those of `known` that someone who typed `wanted` may have meant (typing slips, beginnings), nearest first, at
/// most 3.
std::vector<std::string> nearNames(std::string_view wanted, const std::vector<std::string> &known);

/// "Did you mean "--seed" or "--steps"?", or `otherwise` if nothing is near.
std::string didYouMean(std::string_view wanted, const std::vector<std::string> &known, std::string_view otherwise);

} // namespace lookback::cli
