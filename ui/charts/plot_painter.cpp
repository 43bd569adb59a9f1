// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plot_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "ui/charts/polyline.h"
#include "ui/theme/figure_font.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Segments of more points are drawn piece by piece on screens, see dashedLines.
constexpr qsizetype kLongOnScreen = 300;

class Saved {
public:
    explicit Saved(QPainter &painter) : m_painter(painter) { m_painter.save(); }
    ~Saved() { m_painter.restore(); }
    Saved(const Saved &) = delete;
    Saved &operator=(const Saved &) = delete;

private:
    QPainter &m_painter;
};

QColor withAlpha(QColor colour, qreal alpha)
{
    colour.setAlphaF(float(alpha));
    return colour;
}

} // namespace

PlotMetrics PlotMetrics::screen(const QFont &font)
{
    // The house sizes are those of a 13 px font; all grow with the system's.
    const qreal points = font.pointSizeF() > 0 ? font.pointSizeF() : 10.0;
    const auto scaled = [&font, points](qreal pixels, QFont::Weight weight) {
        QFont other = font;
        other.setPointSizeF(points * pixels / 13.0);
        other.setWeight(weight);
        return other;
    };
    PlotMetrics metrics;
    metrics.numbers = scaled(11, QFont::Normal);
    metrics.titles = scaled(12, QFont::Normal);
    metrics.labels = scaled(12, QFont::DemiBold);
    metrics.notes = scaled(11, QFont::Normal);
    return metrics;
}

PlotMetrics PlotMetrics::paper()
{
    PlotMetrics metrics;
    metrics.numbers = metrics.titles = metrics.labels = figureFont(8);
    metrics.notes = figureFont(7);
    metrics.curve = 1.2;
    metrics.selectedCurve = 1.2;
    metrics.marker = 4.5;
    metrics.hairline = 0.5;
    metrics.tick = 3.0;
    metrics.gap = 2.5;
    metrics.columnsPerUnit = 4.0;
    metrics.isScreen = false;
    return metrics;
}

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

void PlotPainter::stages(const std::vector<Stage> &stages) const
{
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
    m_painter.setPen(QPen(withAlpha(m_theme.text, 0.12), m_metrics.hairline));
    for (const Tick &tick : m_y.ticks) {
        const qreal y = map(m_x.range.lower, tick.value).y();
        m_painter.drawLine(QPointF(m_area.left(), y), QPointF(m_area.right(), y));
    }
}

void PlotPainter::reference(const ReferenceLine &line) const
{
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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

void PlotPainter::band(std::span<const IntervalPoint> points, const QColor &colour) const
{
    if (points.size() < 2)
        return;
    const Saved saved(m_painter);
    QPolygonF outline;
    const auto inside = [this](double x, double y) {
        QPointF at = map(x, std::isfinite(m_y.share(y)) ? y : m_y.range.lower);
        at.setY(std::clamp(at.y(), m_area.top(), m_area.bottom()));
        at.setX(std::clamp(at.x(), m_area.left(), m_area.right()));
        return at;
    };
    for (const IntervalPoint &point : points)
        outline << inside(point.x, point.high);
    for (auto point = points.rbegin(); point != points.rend(); ++point)
        outline << inside(point->x, point->low);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(withAlpha(colour, 0.18));
    m_painter.drawPolygon(outline);
}

void PlotPainter::whiskers(std::span<const IntervalPoint> points, const QColor &colour) const
{
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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
    const Saved saved(m_painter);
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

qreal numbersWidth(const Axis &axis, const PlotMetrics &metrics, QPaintDevice *device)
{
    const QFontMetricsF numbers(metrics.numbers, device);
    qreal widest = 0;
    for (const Tick &tick : axis.ticks)
        widest = std::max(widest, numbers.horizontalAdvance(tick.label));
    return widest;
}

QMarginsF axisMargins(qreal numbersWidth, const Axis *top, bool hasBottomNumbers, const PlotMetrics &metrics,
                      QPaintDevice *device)
{
    const QFontMetricsF numbers(metrics.numbers, device);
    const QFontMetricsF titles(metrics.titles, device);
    const qreal axis = metrics.tick + metrics.gap + numbers.height() + titles.height();
    return {metrics.tick + 2 * metrics.gap + numbersWidth + titles.height(), top ? axis : numbers.height(), 0,
            hasBottomNumbers ? axis : metrics.hairline};
}

int fittingLabels(qreal width, const QString &text, const QFont &font, QPaintDevice *device)
{
    const QFontMetricsF metrics(font, device);
    return std::max(2, int(width / (metrics.horizontalAdvance(text) + metrics.averageCharWidth() * 0.5) + 1));
}

} // namespace lookback::ui
