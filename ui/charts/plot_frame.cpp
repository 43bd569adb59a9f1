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

void PlotPainter::reference(const ReferenceLine &line) const
{
    const PainterState saved(m_painter);
    const QFontMetricsF font(m_metrics.notes, m_painter.device());
    const bool isHorizontal = line.orientation == Qt::Horizontal;
    const double share = isHorizontal ? m_y.share(line.value) : m_x.share(line.value);
    if (!(share >= -1e-9 && share <= 1 + 1e-9))
        return;
    m_painter.setPen(QPen(withAlpha(m_theme.text, isHorizontal ? 0.55 : 0.8), m_metrics.hairline));
    if (isHorizontal) {
        const qreal y = map(m_x.range.lower, line.value).y();
        m_painter.drawLine(QPointF(m_area.left(), y), QPointF(m_area.right(), y));
        const qreal height = font.height();
        const bool isAbove = y - height >= m_area.top();
        QRectF rect(m_area.left(), isAbove ? y - height : y, m_area.width() - m_metrics.gap, height);
        if (line.textFrom)
            rect.setLeft(map(*line.textFrom, line.value).x() + m_metrics.gap);
        text(rect, (line.textFrom ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, line.text, m_metrics.notes,
             m_theme.secondText);
        return;
    }
    const qreal x = map(line.value, m_y.range.lower).x();
    m_painter.drawLine(QPointF(x, m_area.top()), QPointF(x, m_area.bottom()));
    const qreal inset = 2 * m_metrics.gap + m_area.height() * 0.06;
    if (font.horizontalAdvance(line.text) + inset > m_area.height())
        return; // the line alone; captions and tables name it
    // Upwards along the line, left of it if there is room before the axis.
    const qreal height = font.height();
    const bool isLeft = x - m_area.left() >= height;
    m_painter.translate(isLeft ? x - height : x, m_area.bottom());
    m_painter.rotate(-90);
    text(QRectF(inset, 0, m_area.height(), height), Qt::AlignLeft | Qt::AlignVCenter, line.text, m_metrics.notes,
         m_theme.text);
}

void PlotPainter::referenceCurve(const std::vector<QPointF> &points, const QString &note, bool isTextAbove) const
{
    const PainterState saved(m_painter);
    QList<QPointF> places;
    for (const QPointF &point : points) {
        if (std::isfinite(m_y.share(point.y())))
            places.append(map(point.x(), point.y()));
    }
    if (places.isEmpty())
        return;
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(withAlpha(m_theme.text, 0.55), m_metrics.hairline));
    m_painter.drawPath(clippedPath(m_area, places));
    const QFontMetricsF font(m_metrics.notes, m_painter.device());
    const QPointF at = places.front() + QPointF(m_metrics.gap, 0);
    const qreal top = isTextAbove ? at.y() - font.height() : at.y() + m_metrics.gap;
    if (m_area.contains(at))
        text(QRectF(at.x(), top, 1, font.height()), Qt::AlignLeft | Qt::AlignVCenter, note, m_metrics.notes,
             m_theme.secondText);
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
