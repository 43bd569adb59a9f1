// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/x_view.h"

#include <algorithm>
#include <cmath>

namespace lookback::ui {

XView::XView(QObject *parent) : QObject(parent) { }

void XView::setScale(Scale scale)
{
    if (m_scale == scale)
        return;
    m_scale = scale;
    if (scale != Scale::Linear) {
        for (Range *range : {&m_range, &m_automatic}) {
            if (range->lower <= 0)
                range->lower = std::min(1.0, range->upper / 10);
        }
    }
    Q_EMIT rangeChanged();
}

void XView::setAutomaticRange(const Range &range)
{
    if (!(range.width() > 0) || (m_scale != Scale::Linear && range.lower <= 0))
        return;
    m_automatic = range;
    if (m_isFollowing)
        assign(range);
}

void XView::setRange(const Range &range)
{
    const double first = toScale(m_scale, m_automatic.lower);
    const double last = toScale(m_scale, m_automatic.upper);
    double lower = m_scale != Scale::Linear && range.lower <= 0 ? first : toScale(m_scale, range.lower);
    double upper = toScale(m_scale, range.upper);
    if (!std::isfinite(lower) || !std::isfinite(upper) || !(upper > lower))
        return;
    // At most a tenth beyond the data, and a ten-thousandth of them at least.
    const double air = 0.1 * (last - first);
    const double width = std::clamp(upper - lower, (last - first) * 1e-4, last - first + 2 * air);
    const double middle = (lower + upper) / 2;
    lower = std::clamp(middle - width / 2, first - air, last + air - width);
    upper = lower + width;
    setFollowing(false);
    assign({fromScale(m_scale, lower), fromScale(m_scale, upper)});
}

void XView::setFollowing(bool isFollowing)
{
    if (m_isFollowing == isFollowing)
        return;
    m_isFollowing = isFollowing;
    if (isFollowing)
        assign(m_automatic);
    Q_EMIT followingChanged(isFollowing);
}

void XView::setCrossHair(std::optional<double> x)
{
    if (m_crossHair == x)
        return;
    m_crossHair = x;
    Q_EMIT crossHairChanged();
}

void XView::assign(const Range &range)
{
    if (m_range == range)
        return;
    m_range = range;
    Q_EMIT rangeChanged();
}

} // namespace lookback::ui
