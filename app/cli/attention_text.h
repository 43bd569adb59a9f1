// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/attention_view.h"
#include "app/cli/json_text.h"

namespace lookback::cli {

/// Position of the value digit that query `predictionPosition(answer.entry, digit)` has to retrieve: the same digit at
/// the key's first occurrence.
std::int64_t matchPosition(const analysis::Example &example, const analysis::Answer &answer, std::int64_t digit);

/// Mean weight that the head puts on the match, over all retrieved digits.
double meanWeightOnMatches(const analysis::Example &example, const analysis::HeadMap &map);

/// The query whose match gets most weight from this head, the first one where several do.
std::int64_t clearestQuery(const analysis::Example &example, const analysis::HeadMap &map);

/// The key on which the query puts most weight (by size, where weights are signed).
std::int64_t strongestKey(const analysis::HeadMap &map, std::int64_t query);

/// What the head and the model do, in words and a table of the answers.
std::string attentionText(const analysis::Example &example, const analysis::HeadMap &map, std::int64_t query);

/// The same as one JSON object, with or without the matrix of weights (specs/command-line.md).
std::string attentionJson(const analysis::Example &example, const analysis::HeadMap &map, bool hasWeights);

// Parts of these texts, for those that show several examples.
/// The key with its leading zeros.
std::string keyDigits(const analysis::Example &example, const analysis::Answer &answer);
std::string digitsText(const std::vector<int> &digits);
/// [[...],...] with the shortest text of each float.
std::string weightsText(const analysis::HeadMap &map);
Json probabilitiesJson(const analysis::Answer &answer);
Json entriesJson(const analysis::Example &example);
/// ["3:2", ...], and "zero", "mean", "uniform" or null.
Json removedJson(const circuit::Intervention &intervention);
Json modeJson(const circuit::Intervention &intervention);

} // namespace lookback::cli
