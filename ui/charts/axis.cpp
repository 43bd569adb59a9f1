// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/axis.h"

#include <cmath>
#include <limits>

namespace lookback::ui {

double toScale(Scale scale, double value)
{
    if (!std::isfinite(value) || (scale != Scale::Linear && value <= 0))
        return std::numeric_limits<double>::quiet_NaN();
    switch (scale) {
    case Scale::Linear:
        return value;
    case Scale::Log2:
        return std::log2(value);
    case Scale::Log10:
        return std::log10(value);
    }
    return value;
}

double fromScale(Scale scale, double position)
{
    switch (scale) {
    case Scale::Linear:
        return position;
    case Scale::Log2:
        return std::exp2(position);
    case Scale::Log10:
        return std::pow(10.0, position);
    }
    return position;
}

double Axis::share(double value) const
{
    const double lower = toScale(scale, range.lower);
    const double upper = toScale(scale, range.upper);
    return (toScale(scale, value) - lower) / (upper - lower);
}

double Axis::valueAt(double share) const
{
    const double lower = toScale(scale, range.lower);
    const double upper = toScale(scale, range.upper);
    return fromScale(scale, lower + share * (upper - lower));
}

} // namespace lookback::ui
