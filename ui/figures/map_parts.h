// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstdint>
#include <vector>

#include "ui/heatmap/cell_axis.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/heatmap/map_labels.h"

// What the figures of one head and of a comparison draw alike. Lengths are in points.

namespace lookback::ui {

constexpr double kMapFont = 8.0;
constexpr double kMapSmallFont = 7.0;
constexpr double kMapHairline = 0.5;
constexpr double kMapGap = 8.0;
constexpr double kMapMargin = 4.0;
constexpr double kLongestColourBar = 160.0;
constexpr double kLeastTokenCell = 6.5; ///< So that token names have 6 points.

/// Cells laid out on the device: whole device pixels on pictures, so that no cell is resampled; a fine raster of its
/// own in vector files.
struct MapRaster {
    CellAxis axis;
    double pixelsPerPoint = 1.0;
    QPointF origin; ///< Of the first cell.

    double length() const { return axis.pixels() / pixelsPerPoint; }
    QRectF plot() const { return {origin, QSizeF(length(), length())}; }
    AxisPlacement queries() const;
    AxisPlacement keys() const;
};

/// A square of about `side` at `corner` for `cells` x `cells` cells.
MapRaster mapRasterFor(QPainter &painter, const QPointF &corner, double side, std::int64_t cells);

/// Labels of a figure; tokens only if `hasTokens`.
LabelStyle mapLabelStyle(const QPainter &painter, bool hasEntries, bool hasTokens);

/// The marks of a cell, without the entries of the asked key unless `hasOccurrences`.
MapMarks mapMarksFor(const task::Sequence &sequence, const MapCell &cell, bool hasOccurrences);

/// Not visible, the query row, and the entries of the asked key, as far as they are drawn.
std::vector<LegendItem> mapLegendItems(const MapMarks &marks, const MapCell &cell);

/// The key of the frames in lines from `y` on, then `words` (may be empty); returns the top of the last line. Only
/// measures unless `isDrawn`.
double drawMapKey(QPainter &painter, const QRectF &area, double y, const std::vector<LegendItem> &items,
                  const QString &words, const ColourTable &colours, const Theme &theme, bool isDrawn);

/// Grid, lines, frames and border of a map.
void drawMapFrames(QPainter &painter, const MapRaster &raster, const task::Sequence &sequence, const MapMarks &marks,
                   const MapLines &lines, bool hasEntries, bool hasOccurrences, const ColourTable &colours,
                   const Theme &theme);

} // namespace lookback::ui
