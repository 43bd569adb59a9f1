// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_printer.h"

#include <algorithm>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "app/cli/console.h"

namespace lookback::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto kRedrawEvery = 100ms;
constexpr std::int64_t kBarWidth = 20;

bool isProgressTerminal()
{
    const char *terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb"
        && *terminal != '\0';
}

struct TerminalSize {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

TerminalSize terminalSize()
{
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20 || size.ws_row < 3)
        return {};
    return {size.ws_col, size.ws_row};
}

std::string cutTo(std::string text, std::size_t columns)
{
    std::size_t at = 0;
    for (std::size_t column = 0; at < text.size(); ++column) {
        std::size_t next = at + 1;
        while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U)
            ++next;
        if (column == columns) {
            text.resize(at);
            return text;
        }
        at = next;
    }
    return text;
}

std::string bar(const ProgressLine &line)
{
    if (line.total <= 0)
        return std::string("[") + std::string(static_cast<std::size_t>(kBarWidth), '.') + "]";
    const std::int64_t filled = std::clamp(line.done * kBarWidth / line.total, std::int64_t{0}, kBarWidth);
    return "[" + std::string(static_cast<std::size_t>(filled), '#')
        + std::string(static_cast<std::size_t>(kBarWidth - filled), '-') + "]";
}

/// Seconds between two rounds of plain lines: frequent at first, at most one a minute in a long training.
std::chrono::duration<double> plainInterval(std::chrono::duration<double> elapsed)
{
    return std::clamp(elapsed / 10.0, std::chrono::duration<double>(2s), std::chrono::duration<double>(60s));
}

} // namespace

ProgressPrinter::ProgressPrinter(bool isQuiet)
    : m_isQuiet(isQuiet), m_isTerminal(isProgressTerminal()), m_began(Clock::now()), m_last(m_began)
{
}

ProgressPrinter::~ProgressPrinter()
{
    clear();
}

void ProgressPrinter::show(const std::vector<ProgressLine> &lines)
{
    if (m_isQuiet)
        return;
    if (m_isTerminal) {
        if (m_drawn != 0 && (lines == m_shown || Clock::now() - m_last < kRedrawEvery))
            return;
        draw(lines);
        m_last = Clock::now();
        m_shown = lines;
    } else {
        const Clock::time_point now = Clock::now();
        if (now - m_last < plainInterval(now - m_began))
            return;
        writePlain(lines);
        m_last = now;
    }
}

void ProgressPrinter::say(std::string_view sentence)
{
    if (m_isQuiet)
        return;
    const std::vector<ProgressLine> lines = m_shown;
    clear();
    printError(printable(sentence) + "\n");
    if (m_isTerminal && !lines.empty()) {
        draw(lines);
        m_shown = lines;
    }
}

void ProgressPrinter::clear()
{
    if (m_drawn == 0)
        return;
    // up to the first line of the block, then erase to the end of the screen
    printError("\r" + (m_drawn > 1 ? "\x1b[" + std::to_string(m_drawn - 1) + "A" : std::string()) + "\x1b[J");
    m_drawn = 0;
    m_shown.clear();
}

void ProgressPrinter::draw(const std::vector<ProgressLine> &all)
{
    const TerminalSize size = terminalSize();
    const std::size_t columns = size.columns - 1; // the last column would wrap
    std::vector<ProgressLine> lines = all;
    if (lines.size() >= size.rows) // a block taller than the screen could not be drawn over
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(size.rows - 1));
    std::size_t nameWidth = 0;
    for (const ProgressLine &line : lines)
        nameWidth = std::max(nameWidth, screenWidth(printable(line.name)));
    nameWidth = std::min<std::size_t>(nameWidth, 36);
    std::string text = m_drawn > 1 ? "\r\x1b[" + std::to_string(m_drawn - 1) + "A" : "\r";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string line = cutTo(printable(lines[i].name), nameWidth);
        line.append(nameWidth - screenWidth(line), ' ');
        line += " " + bar(lines[i]) + " " + lines[i].text;
        text += (i > 0 ? "\n" : "") + cutTo(line, columns) + "\x1b[K";
    }
    printError(text + "\x1b[J");
    m_drawn = lines.size();
}

void ProgressPrinter::writePlain(const std::vector<ProgressLine> &lines)
{
    std::string text;
    for (const ProgressLine &line : lines) {
        text += printable(line.name) + ": " + line.text;
        if (line.total > 0)
            text += " (" + fixed(100.0 * static_cast<double>(line.done) / static_cast<double>(line.total), 0) + " %)";
        text += "\n";
    }
    if (!text.empty())
        printError(text);
}

std::string progressText(const Progress &progress)
{
    std::string text = progress.what;
    if (progress.remainingSeconds)
        text += ", " + duration(*progress.remainingSeconds) + " left";
    return text;
}

} // namespace lookback::cli
