// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/smoothing.h"

#include <algorithm>
#include <cmath>

namespace lookback::ui {

Smoother::Smoother(double strength) : m_strength(std::isfinite(strength) ? std::clamp(strength, 0.0, 1.0) : 0.0) { }

CurvePoint Smoother::next(const CurvePoint &point)
{
    if (!point.y || !std::isfinite(*point.y)) {
        m_power = 1.0;
        m_count = 0.0;
        return point;
    }
    const double value = *point.y;
    m_count += 1;
    m_power *= m_strength;
    if (m_count == 1 || m_strength == 0) {
        m_mean = value;
        return point;
    }
    // The bias-corrected average sum(b^i v) / sum(b^i) as an update of the mean; the weight of the newest value is
    // (1 - b) / (1 - b^k), and 1/k in the limit b = 1. A constant gives value - mean = 0: it stays to the bit.
    const double weight = m_strength < 1 ? (1 - m_strength) / (1 - m_power) : 1 / m_count;
    const double next = m_mean + weight * (value - m_mean);
    m_mean = std::clamp(next, std::min(m_mean, value), std::max(m_mean, value));
    return {point.x, m_mean};
}

std::vector<CurvePoint> smoothed(std::span<const CurvePoint> points, double strength)
{
    std::vector<CurvePoint> result;
    result.reserve(points.size());
    Smoother smoother(strength);
    for (const CurvePoint &point : points)
        result.push_back(smoother.next(point));
    return result;
}

} // namespace lookback::ui
