// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/polyline.h"

#include <algorithm>
#include <numeric>

namespace lookback::ui {

bool clipLine(const QRectF &rect, QPointF &from, QPointF &to)
{
    const QPointF delta = to - from;
    qreal start = 0;
    qreal end = 1;
    const auto cut = [&](qreal p, qreal q) {
        if (p == 0)
            return q >= 0;
        const qreal r = q / p;
        if (p < 0)
            start = std::max(start, r);
        else
            end = std::min(end, r);
        return start <= end;
    };
    if (!cut(-delta.x(), from.x() - rect.left()) || !cut(delta.x(), rect.right() - from.x())
        || !cut(-delta.y(), from.y() - rect.top()) || !cut(delta.y(), rect.bottom() - from.y())) {
        return false;
    }
    const QPointF origin = from;
    from = origin + start * delta;
    to = origin + end * delta;
    return true;
}

QPainterPath clippedPath(const QRectF &rect, const QList<QPointF> &points)
{
    QPainterPath path;
    for (qsizetype i = 1; i < points.size(); ++i) {
        QPointF from = points[i - 1];
        QPointF to = points[i];
        if (!clipLine(rect, from, to))
            continue;
        if (path.isEmpty() || path.currentPosition() != from)
            path.moveTo(from);
        path.lineTo(to);
    }
    return path;
}

QList<QLineF> dashedLines(const QRectF &rect, const QList<QPointF> &points, const QList<qreal> &dashes)
{
    QList<QLineF> lines;
    lines.reserve(points.size());
    const bool isSolid = dashes.isEmpty() || !(std::accumulate(dashes.begin(), dashes.end(), 0.0) > 0);
    qsizetype dash = 0;
    qreal left = isSolid ? 0 : dashes[0];
    for (qsizetype i = 1; i < points.size(); ++i) {
        QPointF from = points[i - 1];
        QPointF to = points[i];
        if (!clipLine(rect, from, to))
            continue;
        const QLineF piece(from, to);
        if (isSolid) {
            lines.append(piece);
            continue;
        }
        const qreal length = piece.length();
        for (qreal done = 0; done < length;) {
            const qreal step = std::min(left, length - done);
            if (dash % 2 == 0)
                lines.append({piece.pointAt(done / length), piece.pointAt((done + step) / length)});
            done += step;
            left -= step;
            if (left <= 1e-9) {
                dash = (dash + 1) % dashes.size();
                left = std::max(dashes[dash], 0.01);
            }
        }
    }
    return lines;
}

} // namespace lookback::ui
