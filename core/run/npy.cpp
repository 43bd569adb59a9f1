// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "core/csv.h"
#include "core/error.h"

namespace lookback::run {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

constexpr std::size_t kAlignment = 64; // the data begins at a multiple of it
constexpr std::size_t kFixedBytes = 10; // magic, version, length
constexpr std::size_t kLargestHeader = 65535; // format 1.0 counts it with 16 bits

/// Every column that is not a real number.
constexpr std::array<std::string_view, 33> kWhole{
    "seed",           "step",        "total_steps",   "trained_tokens", "evaluation_seed", "n_keys",       "sequences",
    "context_tokens", "answers",     "right_answers", "exact",          "digits_right",    "lost",         "gained",
    "layer",          "head",        "kv_head",       "sequence",       "entry",           "first_entry",  "digit",
    "position",       "from_entry",  "from_position", "tried",          "pairs",           "key_distance", "flipped",
    "samples",        "entry_index", "entries",       "digits",         "strongest_offset"};
constexpr std::array<std::string_view, 3> kTruth{"published", "distinguishable", "p_exact"};
constexpr std::array<std::string_view, 20> kText{
    "run",  "label", "title", "variant",  "mode",      "search", "removed", "heads",   "part",     "differs",
    "kind", "key",   "truth", "from_key", "predicted", "sees",   "reading", "measure", "sampling", "occurrence"};

/// Header and data. `type`: what stands for the dtype, as Python writes it.
std::string fileOf(const std::string &type, const std::vector<std::int64_t> &shape)
{
    std::string extents;
    for (const std::int64_t extent : shape)
        extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
    if (shape.size() == 1)
        extents += ',';
    std::string header = "{'descr': " + type + ", 'fortran_order': False, 'shape': (" + extents + "), }";
    const std::size_t whole = (kFixedBytes + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
    header.append(whole - kFixedBytes - header.size() - 1, ' ');
    header += '\n';
    if (header.size() > kLargestHeader)
        throw Error(".npy", "The table has too many columns for a NumPy file.", "Write it as .csv.");
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 0xFFU);
    bytes += static_cast<char>(header.size() >> 8U);
    return bytes + header;
}

template <typename Number>
std::string arrayOf(std::span<const Number> values, const std::vector<std::int64_t> &shape, const char *type)
{
    std::uint64_t count = 1;
    bool fits = true;
    for (const std::int64_t extent : shape) {
        fits = fits && extent >= 0
            && (extent == 0 || count <= std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(extent));
        count *= fits ? static_cast<std::uint64_t>(extent) : 1;
    }
    if (!fits || count != values.size()) {
        throw Error(".npy", std::to_string(values.size()) + " numbers do not fill the shape of the array.");
    }
    std::string bytes = fileOf(type, shape);
    const std::size_t start = bytes.size();
    bytes.resize(start + values.size_bytes());
    std::copy_n(reinterpret_cast<const char *>(values.data()), values.size_bytes(), bytes.data() + start);
    return bytes;
}

/// The characters of a UTF-8 text; what is none becomes U+FFFD.
std::u32string charactersOf(std::string_view text)
{
    std::u32string characters;
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t length = first < 0x80 ? 1
            : first >= 0xC2 && first < 0xE0     ? 2
            : first >= 0xE0 && first < 0xF0     ? 3
            : first >= 0xF0 && first < 0xF5     ? 4
                                                : 0;
        char32_t character = length == 1 ? first : first & (0x7FU >> length);
        std::size_t used = 1;
        while (used < length && i + used < text.size()
               && (static_cast<unsigned char>(text[i + used]) & 0xC0U) == 0x80U) {
            character = character << 6U | (static_cast<unsigned char>(text[i + used]) & 0x3FU);
            ++used;
        }
        const bool isWhole = length > 0 && used == length && character <= 0x10FFFF
            && !(character >= 0xD800 && character < 0xE000) && !(length == 3 && character < 0x800)
            && !(length == 4 && character < 0x10000);
        characters += isWhole ? character : U'\uFFFD';
        i += used;
    }
    return characters;
}

template <typename Number> void append(std::string &bytes, Number number)
{
    const auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(number);
    bytes.append(raw.data(), raw.size());
}

template <typename Number> std::optional<Number> numberIn(std::string_view text)
{
    Number number{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

std::optional<double> realIn(std::string_view text)
{
    // As realText and the figures spell them.
    if (text.empty() || text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity")
        return std::numeric_limits<double>::infinity();
    if (text == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    return numberIn<double>(text);
}

std::optional<std::int8_t> truthIn(std::string_view text)
{
    if (text.empty())
        return -1;
    if (text == "yes" || text == "true")
        return 1;
    if (text == "no" || text == "false")
        return 0;
    return std::nullopt;
}

/// A column of a table: its values one after another.
class Column {
public:
    Column(std::string name, const std::vector<std::vector<std::string>> &lines, std::size_t place)
        : m_name(std::move(name)), m_kind(columnKind(m_name)), m_lines(lines), m_place(place)
    {
        for (std::size_t line = 1; line < lines.size(); ++line) {
            if (m_kind == ColumnKind::Text)
                m_longest = std::max(m_longest, charactersOf(field(line)).size());
            else if (m_kind == ColumnKind::Whole)
                m_isUnsigned |= !field(line).empty() && !numberIn<std::int64_t>(field(line))
                    && numberIn<std::uint64_t>(field(line)).has_value();
        }
    }

    /// "('step', '<i8')"
    std::string description() const
    {
        if (m_name.empty()
            || !std::ranges::all_of(m_name, [](char c) { return c >= ' ' && c <= '~' && c != '\'' && c != '\\'; }))
            throw Error(".npy", "A column has a name that NumPy files cannot hold.", "Write it as .csv.");
        std::string type = m_kind == ColumnKind::Real ? "<f8"
            : m_kind == ColumnKind::Truth             ? "|i1"
            : m_kind == ColumnKind::Text              ? "<U" + std::to_string(m_longest)
            : m_isUnsigned                            ? "<u8"
                                                      : "<i8";
        return "('" + m_name + "', '" + type + "')";
    }

    void appendValue(std::string &bytes, std::size_t line) const
    {
        const std::string &text = field(line);
        switch (m_kind) {
        case ColumnKind::Real:
            append(bytes, valueOf(realIn(text), text));
            return;
        case ColumnKind::Truth:
            append(bytes, valueOf(truthIn(text), text));
            return;
        case ColumnKind::Whole:
            if (m_isUnsigned)
                append(bytes,
                       text.empty() ? std::numeric_limits<std::uint64_t>::max()
                                    : valueOf(numberIn<std::uint64_t>(text), text));
            else
                append(bytes, text.empty() ? std::int64_t{-1} : valueOf(numberIn<std::int64_t>(text), text));
            return;
        case ColumnKind::Text: {
            std::u32string characters = charactersOf(text);
            characters.resize(m_longest, U'\0');
            for (const char32_t character : characters)
                append(bytes, static_cast<std::uint32_t>(character));
            return;
        }
        }
    }

private:
    const std::string &field(std::size_t line) const { return m_lines[line][m_place]; }

    template <typename Number> Number valueOf(const std::optional<Number> &number, const std::string &text) const
    {
        if (!number)
            throw Error(".npy", "\"" + text + "\" in the column \"" + m_name + "\" is not a number.",
                        "Write it as .csv.");
        return *number;
    }

    std::string m_name;
    ColumnKind m_kind;
    const std::vector<std::vector<std::string>> &m_lines;
    std::size_t m_place;
    std::size_t m_longest = 1; // NumPy has no text of no length
    bool m_isUnsigned = false;
};

} // namespace

std::string npyArray(std::span<const float> values, const std::vector<std::int64_t> &shape)
{
    return arrayOf(values, shape, "'<f4'");
}

std::string npyArray(std::span<const double> values, const std::vector<std::int64_t> &shape)
{
    return arrayOf(values, shape, "'<f8'");
}

std::string npyArray(std::span<const std::int64_t> values, const std::vector<std::int64_t> &shape)
{
    return arrayOf(values, shape, "'<i8'");
}

ColumnKind columnKind(std::string_view name)
{
    const auto isIn = [name](const auto &names) { return std::ranges::find(names, name) != names.end(); };
    return isIn(kWhole) ? ColumnKind::Whole
        : isIn(kTruth)  ? ColumnKind::Truth
        : isIn(kText)   ? ColumnKind::Text
                        : ColumnKind::Real;
}

std::string npyTable(std::string_view csv)
{
    const std::vector<std::vector<std::string>> lines = csvRecords(csv);
    if (lines.empty())
        throw Error(".npy", "The table has no columns.");
    for (std::size_t line = 1; line < lines.size(); ++line) {
        if (lines[line].size() != lines.front().size())
            throw Error(".npy",
                        "Line " + std::to_string(line) + " of the table has " + std::to_string(lines[line].size())
                            + " fields instead of " + std::to_string(lines.front().size()) + ".");
    }
    std::vector<Column> columns;
    std::string type;
    for (std::size_t i = 0; i < lines.front().size(); ++i) {
        columns.emplace_back(lines.front()[i], lines, i);
        type += (i == 0 ? "[" : ", ") + columns.back().description();
    }
    std::string bytes = fileOf(type + "]", {static_cast<std::int64_t>(lines.size()) - 1});
    for (std::size_t line = 1; line < lines.size(); ++line) {
        for (const Column &column : columns)
            column.appendValue(bytes, line);
    }
    return bytes;
}

} // namespace lookback::run
