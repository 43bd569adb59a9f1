// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lookback::cli {

struct CommandEntry;

/// Help of the program: what it is and its commands.
std::string programHelp();

/// Help of one command, 80 columns: description, usage, options by group, examples.
std::string commandHelp(const CLI::App &app, const CommandEntry &entry);

} // namespace lookback::cli
