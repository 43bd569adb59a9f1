// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/circuit/head_measures.h"
#include "core/circuit/knockout.h"
#include "core/run/metrics.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_run.h"
#include "ui/models/head_words.h"

namespace lookback::ui {

/// What the figures of the circuit page show; each takes what it needs.
struct CircuitFigureInput {
    std::shared_ptr<const circuit::HeadTable> heads; ///< Not null.
    std::shared_ptr<const circuit::KnockoutGrid> grid; ///< Of the same checkpoint; may be null.
    std::shared_ptr<const std::vector<circuit::HeadTable>> timeline; ///< Ascending steps; may be null.
    GridQuantity quantity; ///< Of the grid; nothing = the change when removed, which needs `grid`.
    std::vector<circuit::HeadId> chosen; ///< Drawn stronger over time.
    FigureRun run; ///< Its folder's name as id.
    std::vector<run::MetricsRecord> metrics; ///< For the loss above the time line; may be empty.
};

/// The grid of heads; CSV: one line a head.
std::unique_ptr<Figure> makeHeadGridFigure(CircuitFigureInput input);
/// Loss above the scores of the heads that are worth a look, over the checkpoints; CSV: all measures of all heads at
/// every step. `timeline` not null and not empty.
std::unique_ptr<Figure> makeTimelineFigure(CircuitFigureInput input);
/// The grid of heads at each checkpoint as a strip of frames, each with the loss and a marker on it; frame() gives
/// these one by one. CSV as of the time line. `timeline` not null and not empty; `quantity` a measure, else retrieval
/// is shown.
std::unique_ptr<Figure> makeTimelineStripFigure(CircuitFigureInput input);
/// The table of heads; CSV: all measures with their intervals.
std::unique_ptr<Figure> makeHeadTableFigure(CircuitFigureInput input);

} // namespace lookback::ui
