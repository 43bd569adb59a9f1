// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace lookback::desktop {

/// What the command line of the window asks for.
struct Options {
    bool isHelpWanted = false;
    bool isVersionWanted = false;
    std::string runsFolder; ///< Empty = the one of the settings.
    std::string screenshotsFolder; ///< Not empty: draw every page into it and end.
    std::vector<std::string> toOpen; ///< Run folders, runs folders and set-ups named on the command line.
    std::string fault; ///< One sentence if the command line makes no sense.
};

/// Reads the command line without Qt; options of Qt itself (-platform, -style, ...) are passed over.
Options parseOptions(int argc, char **argv);

std::string helpText();

/// Why no window can be shown here: one sentence; empty if one can. Looks at the environment only.
std::string displayProblem(int argc, char **argv);

} // namespace lookback::desktop
