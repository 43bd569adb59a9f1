// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace lookback::cli {

/// The variants that the values of --variant name, each once, in the order given; "all" means all. Throws UsageError or
/// Error for an unknown one, with near names.
std::vector<std::string> chosenVariants(const std::vector<std::string> &texts);

} // namespace lookback::cli
