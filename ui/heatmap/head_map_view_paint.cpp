// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of HeadMapView.
#include <cmath>

#include <QPaintEvent>
#include <QPainter>

#include "ui/heatmap/head_map_view.h"

namespace lookback::ui {

void HeadMapView::paintTiles(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys)
{
    if (m_tileScale != keys.axis.pixelsPerCell()) {
        forgetTiles();
        m_tileScale = keys.axis.pixelsPerCell();
    }
    const Theme &theme = Theme::forPalette(palette());
    const MaskStyle mask = maskStyleFor(m_colours.map(), theme);
    const double ratio = keys.pixelRatio;
    painter.save();
    painter.setClipRect(QRectF(keys.origin, queries.origin, keys.length / ratio, queries.length / ratio));
    // One unit = one device pixel from here on, and the plot begins at a whole one: tiles are copied, never resampled.
    painter.setWorldTransform(QTransform::fromScale(1.0 / ratio, 1.0 / ratio), true);
    for (int ty = queries.offset / kTile; ty * kTile < queries.offset + queries.length; ++ty) {
        for (int tx = keys.offset / kTile; tx * kTile < keys.offset + keys.length; ++tx) {
            const quint64 name = (static_cast<quint64>(ty) << 32U) | static_cast<quint64>(tx);
            QImage *tile = m_tiles.object(name);
            if (!tile) {
                const QRect area = QRect(tx * kTile, ty * kTile, kTile, kTile)
                    & QRect(0, 0, keys.axis.pixels(), queries.axis.pixels());
                tile = new QImage(paintCells(*m_values, queries.axis, keys.axis, area, m_colours, mask));
                m_tiles.insert(name, tile); // the cache owns it
            }
            painter.drawImage(QPointF(keys.origin * ratio + tx * kTile - keys.offset,
                                      queries.origin * ratio + ty * kTile - queries.offset),
                              *tile);
        }
    }
    painter.restore();
}

void HeadMapView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    if (!hasMap())
        return;
    const Theme &theme = Theme::forPalette(palette());
    // The device may be a screen or an image of another pixel ratio; both are met pixel by pixel.
    const QTransform device = painter.deviceTransform();
    const double ratio = device.m11();
    const AxisPlacement rows = placement(Axis::Queries, ratio, device.dy());
    const AxisPlacement columns = placement(Axis::Keys, ratio, device.dx());
    const task::Sequence &sequence = m_example->sequence;
    const LabelStyle style = labelStyle();
    MapMarks marks = marksFor(sequence, m_cell);
    if (!m_hasOccurrences)
        marks.askedEntry = marks.firstEntry = -1;
    const QRectF plot(columns.origin, rows.origin, columns.length / ratio, rows.length / ratio);

    paintTiles(painter, rows, columns);

    painter.save();
    painter.setClipRect(plot.adjusted(-1, -1, 1, 1));
    const QRgb zero = m_colours.colourOf(0.0F);
    drawGrid(painter, rows, columns, sequence, m_hasEntries, 1.0, luminance(zero) < 0.4 ? Qt::white : Qt::black);
    drawMapLines(painter, rows, columns, m_lines, 1.0);
    drawMarks(painter, rows, columns, sequence, marks, m_hasOccurrences, 1.0, theme);
    if (const MapCell pointer = pointerCell(); pointer != m_cell && pointer.isValid()) {
        const QRectF cell(QPointF(columns.edge(pointer.key), rows.edge(pointer.query)),
                          QPointF(columns.edge(pointer.key + 1), rows.edge(pointer.query + 1)));
        const double grow = std::max(1.0, (6.0 - cell.width()) / 2);
        painter.setPen(QPen(QColor(0, 0, 0, 150), 3.0));
        painter.drawRect(cell.adjusted(-grow, -grow, grow, grow));
        painter.setPen(QPen(Qt::white, 1.0));
        painter.drawRect(cell.adjusted(-grow, -grow, grow, grow));
    }
    painter.restore();

    MapMarks labelled = marks;
    labelled.cell = m_cell;
    drawTopLabels(painter, QRectF(plot.left(), 0.0, plot.width(), plot.top() - 2.0), columns, sequence, labelled, style,
                  theme);
    drawLeftLabels(painter, QRectF(0.0, plot.top(), plot.left() - 2.0, plot.height()), rows, sequence, labelled, style,
                   theme);

    painter.setBrush(Qt::NoBrush);
    if (hasFocus()) {
        painter.setPen(QPen(theme.focus, 2.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(plot.adjusted(-1, -1, 1, 1));
    } else {
        painter.setPen(QPen(theme.hairline, 1.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(plot.adjusted(-0.5, -0.5, 0.5, 0.5));
    }
    if (m_isStale) {
        QColor veil = theme.base;
        veil.setAlphaF(0.6F);
        painter.fillRect(viewport()->rect(), veil);
    }
}

} // namespace lookback::ui
