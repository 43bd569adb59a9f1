// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace lookback::cli {

namespace {

int g_outputError = 0; // errno of the first failed write to standard output

} // namespace

void print(std::string_view text)
{
    if (g_outputError != 0)
        return;
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
        g_outputError = errno != 0 ? errno : EIO;
}

void printError(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void note(std::string_view sentence)
{
    printError("note: " + printable(sentence) + "\n");
}

void printWritten(std::string_view file)
{
    print("Wrote " + printable(file) + "\n");
}

void printError(const Error &error, bool isVerbose)
{
    std::string text = "error: " + printable(error.sentence()) + "\n";
    std::string_view details = isVerbose ? std::string_view(error.details()) : std::string_view();
    while (!details.empty()) { // several lines
        const std::size_t end = std::min(details.find('\n'), details.size());
        text += printable(details.substr(0, end)) + "\n";
        details.remove_prefix(std::min(end + 1, details.size()));
    }
    printError(text);
}

void finishOutput()
{
    errno = 0;
    if (g_outputError == 0 && std::fflush(stdout) != 0)
        g_outputError = errno != 0 ? errno : EIO;
    if (g_outputError != 0 && g_outputError != EPIPE) // a reader that has seen enough is no failure
        throw Error("Standard output", std::string("It could not be written: ") + std::strerror(g_outputError) + ".",
                    "Free some space or write to another place.");
}

std::string grouped(std::int64_t number)
{
    std::string text = std::to_string(number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t i = text.size(); i > first + 3;) {
        i -= 3;
        text.insert(i, ",");
    }
    return text;
}

std::string fixed(double number, int decimals)
{
    if (std::isnan(number))
        return "not a number";
    if (std::isinf(number))
        return number > 0 ? "infinite" : "-infinite";
    std::array<char, 400> buffer; // the largest double has 309 digits before the point
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
    return error == std::errc{} ? std::string(buffer.data(), end) : std::string("-");
}

std::string percent(double share)
{
    if (!std::isfinite(share))
        return fixed(share, 2);
    for (int decimals = 2; decimals <= 6; ++decimals) {
        const std::string text = fixed(share * 100.0, decimals);
        const bool looksWhole = std::stoll(text) == 100 || text.find_first_not_of("0.") == std::string::npos;
        if (share == 0.0 || share == 1.0 || !looksWhole)
            return text + " %";
    }
    return fixed(share * 100.0, 2) + " %"; // a rounding error away from 0 or 1
}

std::string significant(double number)
{
    return significantDigits(number, 4);
}

std::string significantDigits(double number, int digits)
{
    if (!std::isfinite(number))
        return fixed(number, 0);
    std::array<char, 64> buffer;
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::general, digits);
    return error == std::errc{} ? std::string(buffer.data(), end) : std::string("-");
}

std::string duration(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return "-";
    if (seconds < 59.5)
        return std::to_string(std::lround(seconds)) + " s";
    const std::int64_t minutes = std::llround(seconds / 60.0);
    if (minutes < 60)
        return std::to_string(minutes) + " min";
    const std::int64_t hours = minutes / 60;
    if (hours < 48)
        return std::to_string(hours) + " h " + std::to_string(minutes % 60) + " min";
    return std::to_string(hours / 24) + " d " + std::to_string(hours % 24) + " h";
}

std::string printable(std::string_view text)
{
    const auto hex = [](std::uint32_t number, std::size_t digits) {
        std::string result(digits, '0');
        for (std::size_t i = digits; i-- > 0; number >>= 4U)
            result[i] = "0123456789abcdef"[number & 15U];
        return result;
    };
    std::string shown;
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const std::size_t length = first < 0x80 ? 1
            : first >= 0xC2 && first < 0xE0     ? 2
            : (first & 0xF0U) == 0xE0           ? 3
            : first >= 0xF0 && first < 0xF5     ? 4
                                                : 0;
        std::uint32_t code = length < 2 ? first : first & (0x7FU >> length);
        bool isWhole = length > 0 && text.size() >= length;
        for (std::size_t i = 1; isWhole && i < length; ++i) {
            const auto next = static_cast<unsigned char>(text[i]);
            isWhole = (next & 0xC0U) == 0x80;
            code = code << 6U | (next & 0x3FU);
        }
        const bool isSurrogate = code >= 0xD800 && code < 0xE000;
        const bool isTooShort = (length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10FFFF));
        if (!isWhole || isSurrogate || isTooShort) {
            shown += "\\x" + hex(first, 2);
            text.remove_prefix(1);
            continue;
        }
        const bool isControl = code < 0x20 || (code >= 0x7F && code < 0xA0);
        const bool isMark = (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E)
            || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
        if (isControl)
            shown += "\\x" + hex(code, 2);
        else if (isMark)
            shown += "\\u" + hex(code, 4);
        else
            shown += text.substr(0, length);
        text.remove_prefix(length);
    }
    return shown;
}

std::string shellQuoted(std::string_view text)
{
    const std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./=:,@%";
    if (text.starts_with('-')) // quoted or not, it would be taken for an option
        return shellQuoted("./" + std::string(text));
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos)
        return std::string(text);
    if (const std::string shown = printable(text); shown != text) {
        std::string quoted = "$'"; // a shell turns the escapes back
        for (const char c : text) {
            if (c == '\'' || c == '\\')
                quoted += std::string("\\") + c;
            else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F)
                quoted += std::string("\\x") + "0123456789abcdef"[c >> 4 & 15] + "0123456789abcdef"[c & 15];
            else
                quoted += c;
        }
        return quoted + "'";
    }
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

TextTable::TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) { }

void TextTable::addRow(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    for (std::string &cell : cells)
        cell = printable(cell);
    m_rows.push_back(std::move(cells));
}

std::string TextTable::text() const
{
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < m_columns.size(); ++c) {
        std::size_t width = screenWidth(m_columns[c].title);
        for (const auto &row : m_rows)
            width = std::max(width, screenWidth(row[c]));
        widths.push_back(width);
    }
    std::string result;
    const auto addLine = [&](const auto &cellOf) {
        std::string line;
        for (std::size_t c = 0; c < m_columns.size(); ++c) {
            const std::string &cell = cellOf(c);
            const std::string blanks(widths[c] - screenWidth(cell), ' ');
            line += (c > 0 ? "  " : "") + (m_columns[c].align == Align::Right ? blanks + cell : cell + blanks);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + "\n";
    };
    addLine([&](std::size_t c) -> const std::string & { return m_columns[c].title; });
    for (const auto &row : m_rows)
        addLine([&](std::size_t c) -> const std::string & { return row[c]; });
    return result;
}

std::size_t screenWidth(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; // all but UTF-8 continuation bytes
    }));
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent)
{
    std::string result;
    std::size_t column = indent;
    const std::string margin(indent, ' ');
    while (!text.empty()) {
        const std::size_t lineEnd = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, lineEnd);
        bool isFirstWord = true;
        while (!line.empty()) {
            const std::size_t end = std::min(line.find(' '), line.size());
            const std::string_view word = line.substr(0, end);
            if (!word.empty()) {
                if (!isFirstWord && column + 1 + screenWidth(word) > width) {
                    result += "\n" + margin;
                    column = indent;
                    isFirstWord = true;
                }
                if (!isFirstWord) {
                    result += ' ';
                    ++column;
                }
                result += word;
                column += screenWidth(word);
                isFirstWord = false;
            }
            line.remove_prefix(std::min(end + 1, line.size()));
        }
        text.remove_prefix(std::min(lineEnd + 1, text.size()));
        if (!text.empty()) {
            result += "\n";
            if (text.front() != '\n')
                result += margin;
            column = indent;
        }
    }
    return result;
}

} // namespace lookback::cli
