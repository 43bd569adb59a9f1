// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/note_space.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/polyline.h"

namespace lookback::ui {

void NoteSpace::addCurve(const QList<QPointF> &points)
{
    m_curves.push_back(points);
}

qreal NoteSpace::covered(const QRectF &rect) const
{
    qreal length = 0;
    for (const QList<QPointF> &points : m_curves) {
        for (qsizetype i = 0; i + 1 < points.size(); ++i) {
            QPointF from = points[i];
            QPointF to = points[i + 1];
            if (std::max(from.x(), to.x()) < rect.left() || std::min(from.x(), to.x()) > rect.right())
                continue;
            if (clipLine(rect, from, to))
                length += std::hypot(to.x() - from.x(), to.y() - from.y());
        }
    }
    return length;
}

QRectF NoteSpace::take(std::span<const QRectF> candidates)
{
    QRectF best;
    qreal least = 0;
    for (const QRectF &rect : candidates) {
        const bool isInside = m_area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(rect);
        if (!isInside || std::ranges::any_of(m_blocks, [&](const QRectF &block) { return block.intersects(rect); }))
            continue;
        const qreal length = covered(rect);
        if (best.isNull() || length < least) {
            best = rect;
            least = length;
        }
        if (length == 0)
            break;
    }
    if (!best.isNull())
        m_blocks.push_back(best);
    return best;
}

} // namespace lookback::ui
