// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "core/analysis/attention_view.h"
#include "core/run/run_record.h"
#include "ui/figures/figure.h"
#include "ui/heatmap/axis_placement.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// One side of a comparison.
struct CompareFigureSide {
    std::shared_ptr<const analysis::Example> example{}; ///< Not null; the same sequence at both sides.
    std::shared_ptr<const analysis::HeadMap> map{}; ///< Of that example. Null: only `picture` is at hand,
    PyramidPointer picture{}; ///< in half precision. With rows as the range says; empty = made from the map.
    std::shared_ptr<const analysis::HeadRows> row{}; ///< Exact, of the chosen cell's query, where map is null.
    QString runTitle{}; ///< "hybrid_square · seed 0"; empty = the variant.
    std::optional<run::RunRecord> record{}; ///< For the provenance.
};

/// What the figure of a comparison shows.
struct CompareFigureInput {
    CompareFigureSide left{};
    CompareFigureSide right{};
    PyramidPointer difference{}; ///< Empty = made from both maps.
    MapCell cell{}; ///< The chosen query and key; none = no frames.
    std::optional<ColourMap> colours{}; ///< Of attention weights; empty = as in attention_figure.h.
    std::optional<ColourMap> signedColours{}; ///< Of the difference and of signed maps.
    bool isLog = false; ///< Of attention weights.
    RangeChoice range = RangeChoice::AllHeads; ///< Own maximum: the larger one of both sides; the difference its own.
    bool hasEntries = true;
    bool hasOccurrences = true;
    bool hasWindowEdge = true; ///< Of windowed heads; in the difference where one side sees less.
    bool hasCaption = true;
};

/// Two maps and their difference (right less left) with titles, labels, frames, both colour bars and a caption; the
/// difference is left out where the two have none (analysis::whyNoDifference), and the caption says why. The CSV has a
/// line for each pair that either side sees: both weights, empty where a side hides it, and the difference.
std::unique_ptr<Figure> makeCompareFigure(CompareFigureInput input);

/// "hybrid_square · seed 0, step 512, without 3:2 (zero) · head 3:2": what a side is.
QString sideWords(const QString &runTitle, const analysis::ExampleKey &key, circuit::HeadId head);

} // namespace lookback::ui
