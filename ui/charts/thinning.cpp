// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/thinning.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/number_text.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Nothing if the value has a place on the scale.
std::optional<BreakKind> breakKind(const CurvePoint &point, Scale scale)
{
    if (!point.y)
        return BreakKind::Missing;
    const double y = *point.y;
    if (std::isnan(y))
        return BreakKind::NotANumber;
    if (std::isinf(y))
        return y > 0 ? BreakKind::PlusInfinity : BreakKind::MinusInfinity;
    if (scale != Scale::Linear && y <= 0)
        return BreakKind::NotPositive;
    return std::nullopt;
}

/// Notes a point without a place; it continues the newest stretch if its neighbour was broken in the same way.
void addBreak(std::vector<CurveBreak> &breaks, double x, BreakKind kind, bool wasBroken)
{
    if (wasBroken && breaks.back().kind == kind) {
        breaks.back().lastX = x;
        ++breaks.back().count;
    } else {
        breaks.push_back({x, x, kind, 1});
    }
}

/// Collects one segment, two extremes a column.
class Segment {
public:
    void add(const QPointF &point, std::int64_t column)
    {
        if (m_count == 0) {
            m_first = point;
            open(point, column);
        } else if (column != m_column) {
            close();
            open(point, column);
        } else {
            // Strictly, so that of equal values the first is kept.
            if (point.y() < m_lowest.y())
                m_lowest = point;
            if (point.y() > m_highest.y())
                m_highest = point;
        }
        m_last = point;
        ++m_count;
    }

    bool isEmpty() const { return m_count == 0; }

    std::vector<QPointF> take()
    {
        close();
        if (m_points.front() != m_first)
            m_points.insert(m_points.begin(), m_first);
        if (m_points.back() != m_last)
            m_points.push_back(m_last);
        m_count = 0;
        return std::exchange(m_points, {});
    }

private:
    void open(const QPointF &point, std::int64_t column)
    {
        m_column = column;
        m_lowest = m_highest = point;
    }

    void close()
    {
        if (m_lowest.x() == m_highest.x()) {
            m_points.push_back(m_lowest);
            return;
        }
        const bool isLowFirst = m_lowest.x() < m_highest.x();
        m_points.push_back(isLowFirst ? m_lowest : m_highest);
        m_points.push_back(isLowFirst ? m_highest : m_lowest);
    }

    std::vector<QPointF> m_points;
    QPointF m_first;
    QPointF m_last;
    QPointF m_lowest;
    QPointF m_highest;
    std::int64_t m_column = 0;
    std::int64_t m_count = 0;
};

} // namespace

ThinnedCurve thinned(std::span<const CurvePoint> points, const Axis &x, const Axis &y, int columns)
{
    ThinnedCurve result;
    const auto isBefore = [](const CurvePoint &point, double value) { return point.x < value; };
    auto first = std::ranges::lower_bound(points, x.range.lower, {}, &CurvePoint::x);
    auto last = std::lower_bound(first, points.end(), std::nextafter(x.range.upper, INFINITY), isBefore);
    if (first != points.begin())
        --first;
    if (last != points.end())
        ++last;

    const bool isWhole = last - first <= std::ptrdiff_t(2) * columns;
    const double lower = toScale(x.scale, x.range.lower);
    const double columnsPerUnit = columns / (toScale(x.scale, x.range.upper) - lower);

    Segment segment;
    const auto finish = [&] {
        if (!segment.isEmpty())
            result.segments.push_back(segment.take());
    };
    std::int64_t number = 0;
    bool wasBroken = false;
    for (auto point = first; point != last; ++point) {
        const double place = toScale(x.scale, point->x);
        if (!std::isfinite(place)) // step 0 on a logarithmic axis
            continue;
        if (const auto kind = breakKind(*point, y.scale)) {
            finish();
            addBreak(result.breaks, point->x, *kind, wasBroken);
            wasBroken = true;
            continue;
        }
        wasBroken = false;
        if (x.range.contains(point->x)) {
            result.above += *point->y > y.range.upper ? 1 : 0;
            result.below += *point->y < y.range.lower ? 1 : 0;
        }
        // The neighbours outside have columns of their own: -1 and `columns`, or further.
        const std::int64_t column = isWhole ? number++ : std::int64_t(std::floor((place - lower) * columnsPerUnit));
        segment.add(QPointF(point->x, *point->y), column);
    }
    finish();
    std::erase_if(result.breaks,
                  [&](const CurveBreak &gap) { return gap.lastX < x.range.lower || gap.x > x.range.upper; });
    return result;
}

std::vector<CurveBreak> breaksOf(std::span<const CurvePoint> points, Scale y)
{
    std::vector<CurveBreak> breaks;
    bool wasBroken = false;
    for (const CurvePoint &point : points) {
        const auto kind = breakKind(point, y);
        if (kind)
            addBreak(breaks, point.x, *kind, wasBroken);
        wasBroken = kind.has_value();
    }
    return breaks;
}

QString breakText(const CurveBreak &gap)
{
    const auto step = [](double x) { return countText(std::llround(x)); };
    const QString where =
        gap.count == 1 ? u"at step %1"_s.arg(step(gap.x)) : u"from step %1 to %2"_s.arg(step(gap.x), step(gap.lastX));
    switch (gap.kind) {
    case BreakKind::NotANumber:
        return u"not a number %1"_s.arg(where);
    case BreakKind::PlusInfinity:
        return u"infinite %1"_s.arg(where);
    case BreakKind::MinusInfinity:
        return u"%1infinite %2"_s.arg(QChar(0x2212)).arg(where);
    case BreakKind::Missing:
        return u"no value %1"_s.arg(where);
    case BreakKind::NotPositive:
        return u"0 or below %1: not on a log axis"_s.arg(where);
    }
    return {};
}

} // namespace lookback::ui
