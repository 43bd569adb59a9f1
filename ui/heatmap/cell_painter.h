// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QRect>

#include "ui/heatmap/cell_axis.h"
#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/value_pyramid.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

/// How cells are drawn that have no value. Those that the attention mask forbids: neutral grey, never a colour of a
/// value; the grey map, which contains every grey, gets diagonal hatching over it. Those that are not computed yet: the
/// page's own colour with hatching across the other diagonal, like nothing that a map shows.
struct MaskStyle {
    QRgb colour = qRgb(128, 128, 128);
    bool isHatched = false;
    QRgb hatch = qRgb(128, 128, 128);
    QRgb pending = qRgb(255, 255, 255);
    QRgb pendingHatch = qRgb(160, 160, 160);
    bool operator==(const MaskStyle &) const = default;
};

/// The look of both beside that map.
MaskStyle maskStyleFor(ColourMap map, const Theme &theme);

/// Whether a pixel is part of the hatching of cells that are not computed yet.
inline bool isPendingHatch(int x, int y)
{
    return (x - y) % 8 == 0;
}

/// Draws the device pixels `area` of a head map laid out on two axes, one pixel a pixel, as RGB32. A pixel that stands
/// for several cells has the colour of the largest of them; it is masked only if all of them are, and not computed yet
/// if one of the others is not. Pixels outside the axes have the mask colour.
QImage paintCells(const ValuePyramid &values, const CellAxis &queries, const CellAxis &keys, const QRect &area,
                  const ColourTable &colours, const MaskStyle &mask);

} // namespace lookback::ui
