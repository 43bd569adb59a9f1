// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/map_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QFontMetricsF>
#include <QPaintEngine>

#include "ui/figures/figure.h"
#include "ui/heatmap/cell_painter.h"

namespace lookback::ui {

namespace {

constexpr double kWholePixelsLoss = 0.04; // cells of equal size are worth this much of the room, not more

} // namespace

AxisPlacement MapRaster::queries() const
{
    return {.axis = axis, .origin = origin.y(), .pixelRatio = pixelsPerPoint, .length = axis.pixels()};
}

AxisPlacement MapRaster::keys() const
{
    AxisPlacement placement = queries();
    placement.origin = origin.x();
    return placement;
}

MapRaster mapRasterFor(QPainter &painter, const QPointF &corner, double side, std::int64_t cells)
{
    MapRaster raster;
    if (!painter.paintEngine() || painter.paintEngine()->type() != QPaintEngine::Raster) {
        // Programs smooth embedded pictures when they enlarge them: several pixels a cell keep its edges sharp.
        const auto perCell =
            static_cast<double>(std::clamp<std::int64_t>(2048 / std::max<std::int64_t>(cells, 1), 1, 16));
        raster.axis = CellAxis(cells, perCell);
        raster.pixelsPerPoint = static_cast<double>(raster.axis.pixels()) / side;
        raster.origin = corner;
        return raster;
    }
    const QTransform device = painter.deviceTransform();
    const double scale = device.m11();
    const double room = std::floor(side * scale + 1e-6);
    const double perCell = room / static_cast<double>(cells);
    const double whole = std::floor(perCell);
    raster.axis = whole >= perCell * (1.0 - kWholePixelsLoss) ? CellAxis(cells, whole)
                                                              : CellAxis::fitted(cells, static_cast<int>(room));
    raster.pixelsPerPoint = scale;
    raster.origin = QPointF((std::ceil(corner.x() * scale + device.dx() - 1e-6) - device.dx()) / scale,
                            (std::ceil(corner.y() * scale + device.dy() - 1e-6) - device.dy()) / scale);
    return raster;
}

LabelStyle mapLabelStyle(const QPainter &painter, bool hasEntries, bool hasTokens)
{
    return {.font = figureFont(kMapSmallFont),
            .line = kMapHairline,
            .leastTokenCell = hasTokens ? kLeastTokenCell : std::numeric_limits<double>::infinity(),
            .hasEntries = hasEntries,
            .hasTokens = hasTokens,
            .device = painter.device()};
}

MapMarks mapMarksFor(const task::Sequence &sequence, const MapCell &cell, bool hasOccurrences)
{
    MapMarks marks = marksFor(sequence, cell);
    if (!hasOccurrences)
        marks.askedEntry = marks.firstEntry = -1;
    return marks;
}

std::vector<LegendItem> mapLegendItems(const MapMarks &marks, const MapCell &cell)
{
    std::vector<LegendItem> items{LegendItem::NotVisible};
    if (cell.isValid())
        items.push_back(LegendItem::Query);
    if (marks.firstEntry >= 0)
        items.push_back(LegendItem::FirstOccurrence);
    if (marks.askedEntry >= 0)
        items.push_back(LegendItem::AskedOccurrence);
    return items;
}

double drawMapKey(QPainter &painter, const QRectF &area, double y, const std::vector<LegendItem> &items,
                  const QString &words, const ColourTable &colours, const Theme &theme, bool isDrawn)
{
    const QFont font = figureFont(kMapSmallFont);
    const QFontMetricsF metrics(font, painter.device());
    const double line = std::ceil(metrics.height());
    double x = area.left();
    const auto makeRoom = [&](double width) {
        if (x > area.left() && x + width > area.right()) {
            x = area.left();
            y += line + 2.0;
        }
    };
    for (const LegendItem item : items) {
        const double width = metrics.horizontalAdvance(legendText(item)) + line + 10.0;
        makeRoom(width);
        if (isDrawn) {
            drawLegendSwatch(painter, QRectF(x, y + 1.0, line - 2.0, line - 2.0), item,
                             maskStyleFor(colours.map(), theme), QColor(colours.colourOf(0.0F)), kMapHairline, theme);
            painter.setFont(font);
            painter.setPen(theme.text);
            painter.drawText(QRectF(x + line + 2.0, y, width, line), Qt::AlignLeft | Qt::AlignVCenter,
                             legendText(item));
        }
        x += width;
    }
    if (!words.isEmpty()) {
        const double width = metrics.horizontalAdvance(words) + 4.0;
        makeRoom(width);
        if (isDrawn) {
            painter.setPen(theme.secondText);
            painter.drawText(QRectF(x, y, width, line), Qt::AlignLeft | Qt::AlignVCenter, words);
        }
    }
    return y;
}

void drawMapFrames(QPainter &painter, const MapRaster &raster, const task::Sequence &sequence, const MapMarks &marks,
                   const MapLines &lines, bool hasEntries, bool hasOccurrences, const ColourTable &colours,
                   const Theme &theme)
{
    const AxisPlacement queries = raster.queries();
    const AxisPlacement keys = raster.keys();
    const QRectF plot = raster.plot();
    painter.save();
    painter.setClipRect(plot.adjusted(-1, -1, 1, 1));
    drawGrid(painter, queries, keys, sequence, hasEntries, kMapHairline,
             luminance(colours.colourOf(0.0F)) < 0.4 ? Qt::white : Qt::black);
    drawMapLines(painter, queries, keys, lines, kMapHairline);
    drawMarks(painter, queries, keys, sequence, marks, hasOccurrences, kMapHairline, theme);
    painter.restore();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.secondText, kMapHairline, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(plot.adjusted(-kMapHairline / 2, -kMapHairline / 2, kMapHairline / 2, kMapHairline / 2));
}

} // namespace lookback::ui
