// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/attention_view.h"
#include "core/config.h"

namespace lookback::analysis {

/// Why two runs have no evaluation sequence in common, in one sentence; empty if sequence i of n keys is the same for
/// both.
std::string whyNoCommonSequence(const RunConfig &left, const RunConfig &right);

/// Why the weights of two maps have no difference, in one sentence; empty if they have one.
std::string whyNoDifference(const HeadMap &left, const HeadMap &right);

/// Right less left, cell by cell, in float32: what one side does not see counts there with the weight that it has, 0.
/// Layer and head are those of the right map. A cell is hidden only where both hide it. Throws Error if
/// whyNoDifference says why.
HeadMap differenceOf(const HeadMap &left, const HeadMap &right);

/// Tokens that the narrower of two maps sees where the wider one sees more; 0 where both see the same. Beyond it a
/// difference is the weight of one side alone.
std::int64_t narrowerWindow(const HeadMap &left, const HeadMap &right);

/// What one side has at a cell.
struct CellReading {
    MapKind kind = MapKind::AttentionWeights;
    float weight = 0.0F;
    bool isVisible = true;
    std::int64_t window = 0; ///< Of the map, as in HeadMap.
};
CellReading readingAt(const HeadMap &map, std::int64_t query, std::int64_t key);

/// Reads one cell of both maps in words: "Query 52 predicts ... Position 37, the same digit (3) at its first occurrence
/// (entry 4): 0.25 left, 0.91 right, +0.66." Says where a side does not see the position. Throws Error for a cell
/// outside the example.
std::string comparisonSentence(const Example &example, const CellReading &left, const CellReading &right,
                               std::int64_t query, std::int64_t key);

/// "intact", "without 1:3, 3:2 (zero)".
std::string interventionText(const circuit::Intervention &intervention);

/// Which of its heads a side shows, if their maps do not say what the model does with them: a head that adds nothing or
/// its mean still shows its pattern. One sentence; empty if the map is what the model uses.
std::string unusedPatternNote(const circuit::Intervention &intervention, std::int64_t layer, std::int64_t head);

/// Why the map of a head is the same with and without `removed`: what is removed acts on later layers. Of a model with
/// so many layers. Two sentences; empty if the map can differ.
std::string untouchedNote(const circuit::Intervention &removed, std::int64_t layer, std::int64_t head,
                          std::int64_t layers);

} // namespace lookback::analysis
