// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QList>
#include <QPainterPath>
#include <QPointF>
#include <QRectF>

namespace lookback::ui {

/// Shortens a line to its part inside the rectangle (Liang and Barsky); false if there is none.
bool clipLine(const QRectF &rect, QPointF &from, QPointF &to);

/// The inside part of a polyline as a path. Geometry instead of a painter's clip, because SVG files know none.
QPainterPath clippedPath(const QRectF &rect, const QList<QPointF> &points);

/// The inside part of a polyline, cut into the straight pieces of its dashes; `dashes` are lengths on, off, on, ... in
/// the units of the points, empty = solid. For screens: stroking a path of 1,800 points in a noisy curve takes Qt 44
/// ms, drawing these pieces a few.
QList<QLineF> dashedLines(const QRectF &rect, const QList<QPointF> &points, const QList<qreal> &dashes);

} // namespace lookback::ui
