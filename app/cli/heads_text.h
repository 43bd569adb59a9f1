// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/circuit/head_measures.h"

namespace lookback::cli {

/// Heads, key-value heads and layers, each by this measure, largest first; those for which it means nothing come last.
circuit::HeadTable sortedBy(circuit::HeadTable table, circuit::HeadMeasure measure);

/// The table of `heads`, in its order.
std::string headsText(const circuit::HeadTable &table);

/// A JSON object a line for each head, key-value head and layer.
std::string headsJson(const std::string &run, const circuit::HeadTable &table);

/// A line of CSV a measure, and the header of these columns.
std::string headsCsv(const std::string &run, const circuit::HeadTable &table);
std::string headsCsvHeader();

} // namespace lookback::cli
