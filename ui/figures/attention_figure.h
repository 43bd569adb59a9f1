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

/// What the figure of one head shows.
struct AttentionFigureInput {
    std::shared_ptr<const analysis::Example> example; ///< Not null.
    std::shared_ptr<const analysis::HeadMap>
        map; ///< Of that example. Null: only `values` are at hand, no exact numbers,
    PyramidPointer values; ///< in half precision. Empty = made from the map. With rows as `range` says.
    std::shared_ptr<const analysis::HeadRows>
        row; ///< Exact, of the chosen cell's query, for the words where map is null.
    MapCell cell; ///< The chosen query and key; none = no frames.
    std::optional<ColourMap> colours; ///< Empty = magma on dark pages, viridis on light ones, diverging if signed.
    bool isLog = false; ///< Ignored for signed maps.
    RangeChoice range = RangeChoice::AllHeads;
    bool hasEntries = true;
    bool hasOccurrences = true;
    bool hasWindowEdge = true; ///< Of windowed heads.
    bool hasTrainingLength = true; ///< Where the context is longer; needs `record`.
    /// The cells alone, without labels, filling the page: at onePixelACell() pixels each cell is one pixel.
    bool isBare = false;
    bool hasCaption = true; ///< The words about the head and the chosen cell; one line where a page is small.
    QString runTitle; ///< "hybrid_square · seed 0"; empty = the variant.
    std::optional<run::RunRecord> record; ///< For the provenance.
};

/// One head map with labels, frames, colour bar (range and reduction written on it), the sentence of the chosen cell,
/// and a caption that names run, checkpoint and sequence. The map gets most of every page: words that would cost it
/// more than a fifth of its size are left to the file's description. The CSV holds one line a visible pair.
std::unique_ptr<Figure> makeAttentionFigure(AttentionFigureInput input);

/// Size of a bare figure at exactly one pixel a cell.
QSize onePixelACell(const AttentionFigureInput &input);

} // namespace lookback::ui
