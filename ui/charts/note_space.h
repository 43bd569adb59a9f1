// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>

#include <span>
#include <vector>

namespace lookback::ui {

/// What a plot is filled with, to find free places for notes on reference lines. Coordinates are the painter's.
class NoteSpace {
public:
    /// Notes lie inside that rectangle.
    explicit NoteSpace(const QRectF &area) : m_area(area) { }

    /// A curve that notes should not cover.
    void addCurve(const QList<QPointF> &points);
    /// Something that no note may cover: another text.
    void addBlock(const QRectF &rect) { m_blocks.push_back(rect); }

    /// Takes the first of the candidates that is free, else the one that covers the least of the curves, and blocks it.
    /// Null if every candidate lies outside or on a block.
    QRectF take(std::span<const QRectF> candidates);
    /// Length of the curves inside the rectangle.
    qreal covered(const QRectF &rect) const;

private:
    QRectF m_area;
    std::vector<QList<QPointF>> m_curves;
    std::vector<QRectF> m_blocks;
};

} // namespace lookback::ui
