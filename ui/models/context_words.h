// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

#include "core/circuit/by_context.h"

namespace lookback::ui {

/// What the weight of a row is divided into, the source first; together 1.
inline constexpr circuit::HeadMeasure kWeightShares[] = {
    circuit::HeadMeasure::SourceWeight, circuit::HeadMeasure::OtherValues, circuit::HeadMeasure::OwnEntry,
    circuit::HeadMeasure::FirstToken, circuit::HeadMeasure::Elsewhere};
/// "source", "other values", "own entry", "first token", "keys and markers".
QString shareName(circuit::HeadMeasure share);

/// Null if the head is not there or the measure means nothing for it.
const circuit::Measured *measuredOf(const circuit::HeadTable &table, const circuit::HeadId &id,
                                    circuit::HeadMeasure measure);

/// Lengths at which heads are measured: 8, 16, ... 256 and `n_keys`, as far as there are so many keys. Longer ones take
/// fewer sequences, so that each length costs about the same; at least 8.
std::vector<circuit::HeadRequest> contextLengths(std::int64_t n_keys, std::int64_t sequences, std::int64_t mostKeys);

/// How the weight of a head on the source changes from the shortest to the longest context, and where what it loses
/// goes, in a sentence. Empty if the head is not there.
QString contextReading(const circuit::ContextHeads &heads, const circuit::HeadId &id);

/// "Step 3,300, n = 8 to 256, 256 to 8 sequences; whiskers: 95 % interval. The source loses most weight in L3 H2 (0.99
/// to 0.85), ...". Empty if nothing was measured.
QString contextSummary(const circuit::ContextHeads &heads);

} // namespace lookback::ui
