// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around and behind the curves of a plot: stages, grid, reference lines and axes.
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "ui/charts/painter_state.h"
#include "ui/charts/plot_painter.h"
#include "ui/charts/polyline.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

void PlotPainter::stages(const std::vector<Stage> &stages) const
{
    const PainterState saved(m_painter);
    const QFontMetricsF font(m_metrics.notes, m_painter.device());
    const double first = m_x.range.lower;
    const double last = m_x.range.upper;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const Stage &stage = stages[i];
        if (stage.to <= first || stage.from >= last)
            continue;
        const qreal left = map(std::max(stage.from, first), m_y.range.lower).x();
        const qreal right = map(std::min(stage.to, last), m_y.range.lower).x();
        const QRectF rect(left, m_area.top(), right - left, m_area.height());
        if (i % 2 == 0)
            m_painter.fillRect(rect, withAlpha(m_theme.text, 0.03));
        if (stage.to < last) {
            m_painter.setPen(QPen(withAlpha(m_theme.text, 0.35), m_metrics.hairline));
            m_painter.drawLine(rect.topRight(), rect.bottomRight());
        }
        if (font.horizontalAdvance(stage.text) + 2 * m_metrics.gap < rect.width()) {
            const QRectF top(rect.left(), rect.top() - font.height(), rect.width(), font.height());
            text(top, Qt::AlignCenter, stage.text, m_metrics.notes, m_theme.secondText);
        }
    }
}

void PlotPainter::grid() const
{
    const PainterState saved(m_painter);
    m_painter.setPen(QPen(withAlpha(m_theme.text, 0.12), m_metrics.hairline));
    for (const Tick &tick : m_y.ticks) {
        const qreal y = map(m_x.range.lower, tick.value).y();
        m_painter.drawLine(QPointF(m_area.left(), y), QPointF(m_area.right(), y));
    }
}

void PlotPainter::references(std::span<const ReferenceLine> lines, const ReferenceCurve &curve, NoteSpace notes) const
{
    const PainterState saved(m_painter);
    m_painter.setBrush(Qt::NoBrush);
    const auto isInside = [this](const ReferenceLine &line) {
        const double share = line.orientation == Qt::Horizontal ? m_y.share(line.value) : m_x.share(line.value);
        return share >= -1e-9 && share <= 1 + 1e-9;
    };
    // All lines before the first note: notes cross them, too, only where there is no free place.
    for (const ReferenceLine &line : lines) {
        if (!isInside(line))
            continue;
        const bool isHorizontal = line.orientation == Qt::Horizontal;
        m_painter.setPen(line.isStrong ? QPen(m_theme.text, 2 * m_metrics.hairline)
                                       : QPen(withAlpha(m_theme.text, isHorizontal ? 0.55 : 0.8), m_metrics.hairline));
        const QPointF at = isHorizontal ? map(m_x.range.lower, line.value) : map(line.value, m_y.range.lower);
        const QLineF drawn = isHorizontal ? QLineF(m_area.left(), at.y(), m_area.right(), at.y())
                                          : QLineF(at.x(), m_area.top(), at.x(), m_area.bottom());
        m_painter.drawLine(drawn);
        notes.addCurve({drawn.p1(), drawn.p2()});
    }
    QList<QPointF> places;
    for (const QPointF &point : curve.points) {
        if (std::isfinite(m_y.share(point.y())))
            places.append(map(point.x(), point.y()));
    }
    if (!places.isEmpty()) {
        m_painter.setPen(QPen(withAlpha(m_theme.text, 0.55), m_metrics.hairline));
        m_painter.drawPath(clippedPath(m_area, places));
        notes.addCurve(places);
    }
    for (const ReferenceLine &line : lines) {
        if (isInside(line) && line.orientation == Qt::Horizontal)
            horizontalNote(line, notes);
    }
    curveNote(places, curve.text, notes);
    for (const ReferenceLine &line : lines) {
        if (isInside(line) && line.orientation == Qt::Vertical)
            verticalNote(line, notes);
    }
}

void PlotPainter::horizontalNote(const ReferenceLine &line, NoteSpace &notes) const
{
    const QFontMetricsF font(m_metrics.notes, m_painter.device());
    const QSizeF size(font.horizontalAdvance(line.text), font.height());
    if (size.width() <= 0)
        return;
    const qreal y = map(m_x.range.lower, line.value).y();
    const qreal right = m_area.right() - m_metrics.gap - size.width();
    const qreal left = m_area.left() + m_metrics.gap;
    const qreal wished = line.textFrom ? map(*line.textFrom, line.value).x() + m_metrics.gap : right;
    std::vector<QRectF> candidates;
    for (const qreal x : {wished, right, left, left + (right - left) * 0.75, (left + right) / 2}) {
        candidates.emplace_back(QPointF(x, y - m_metrics.hairline - size.height()), size);
        candidates.emplace_back(QPointF(x, y + m_metrics.hairline), size);
    }
    QRectF rect = notes.take(candidates);
    if (rect.isNull()) // no other text names the line
        rect = candidates[y - size.height() >= m_area.top() ? 0 : 1];
    text(rect, Qt::AlignLeft | Qt::AlignVCenter, line.text, m_metrics.notes, m_theme.secondText);
}

void PlotPainter::curveNote(const QList<QPointF> &places, const QString &note, NoteSpace &notes) const
{
    const QFontMetricsF font(m_metrics.notes, m_painter.device());
    const QSizeF size(font.horizontalAdvance(note), font.height());
    if (places.isEmpty() || size.width() <= 0)
        return;
    // Along the curve from its left end, close above it or below.
    std::vector<QRectF> candidates;
    constexpr int tries = 24;
    for (int i = 0; i < tries; ++i) {
        const qreal left = places.front().x() + m_metrics.gap
            + (places.back().x() - places.front().x() - size.width()) * i / (tries - 1.0);
        qreal highest = m_area.bottom();
        qreal lowest = m_area.top();
        for (const QPointF &place : places) {
            if (place.x() >= left - m_metrics.gap - 1 && place.x() <= left + size.width() + 1) {
                highest = std::min(highest, place.y());
                lowest = std::max(lowest, place.y());
            }
        }
        candidates.emplace_back(QPointF(left, highest - size.height()), size);
        candidates.emplace_back(QPointF(left, lowest + m_metrics.gap / 2), size);
    }
    if (const QRectF rect = notes.take(candidates); !rect.isNull())
        text(rect, Qt::AlignLeft | Qt::AlignVCenter, note, m_metrics.notes, m_theme.secondText);
}

void PlotPainter::verticalNote(const ReferenceLine &line, NoteSpace &notes) const
{
    const QFontMetricsF font(m_metrics.notes, m_painter.device());
    const qreal length = font.horizontalAdvance(line.text);
    const qreal inset = 2 * m_metrics.gap + m_area.height() * 0.06;
    if (length <= 0 || length + inset > m_area.height())
        return; // the line alone; captions and tables name it
    // Upwards along the line, near its foot, left of it if there is room before the axis; else further up.
    const qreal x = map(line.value, m_y.range.lower).x();
    std::vector<QRectF> candidates;
    constexpr int tries = 16;
    for (int i = 0; i < tries; ++i) {
        const qreal foot = m_area.bottom() - inset - (m_area.height() - inset - length) * i / (tries - 1.0);
        for (const qreal left : {x - m_metrics.hairline - font.height(), x + m_metrics.hairline})
            candidates.emplace_back(left, foot - length, font.height(), length);
    }
    const QRectF rect = notes.take(candidates);
    if (rect.isNull())
        return;
    const PainterState saved(m_painter);
    m_painter.translate(rect.bottomLeft());
    m_painter.rotate(-90);
    text(QRectF(0, 0, length, font.height()), Qt::AlignLeft | Qt::AlignVCenter, line.text, m_metrics.notes,
         m_theme.text);
}

void PlotPainter::bottomAxis(bool hasNumbers) const
{
    const PainterState saved(m_painter);
    const QFontMetricsF numbers(m_metrics.numbers, m_painter.device());
    const QPen pen(m_theme.text, m_metrics.hairline);
    m_painter.setPen(pen);
    m_painter.drawLine(m_area.bottomLeft(), m_area.bottomRight());
    if (!hasNumbers)
        return;
    const qreal top = m_area.bottom() + m_metrics.tick + m_metrics.gap / 2;
    for (const Tick &tick : m_x.ticks) {
        if (const double share = m_x.share(tick.value); !(share >= -1e-9 && share <= 1 + 1e-9))
            continue;
        const qreal x = map(tick.value, m_y.range.lower).x();
        m_painter.setPen(pen);
        m_painter.drawLine(QPointF(x, m_area.bottom()), QPointF(x, m_area.bottom() + m_metrics.tick));
        text(QRectF(x, top, 0, numbers.height()), Qt::AlignHCenter | Qt::AlignTop, tick.label, m_metrics.numbers,
             m_theme.text);
    }
    const QFontMetricsF titles(m_metrics.titles, m_painter.device());
    text(QRectF(m_area.left(), top + numbers.height() + m_metrics.gap / 2, m_area.width(), titles.height()),
         Qt::AlignHCenter | Qt::AlignTop, m_x.title, m_metrics.titles, m_theme.text);
}

void PlotPainter::topAxis(const Axis &axis) const
{
    const PainterState saved(m_painter);
    const QFontMetricsF numbers(m_metrics.numbers, m_painter.device());
    const QFontMetricsF titles(m_metrics.titles, m_painter.device());
    const QPen pen(m_theme.text, m_metrics.hairline);
    m_painter.setPen(pen);
    m_painter.drawLine(m_area.topLeft(), m_area.topRight());
    const qreal bottom = m_area.top() - m_metrics.tick - m_metrics.gap / 2;
    for (const Tick &tick : axis.ticks) {
        const double share = axis.share(tick.value);
        if (!(share >= -1e-9 && share <= 1 + 1e-9))
            continue;
        const qreal x = m_area.left() + share * m_area.width();
        m_painter.setPen(pen);
        m_painter.drawLine(QPointF(x, m_area.top()), QPointF(x, m_area.top() - m_metrics.tick));
        text(QRectF(x, bottom - numbers.height(), 0, numbers.height()), Qt::AlignHCenter | Qt::AlignBottom, tick.label,
             m_metrics.numbers, m_theme.text);
    }
    text(QRectF(m_area.left(), bottom - numbers.height() - m_metrics.gap / 2 - titles.height(), m_area.width(),
                titles.height()),
         Qt::AlignHCenter | Qt::AlignBottom, axis.title, m_metrics.titles, m_theme.text);
}

void PlotPainter::leftAxis(qreal numbersWidth) const
{
    const PainterState saved(m_painter);
    const QFontMetricsF numbers(m_metrics.numbers, m_painter.device());
    const QPen pen(m_theme.text, m_metrics.hairline);
    for (const Tick &tick : m_y.ticks) {
        const qreal y = map(m_x.range.lower, tick.value).y();
        m_painter.setPen(pen);
        m_painter.drawLine(QPointF(m_area.left() - m_metrics.tick, y), QPointF(m_area.left(), y));
        const QRectF rect(m_area.left() - m_metrics.tick - m_metrics.gap, y - numbers.height() / 2, 0,
                          numbers.height());
        text(rect, Qt::AlignRight | Qt::AlignVCenter, tick.label, m_metrics.numbers, m_theme.text);
    }
    const QFontMetricsF titles(m_metrics.titles, m_painter.device());
    const qreal right = m_area.left() - m_metrics.tick - 2 * m_metrics.gap - numbersWidth;
    m_painter.translate(right - titles.height(), m_area.center().y());
    m_painter.rotate(-90);
    const qreal room = m_area.height() + titles.height();
    const bool isBrief = !m_y.brief.isEmpty() && titles.horizontalAdvance(m_y.title) > room;
    const QString title = titles.elidedText(isBrief ? m_y.brief : m_y.title, Qt::ElideRight, room);
    text(QRectF(0, 0, 0, titles.height()), Qt::AlignHCenter | Qt::AlignVCenter, title, m_metrics.titles, m_theme.text);
}

} // namespace lookback::ui
