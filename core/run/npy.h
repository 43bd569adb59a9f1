// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lookback::run {

/// The bytes of a NumPy file (.npy, format 1.0; specs/formats/npy.md): little-endian, C order. `shape`: extents, the
/// last one running fastest; empty = a scalar. Throws Error if they do not multiply to the number of values.
std::string npyArray(std::span<const float> values, const std::vector<std::int64_t> &shape);
std::string npyArray(std::span<const double> values, const std::vector<std::int64_t> &shape);
std::string npyArray(std::span<const std::int64_t> values, const std::vector<std::int64_t> &shape);

/// What a column of a table holds, and so its dtype.
enum class ColumnKind {
    Real, ///< "<f8"; NaN where the table has nothing.
    Whole, ///< "<i8"; -1 where it has nothing. "<u8" if a number needs 64 bits, then 2^64 - 1.
    Truth, ///< "|i1": 1 yes, 0 no, -1 nothing.
    Text, ///< "<U" and the length of the longest, in characters.
};

/// By the column's name, which means the same in every table of the program.
ColumnKind columnKind(std::string_view name);

/// A table as a one-dimensional structured array with a field for each column and a record for each line. `csv`:
/// RFC 4180 with a header line, as the figures and commands write it. Throws Error if a line has too few or too many
/// fields or a field is not of its column's kind.
std::string npyTable(std::string_view csv);

} // namespace lookback::run
