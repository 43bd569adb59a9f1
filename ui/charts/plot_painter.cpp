// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plot_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "ui/charts/painter_state.h"
#include "ui/charts/polyline.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Segments of more points are drawn piece by piece on screens, see dashedLines.
constexpr qsizetype kLongOnScreen = 300;

} // namespace

PlotPainter::PlotPainter(QPainter &painter, const QRectF &area, const Axis &x, const Axis &y, const Theme &theme,
                         const PlotMetrics &metrics)
    : m_painter(painter), m_area(area), m_x(x), m_y(y), m_theme(theme), m_metrics(metrics)
{
}

QPointF PlotPainter::map(double x, double y) const
{
    // Far outside would overflow the rasteriser; a million is off any page.
    const auto bounded = [](double value) { return std::clamp(value, -1e6, 1e6); };
    return {bounded(m_area.left() + m_x.share(x) * m_area.width()),
            bounded(m_area.bottom() - m_y.share(y) * m_area.height())};
}

int PlotPainter::columns() const
{
    return std::max(1, int(std::ceil(m_area.width() * m_metrics.columnsPerUnit)));
}

void PlotPainter::text(const QRectF &rect, int flags, const QString &text, const QFont &font,
                       const QColor &colour) const
{
    m_painter.setFont(font);
    m_painter.setPen(colour);
    m_painter.drawText(rect, flags | Qt::TextDontClip, text);
}

void PlotPainter::occupy(NoteSpace &notes, const ThinnedCurve &curve) const
{
    for (const auto &segment : curve.segments) {
        QList<QPointF> places;
        places.reserve(qsizetype(segment.size()));
        for (const QPointF &point : segment)
            places.append(map(point.x(), point.y()));
        notes.addCurve(places);
    }
}

void PlotPainter::band(std::span<const IntervalPoint> points, const QColor &colour) const
{
    if (points.size() < 2)
        return;
    const PainterState saved(m_painter);
    QPolygonF outline;
    const auto inside = [this](double x, double y) {
        QPointF at = map(x, std::isfinite(m_y.share(y)) ? y : m_y.range.lower);
        at.setY(std::clamp(at.y(), m_area.top(), m_area.bottom()));
        at.setX(std::clamp(at.x(), m_area.left(), m_area.right()));
        return at;
    };
    std::vector<IntervalPoint> extremes;
    int column = -1;
    for (const IntervalPoint &point : points) {
        const double share = m_x.share(point.x);
        if (!std::isfinite(share))
            continue;
        const int own = int(std::clamp(share, 0.0, 1.0) * columns());
        const bool isEdge = share < 0 || share > 1;
        if (std::ssize(points) > 2 * columns() && own == column && !isEdge) {
            extremes.back().low = std::min(extremes.back().low, point.low);
            extremes.back().high = std::max(extremes.back().high, point.high);
        } else {
            extremes.push_back(point);
            column = isEdge ? -1 : own;
        }
    }
    for (const IntervalPoint &point : extremes)
        outline << inside(point.x, point.high);
    for (auto point = extremes.rbegin(); point != extremes.rend(); ++point)
        outline << inside(point->x, point->low);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(withAlpha(colour, 0.18));
    m_painter.drawPolygon(outline);
}

void PlotPainter::whiskers(std::span<const IntervalPoint> points, const QColor &colour) const
{
    const PainterState saved(m_painter);
    m_painter.setPen(
        QPen(withAlpha(colour, m_metrics.whiskerOpacity), m_metrics.curve / 2, Qt::SolidLine, Qt::FlatCap));
    for (const IntervalPoint &point : points) {
        QPointF high = map(point.x, point.high);
        QPointF low = map(point.x, std::isfinite(m_y.share(point.low)) ? point.low : m_y.range.lower);
        if (clipLine(m_area, high, low))
            m_painter.drawLine(high, low);
    }
}

void PlotPainter::curve(const ThinnedCurve &curve, const SeriesStyle &style, qreal width, qreal opacity) const
{
    const PainterState saved(m_painter);
    QPen pen(withAlpha(style.line, opacity), width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (!style.dashes.isEmpty())
        pen.setDashPattern(style.dashes);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(pen);
    for (const auto &segment : curve.segments) {
        QList<QPointF> places;
        places.reserve(qsizetype(segment.size()));
        for (const QPointF &point : segment)
            places.append(map(point.x(), point.y()));
        if (m_metrics.isScreen && places.size() > kLongOnScreen) {
            QList<qreal> dashes = style.dashes;
            for (qreal &dash : dashes)
                dash *= width;
            m_painter.setPen(QPen(pen.color(), width, Qt::SolidLine, Qt::FlatCap));
            m_painter.drawLines(dashedLines(m_area, places, dashes));
        } else if (places.size() > 1) {
            m_painter.setPen(pen);
            m_painter.drawPath(clippedPath(m_area, places));
        }
    }
    lonePoints(curve, style, width, opacity);
}

void PlotPainter::lonePoints(const ThinnedCurve &curve, const SeriesStyle &style, qreal width, qreal opacity) const
{
    const PainterState saved(m_painter);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(withAlpha(style.line, opacity));
    for (const auto &segment : curve.segments) {
        if (segment.size() != 1)
            continue;
        const QPointF at = map(segment.front().x(), segment.front().y());
        if (m_area.contains(at))
            m_painter.drawEllipse(at, width * 0.75, width * 0.75);
    }
}

void PlotPainter::markers(std::span<const QPointF> points, const SeriesStyle &style, qreal size) const
{
    for (const QPointF &point : points) {
        const QPointF at = map(point.x(), point.y());
        if (m_area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(at))
            drawMarker(m_painter, at, size, style, m_theme.base);
    }
}

void PlotPainter::breaks(const ThinnedCurve &curve, const SeriesStyle &style) const
{
    const PainterState saved(m_painter);
    const qreal arm = m_metrics.marker * 0.4;
    for (const CurveBreak &gap : curve.breaks) {
        if (gap.kind == BreakKind::Missing || gap.kind == BreakKind::NotPositive)
            continue;
        const qreal x = std::clamp(map(gap.x, m_y.range.lower).x(), m_area.left(), m_area.right());
        const QPointF at(x, m_area.bottom() - 2 * arm);
        m_painter.setPen(QPen(style.line, m_metrics.hairline, Qt::DotLine));
        m_painter.drawLine(QPointF(x, m_area.top()), at);
        m_painter.setPen(QPen(m_theme.wrong, m_metrics.curve, Qt::SolidLine, Qt::RoundCap));
        m_painter.drawLine(at + QPointF(-arm, -arm), at + QPointF(arm, arm));
        m_painter.drawLine(at + QPointF(-arm, arm), at + QPointF(arm, -arm));
    }
}

void PlotPainter::offScale(const ThinnedCurve &curve, const SeriesStyle &style) const
{
    const PainterState saved(m_painter);
    const qreal size = m_metrics.marker * 0.6;
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(style.line);
    const auto triangle = [&](double x, bool isAbove) {
        const qreal place = map(x, m_y.range.lower).x();
        const qreal edge = isAbove ? m_area.top() : m_area.bottom();
        const qreal foot = edge + (isAbove ? size : -size);
        m_painter.drawPolygon(QPolygonF({{place, edge}, {place - size / 2, foot}, {place + size / 2, foot}}));
    };
    for (const auto &segment : curve.segments) {
        for (const QPointF &point : segment) {
            if (m_x.range.contains(point.x()) && !m_y.range.contains(point.y()))
                triangle(point.x(), point.y() > m_y.range.upper);
        }
    }
    for (const CurveBreak &gap : curve.breaks) {
        if (gap.kind == BreakKind::NotPositive)
            triangle(std::max(gap.x, m_x.range.lower), false);
    }
}

} // namespace lookback::ui
