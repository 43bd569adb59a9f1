// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

#include "core/circuit/head_measures.h"
#include "core/circuit/knockout.h"
#include "ui/heatmap/head_cells.h"

namespace lookback::ui {

/// What the grid of heads is coloured by: a measure, or nothing = the change in exact match when removed.
using GridQuantity = std::optional<circuit::HeadMeasure>;

/// "L5 H2".
QString headName(const circuit::HeadId &id);
/// "layer 5, head 2".
QString headPhrase(const circuit::HeadId &id);

/// What a layer sees: "window 10", "no position", "RoPE", "RoPE on 50 %", "delta".
QString seesText(const model::SublayerInfo &layer, std::int64_t window);

/// A plain reading of the numbers of a head: "copies the value", "matches the key", "previous token", "four tokens
/// back", "rests on the first token"; empty if none of them is large. readingRule() says when.
QString headReading(const circuit::Scores &scores);
/// The same with what its removal shows: "copies the value; not distinguishable here", "nothing clear; removal not
/// distinguishable here". Never empty.
QString headReading(const circuit::Scores &scores, bool isDistinguishable);
QString readingRule();
/// Everything that headReading may say, for the width of columns.
QStringList headReadings();
/// Why a measure of a head is empty, in a sentence; empty if it is not.
QString emptyReason(const circuit::HeadTable &table, const circuit::HeadScores &head, circuit::HeadMeasure measure);

/// "0.94", "58.2", "0.41": as many digits as the unit needs.
QString measuredText(circuit::HeadMeasure measure, double value);
/// "±0.01": the larger half of the interval.
QString halfText(circuit::HeadMeasure measure, const circuit::Measured &value);

/// The heads as a grid. `grid` may be null: then changes are empty.
HeadCells headCells(const circuit::HeadTable &table, const circuit::KnockoutGrid *grid, GridQuantity quantity);
/// "Change in exact match when removed", "Retrieval".
QString quantityTitle(GridQuantity quantity);
/// "points, root scale", "share".
QString quantityUnit(GridQuantity quantity);
/// What a removed head does instead: "output zero", "mean output", "uniform pattern".
QString removalWords(circuit::Removal removal);

} // namespace lookback::ui
