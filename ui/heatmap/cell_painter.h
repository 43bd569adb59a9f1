// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QRect>

#include "ui/heatmap/cell_axis.h"
#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// How cells that the attention mask forbids are drawn: neutral grey, never a colour of a value. The grey map, which
/// contains every grey, gets diagonal hatching over it.
struct MaskStyle {
    QRgb colour = qRgb(128, 128, 128);
    bool isHatched = false;
    QRgb hatch = qRgb(128, 128, 128);
    bool operator==(const MaskStyle &) const = default;
};

/// The mask's look beside that map.
MaskStyle maskStyleFor(ColourMap map, const QColor &mask);

/// Draws the device pixels `area` of a head map laid out on two axes, one pixel a pixel, as RGB32. A pixel that stands
/// for several cells has the colour of the largest of them; it is masked only if all of them are. Pixels outside the
/// axes have the mask colour.
QImage paintCells(const ValuePyramid &values, const CellAxis &queries, const CellAxis &keys, const QRect &area,
                  const ColourTable &colours, const MaskStyle &mask);

} // namespace lookback::ui
