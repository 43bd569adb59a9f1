// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/config.h"

namespace lookback::configuration {

/// The member of RunConfig behind a field. Used by core/config_*.cpp only.
using Member = std::variant<std::int64_t RunConfig::*, std::uint64_t RunConfig::*, double RunConfig::*,
                            std::vector<std::int64_t> RunConfig::*, std::vector<CurriculumStage> RunConfig::*>;

/// Throws Error for an unknown name.
const Member &memberOf(std::string_view name);

/// "16384 tokens" or "3".
std::string withUnit(const ConfigField &field, const std::string &number);

/// "1 to 8192", integers written plainly.
std::string rangeText(const ConfigField &field);

/// The sentence with which a value outside the range is refused; empty if it lies inside.
std::string rangeFault(const ConfigField &field, double value, const std::string &shown);

} // namespace lookback::configuration
