// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace lookback::cli {

// Output. Results go to standard output; progress, notes and errors to standard error.

/// Writes text to standard output. A failure is kept and told by finishOutput.
void print(std::string_view text);
/// Writes text to standard error; failures are nobody's to hear.
void printError(std::string_view text);
/// "note: ..." on standard error: something the user should know that stops nothing.
void note(std::string_view sentence);
/// "error: subject: message remedy" on standard error, with the details below if `isVerbose`.
void printError(const Error &error, bool isVerbose);
/// Flushes standard output. Throws Error if anything could not be written (a full disk, a closed pipe is none).
void finishOutput();

// Numbers in words, the same under every locale.

/// "15,000"
std::string grouped(std::int64_t number);
/// "0.123" with that many decimals; "not a number", "infinite", "-infinite".
std::string fixed(double number, int decimals);
/// "99.96 %": two decimals, more where they would round to 100 or 0 although it is neither.
std::string percent(double share);
/// A loss or norm with four significant digits: "2.303", "0.0007124", "1.2e+09".
std::string significant(double number);
/// The same with `digits` significant digits.
std::string significantDigits(double number, int digits);
/// "45 s", "12 min", "1 h 20 min", "2 d 3 h".
std::string duration(double seconds);
/// Names and sentences as a terminal may show them: control characters, direction marks and bytes that are no UTF-8 are
/// written as "\x1b" and "\u202e", so that a file name cannot draw, hide or overwrite anything.
std::string printable(std::string_view text);
/// "Wrote FILE".
void printWritten(std::string_view file);
/// A path as a shell and a command take it: quoted only where needed, "./-name" for "-name".
std::string shellQuoted(std::string_view text);

/// A table with aligned columns and a header line.
class TextTable {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Left;
    };
    explicit TextTable(std::vector<Column> columns);
    void addRow(std::vector<std::string> cells);
    bool isEmpty() const { return m_rows.empty(); }
    /// Lines with a line end each, two spaces between columns, no trailing blanks.
    std::string text() const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// Characters on screen of UTF-8 text (code points; enough for the texts of this program).
std::size_t screenWidth(std::string_view text);
/// `text` wrapped at `width` columns; every line after the first begins with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

} // namespace lookback::cli
