// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/circuit/knockout.h"

namespace lookback::cli {

// What `knockout` prints, as tables, JSON lines and CSV. `run`: the folder.

std::string knockoutText(const circuit::Knockout &knockout);
std::string knockoutJson(const std::string &run, const circuit::Knockout &knockout);
std::string knockoutCsv(const std::string &run, const circuit::Knockout &knockout);

std::string gridText(const circuit::KnockoutGrid &grid);
std::string gridJson(const std::string &run, const circuit::KnockoutGrid &grid);
std::string gridCsv(const std::string &run, const circuit::KnockoutGrid &grid);

std::string smallestText(const circuit::SmallestSets &sets);
std::string smallestJson(const std::string &run, const circuit::SmallestSets &sets);
std::string smallestCsv(const std::string &run, const circuit::SmallestSets &sets);

} // namespace lookback::cli
