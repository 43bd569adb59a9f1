// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Lines and frames over the cells of a head map.
#include <algorithm>

#include <QPainter>

#include "ui/heatmap/map_labels.h"

namespace lookback::ui {

namespace {

// Sizes of a cell in lines (pixels on screen).
constexpr double kLeastGridCell = 8.0;
constexpr double kLeastEntryCell = 3.0; // below, a line between entries would cover a third of a cell or more
constexpr double kFullEntry = 40.0; // lines between smaller entries are fainter: they would outshine the cells
constexpr double kLeastFramedCell = 3.0;

QRectF cellsRect(const AxisPlacement &queries, const AxisPlacement &keys, std::int64_t q0, std::int64_t q1,
                 std::int64_t k0, std::int64_t k1)
{
    return {QPointF(keys.edge(k0), queries.edge(q0)), QPointF(keys.edge(k1), queries.edge(q1))};
}

} // namespace

void drawMapFrame(QPainter &painter, const QRectF &rect, const QColor &colour, double width, bool isDashed)
{
    painter.setBrush(Qt::NoBrush);
    QPen edge(QColor(0, 0, 0, 150), 2.0 * width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    painter.setPen(edge);
    painter.drawRect(rect);
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    if (isDashed)
        pen.setDashPattern({3.0, 2.0});
    painter.setPen(pen);
    painter.drawRect(rect);
}

void drawGrid(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys,
              const task::Sequence &sequence, bool hasEntries, double line, const QColor &colour)
{
    const double cell = std::min(keys.cellSize(), queries.cellSize());
    const std::int64_t length = sequence.shape.entryTokens();
    const double unit = 1.0 / keys.pixelRatio; // one device pixel
    QColor fine = colour;
    QColor strong = colour;
    fine.setAlphaF(0.06F);
    const double entryLines = cell * static_cast<double>(length) / line;
    strong.setAlphaF(0.34F * static_cast<float>(std::clamp(entryLines / kFullEntry, 0.3, 1.0)));
    const bool hasFine = cell >= kLeastGridCell * line;
    const bool hasStrong = hasEntries && cell >= kLeastEntryCell * line;
    if (!hasFine && !hasStrong)
        return;
    const auto shadeOf = [&](std::int64_t index) -> const QColor * {
        if (hasStrong && index % length == 0)
            return &strong;
        return hasFine ? &fine : nullptr;
    };
    for (std::int64_t key = std::max<std::int64_t>(keys.firstVisible(), 1); key < keys.endVisible(); ++key) {
        if (const QColor *shade = shadeOf(key))
            painter.fillRect(QRectF(keys.edge(key), queries.origin, unit, queries.length * unit), *shade);
    }
    for (std::int64_t query = std::max<std::int64_t>(queries.firstVisible(), 1); query < queries.endVisible();
         ++query) {
        if (const QColor *shade = shadeOf(query))
            painter.fillRect(QRectF(keys.origin, queries.edge(query), keys.length * unit, unit), *shade);
    }
}

void drawMarks(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys,
               const task::Sequence &sequence, const MapMarks &marks, bool hasOccurrences, double line,
               const Theme &theme)
{
    const std::int64_t length = sequence.shape.entryTokens();
    const std::int64_t count = queries.axis.cells();
    const double half = line; // a frame of two lines lies just outside its cells
    const auto entryFrame = [&](std::int64_t rowEntry, std::int64_t columnEntry, bool isDashed) {
        const QRectF rect = cellsRect(queries, keys, rowEntry * length, std::min((rowEntry + 1) * length, count),
                                      columnEntry * length, std::min((columnEntry + 1) * length, count));
        drawMapFrame(painter, rect.adjusted(-half / 2, -half / 2, half / 2, half / 2), theme.occurrence, 2.0 * line,
                     isDashed);
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (hasOccurrences && marks.askedEntry >= 0) {
        if (marks.firstEntry >= 0)
            entryFrame(marks.askedEntry, marks.firstEntry, false);
        entryFrame(marks.askedEntry, marks.askedEntry, true);
    }
    if (marks.cell.query >= 0) {
        const QRectF row = cellsRect(queries, keys, marks.cell.query, marks.cell.query + 1, 0, keys.axis.cells());
        const QRectF seen(QPointF(std::max(row.left(), keys.origin), row.top()),
                          QPointF(std::min(row.right(), keys.end()), row.bottom()));
        if (queries.cellSize() >= kLeastFramedCell * line) {
            drawMapFrame(painter, seen.adjusted(line / 2, -line / 2, -line / 2, line / 2), Qt::white, 1.5 * line,
                         false);
        } else { // thin lines beside the row: a frame would cover its neighbours
            const QColor beside(255, 255, 255, 130);
            painter.fillRect(QRectF(seen.left(), seen.top() - line, seen.width(), line), beside);
            painter.fillRect(QRectF(seen.left(), seen.bottom(), seen.width(), line), beside);
        }
        if (marks.cell.key >= 0) {
            QRectF cell =
                cellsRect(queries, keys, marks.cell.query, marks.cell.query + 1, marks.cell.key, marks.cell.key + 1);
            const double least = 5.0 * line; // small cells get a frame that can be seen, around them
            const double grow = std::max(line / 2, (least - cell.width()) / 2);
            drawMapFrame(painter, cell.adjusted(-grow, -grow, grow, grow), Qt::white, 2.0 * line, false);
        }
    }
    painter.restore();
}

void drawMapLine(QPainter &painter, const QLineF &place, MapLineKind kind, double line)
{
    const bool isEdge = kind == MapLineKind::WindowEdge;
    painter.setPen(QPen(QColor(0, 0, 0, 170), 3.0 * line, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(place);
    QPen pen(Qt::white, 1.5 * line, Qt::SolidLine, Qt::FlatCap);
    pen.setDashPattern(isEdge ? QList<qreal>{1.5, 1.5} : QList<qreal>{6.0, 3.0});
    painter.setPen(pen);
    painter.drawLine(place);
}

void drawMapLines(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys, const MapLines &lines,
                  double line)
{
    const std::int64_t count = queries.axis.cells();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (lines.window > 0 && lines.window < count) {
        // Through the cells at that distance, whose left ends are the lower left corners of what the window leaves.
        drawMapLine(painter,
                    {keys.edge(0), queries.edge(lines.window), keys.edge(count - lines.window), queries.edge(count)},
                    MapLineKind::WindowEdge, line);
    }
    if (const std::int64_t trained = lines.trainedTokens; trained > 0 && trained < count) {
        const QPointF corner(keys.edge(trained), queries.edge(trained));
        drawMapLine(painter, {QPointF(keys.edge(0), corner.y()), corner}, MapLineKind::TrainingLength, line);
        drawMapLine(painter, {corner, QPointF(corner.x(), queries.edge(count))}, MapLineKind::TrainingLength, line);
    }
    painter.restore();
}

} // namespace lookback::ui
