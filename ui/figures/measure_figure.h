// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/circuit/head_measures.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_run.h"

namespace lookback::ui {

/// A measure of some heads against the number of unique keys.
struct MeasureFigureInput {
    std::vector<circuit::HeadTable> tables; ///< Of one checkpoint; ascending n, not empty.
    circuit::HeadMeasure measure = circuit::HeadMeasure::Retrieval;
    std::vector<circuit::HeadId> chosen; ///< Heads to draw; none = those with most of the measure at the smallest n.
    FigureRun run; ///< Its folder's name as id.
};

/// The measure by n, a curve a head with its 95 % interval, and below, for up to four of these heads, where the weight
/// of their answer rows goes as n grows: the source, other values, the own entry, the first token, elsewhere. CSV: all
/// measures of all heads at every n.
std::unique_ptr<Figure> makeMeasureFigure(MeasureFigureInput input);

/// The heads that are drawn: those chosen that exist, or else up to eight with most of the measure at the smallest n,
/// in the order of that value.
std::vector<circuit::HeadId> headsOfFigure(const MeasureFigureInput &input);

} // namespace lookback::ui
