// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/curve_store.h"

#include <algorithm>
#include <cmath>

namespace lookback::ui {

void CurveData::setPoints(std::vector<CurvePoint> points)
{
    if (points == m_points)
        return;
    m_points.clear();
    m_smooth.clear();
    m_values.clear();
    m_smoother = Smoother(m_strength);
    m_rawCache.isValid = m_smoothCache.isValid = false;
    appendPoints(points);
}

void CurveData::appendPoints(std::span<const CurvePoint> points)
{
    if (points.empty())
        return;
    m_points.insert(m_points.end(), points.begin(), points.end());
    for (const CurvePoint &point : points) {
        if (point.y)
            m_values.add(*point.y);
        if (m_strength > 0)
            m_smooth.push_back(m_smoother.next(point));
    }
    m_rawCache.isValid = m_smoothCache.isValid = false;
}

void CurveData::setSmoothing(double strength)
{
    if (strength == m_strength)
        return;
    m_strength = strength;
    m_smoother = Smoother(strength);
    m_smooth.clear();
    m_smoothCache.isValid = false;
    if (strength > 0) {
        m_smooth.reserve(m_points.size());
        for (const CurvePoint &point : m_points)
            m_smooth.push_back(m_smoother.next(point));
    }
}

const CurvePoint *CurveData::lastFinite() const
{
    for (auto point = m_points.rbegin(); point != m_points.rend(); ++point) {
        if (point->y && std::isfinite(*point->y))
            return &*point;
    }
    return nullptr;
}

const CurvePoint *CurveData::at(double x) const
{
    const auto found = std::ranges::lower_bound(m_points, x, {}, &CurvePoint::x);
    return found != m_points.end() && found->x == x ? &*found : nullptr;
}

std::ptrdiff_t CurveData::nearest(double x) const
{
    if (m_points.empty())
        return -1;
    auto found = std::ranges::lower_bound(m_points, x, {}, &CurvePoint::x);
    if (found == m_points.end() || (found != m_points.begin() && x - std::prev(found)->x <= found->x - x))
        --found;
    return found - m_points.begin();
}

const ThinnedCurve &CurveData::raw(const Axis &x, const Axis &y, int columns)
{
    return cached(m_rawCache, m_points, x, y, columns);
}

const ThinnedCurve &CurveData::smooth(const Axis &x, const Axis &y, int columns)
{
    return cached(m_smoothCache, m_smooth, x, y, columns);
}

const ThinnedCurve &CurveData::cached(Cache &cache, std::span<const CurvePoint> points, const Axis &x, const Axis &y,
                                      int columns)
{
    const View view{x.scale, x.range, y.scale, y.range, columns};
    if (!cache.isValid || cache.view != view) {
        cache.curve = thinned(points, x, y, columns);
        cache.view = view;
        cache.isValid = true;
        ++cache.revision;
    }
    return cache.curve;
}

} // namespace lookback::ui
