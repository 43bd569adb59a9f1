// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lookback {

/// Smallest number of inserted, removed, replaced or swapped neighbouring characters that turns `a` into `b`
/// (optimal string alignment).
std::size_t editDistance(std::string_view a, std::string_view b);

/// All names, those nearest to `wanted` first; names at the same distance keep their order.
std::vector<std::string> nearestFirst(std::string_view wanted, const std::vector<std::string> &names);

/// "Did you mean "window"? " if one of the names is near enough to be a slip of the fingers, else empty.
std::string didYouMean(std::string_view wanted, const std::vector<std::string> &names);

/// "a, b, c".
std::string joined(const std::vector<std::string> &names);

} // namespace lookback
