// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

#include "core/circuit/head_id.h"
#include "ui/theme/theme.h"

class QPainter;
class QPaintDevice;

namespace lookback::ui {

/// A number of one head, as a grid of heads shows it.
struct HeadCell {
    std::optional<double> value; ///< Empty: it means nothing for that head.
    QString why; ///< A sentence that says why it is empty; may be empty itself.
    double half = 0.0; ///< Half-width of its 95 % interval; 0 = not told.
    bool isDistinguishable = true; ///< False: within two standard errors of 0, hatched grey.
    bool operator==(const HeadCell &) const = default;
};

/// One number of each head of a model: a row a layer.
struct HeadCells {
    std::vector<QString> layers; ///< What each layer sees: "window 10".
    std::vector<QString> means; ///< Of each layer and its key-value heads, in words; may be empty.
    std::int64_t heads = 0;
    std::vector<HeadCell> cells; ///< By layer, then head.
    bool isSigned = false; ///< A difference: colours diverge about 0 on a root scale, less is warm, more is cold.
    double maximum = 1.0; ///< Of the colour scale, above 0.
    int decimals = 2;

    /// Null if there is no such head.
    const HeadCell *at(const circuit::HeadId &id) const;
    /// "−47.2", "+0.1", "0.94".
    QString text(double value) const;
    /// The same with a digit less, where that does not fit: "−47", "0", "0.9".
    QString briefText(double value) const;
    bool operator==(const HeadCells &) const = default;
};

/// The smallest of 1, 2, 5, 10, 20, 40, 70, 100 that is not below `largest`; for scales of differences in points.
double pointsMaximum(double largest);

/// The colour of a value: opaque.
QColor headColour(const HeadCells &cells, double value, bool isDark);

/// Where the parts of a grid of heads lie, in the painter's units.
struct HeadCellPlaces {
    double labels = 0.0; ///< Width of the layers' names.
    double header = 0.0; ///< Height of the heads' names.
    QPointF corner; ///< Of the first cell.
    QSizeF cell;
    QRectF bar; ///< Of the colours, its numbers at the right of it.

    QRectF rectOf(const circuit::HeadId &id) const;
    /// The name of a layer or of a column of heads.
    QRectF layerTitle(std::int64_t layer) const;
    QRectF headTitle(std::int64_t head) const;
};
HeadCellPlaces placesOf(const HeadCells &cells, const QRectF &rect, const QFont &font, const QPaintDevice *device);

/// Draws cells, names and colour bar. Cells are at most one and a half line high where it gets narrow: then without the
/// interval.
void drawHeadCells(QPainter &painter, const HeadCells &cells, const HeadCellPlaces &places, const QFont &font,
                   double line, const Theme &theme);
/// The bar of colours into `bar`, with numbers at the right of it; part of drawHeadCells.
void drawHeadBar(QPainter &painter, const HeadCells &cells, const QRectF &bar, const QFont &font, double line,
                 const Theme &theme);
/// Diagonal lines over a rectangle, as "not distinguishable here" is drawn; clipped by geometry.
void drawHatch(QPainter &painter, const QRectF &rect, const QColor &colour, double line);

} // namespace lookback::ui
