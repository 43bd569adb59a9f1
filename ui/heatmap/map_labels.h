// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QLineF>
#include <QRectF>

#include "core/task/key_value_task.h"
#include "ui/heatmap/axis_placement.h"
#include "ui/theme/theme.h"

class QPaintDevice;
class QPainter;

namespace lookback::ui {

/// What is pointed out on a map: the entry that is asked for (dashed), the earlier entry with the same key (solid), the
/// query row and the cell at the pointer (white).
struct MapMarks {
    std::int64_t askedEntry = -1;
    std::int64_t firstEntry = -1; ///< -1 while the asked entry is itself the first of its key.
    MapCell cell;
    bool operator==(const MapMarks &) const = default;
};

/// Lines over a map that belong to its structure; what is 0 has none.
struct MapLines {
    std::int64_t window = 0; ///< query - key = window: the first keys that a windowed head does not see.
    std::int64_t trainedTokens = 0; ///< Longest context of training: positions from it on were never seen there.
    bool operator==(const MapLines &) const = default;
};

/// The marks that belong to a cell.
MapMarks marksFor(const task::Sequence &sequence, MapCell cell);

/// The key or value of an entry with leading zeros: 7 of three digits is "007".
QString keyText(const task::Sequence &sequence, std::int64_t entry);
QString valueText(const task::Sequence &sequence, std::int64_t entry);

/// A font of `factor` times the size.
QFont scaledFont(const QFont &font, double factor);

/// Fonts, lines and switches of the labels around a map; lengths in painter units (pixels, or points on paper).
struct LabelStyle {
    QFont font; ///< Entry labels and positions.
    double line = 1.0; ///< Hairline.
    double leastTokenCell = 10.0; ///< Tokens are named from this size of a cell on.
    bool hasEntries = true; ///< Brackets with key and value; else positions only.
    bool hasTokens = true; ///< Room is kept for the names of tokens.
    const QPaintDevice *device = nullptr; ///< Where text is drawn, if fonts have another size there than on screen.
};

/// Heights and widths that the labels need; the same at every zoom, so that the map does not jump.
double topLabelHeight(const LabelStyle &style);
double leftLabelWidth(const LabelStyle &style, const task::Sequence &sequence);

/// Whether any entry above the map gets its label at that cell size.
bool entryLabelsFit(double cell, const LabelStyle &style, const task::Sequence &sequence);

/// Entries with "key → value" (each, every second, or positions only, as they fit) and tokens above the map; `strip`
/// ends where the map begins.
void drawTopLabels(QPainter &painter, const QRectF &strip, const AxisPlacement &keys, const task::Sequence &sequence,
                   const MapMarks &marks, const LabelStyle &style, const Theme &theme);
/// The same at the left of the map, for the queries.
void drawLeftLabels(QPainter &painter, const QRectF &strip, const AxisPlacement &queries,
                    const task::Sequence &sequence, const MapMarks &marks, const LabelStyle &style, const Theme &theme);
/// One line of token names; the token of `highlighted` in inverse. Nothing if cells are too small.
void drawTokenRow(QPainter &painter, const QRectF &strip, const AxisPlacement &keys, const task::Sequence &sequence,
                  std::int64_t highlighted, const LabelStyle &style, const Theme &theme);
/// Positions under an axis, at multiples of the entry length as dense as they fit; `strip` begins at the axis.
void drawPositions(QPainter &painter, const QRectF &strip, const AxisPlacement &keys, const task::Sequence &sequence,
                   const LabelStyle &style, const Theme &theme);

/// Lines between cells (6 % of `colour`, from 8 lines a cell) and between entries (34 %).
void drawGrid(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys,
              const task::Sequence &sequence, bool hasEntries, double line, const QColor &colour);
/// A frame with a dark edge on both sides, so that it stands out from every colour of a map.
void drawMapFrame(QPainter &painter, const QRectF &rect, const QColor &colour, double width, bool isDashed);
/// Frames of the occurrences, the query row and the cell; `hasOccurrences` switches the first two.
void drawMarks(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys,
               const task::Sequence &sequence, const MapMarks &marks, bool hasOccurrences, double line,
               const Theme &theme);

/// The lines, white with a dark edge: dotted where the window ends; dashed across the queries from `trainedTokens` on,
/// and down along these keys.
void drawMapLines(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys, const MapLines &lines,
                  double line);
/// One such line; for the key of the map, too.
enum class MapLineKind { WindowEdge, TrainingLength };
void drawMapLine(QPainter &painter, const QLineF &place, MapLineKind kind, double line);

} // namespace lookback::ui
