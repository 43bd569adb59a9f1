// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/progress.h"

namespace lookback::cli {

/// One running thing as it is shown.
struct ProgressLine {
    std::string name; ///< "hybrid_square-seed0"
    std::int64_t done = 0; ///< Of total; draws the bar.
    std::int64_t total = 0; ///< 0 while not known.
    std::string text; ///< "step 1,200 of 15,000, n = 4, loss 1.21, 31.00 %, 12 min left"
    bool operator==(const ProgressLine &) const = default;
};

/// Progress on standard error. On a terminal: a block of lines with bars that is redrawn in place, at most ten times a
/// second. Elsewhere (a file, a pipe, TERM=dumb): plain lines, one a running thing at a bounded rate, so that a long
/// training leaves a readable log. Silent if `isQuiet`. Used from one thread.
class ProgressPrinter {
public:
    explicit ProgressPrinter(bool isQuiet = false);
    ~ProgressPrinter(); ///< Takes the block off the screen.
    ProgressPrinter(const ProgressPrinter &) = delete;
    ProgressPrinter &operator=(const ProgressPrinter &) = delete;

    void show(const std::vector<ProgressLine> &lines);
    /// A line that stays, above the block.
    void say(std::string_view sentence);
    /// Removes the block, before other output.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    void draw(const std::vector<ProgressLine> &lines);
    void writePlain(const std::vector<ProgressLine> &lines);

    bool m_isQuiet;
    bool m_isTerminal;
    Clock::time_point m_began;
    Clock::time_point m_last; ///< Last drawing or round of plain lines.
    std::size_t m_drawn = 0; ///< Lines of the block on screen.
    std::vector<ProgressLine> m_shown;
};

/// "66 of 128 sequences, 3 min left" for a Progress of core.
std::string progressText(const Progress &progress);

} // namespace lookback::cli
