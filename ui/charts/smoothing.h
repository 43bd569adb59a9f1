// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "ui/charts/thinning.h"

namespace lookback::ui {

/// Exponential moving average without start-up bias, strength 0 (off) to 1 (plain mean of all values so far).
///
/// Each result is a weighted mean of the values of its stretch up to there (weights strength^age), so it never leaves
/// their range, and a constant stays that constant to the bit at every strength. A value that is missing or not finite
/// is passed on unchanged and ends the stretch: the average starts anew after it.
std::vector<CurvePoint> smoothed(std::span<const CurvePoint> points, double strength);

/// The same point by point, for curves that grow.
class Smoother {
public:
    explicit Smoother(double strength);
    CurvePoint next(const CurvePoint &point);

private:
    double m_strength;
    double m_mean = 0.0;
    double m_power = 1.0; ///< strength^(values of this stretch)
    double m_count = 0.0;
};

} // namespace lookback::ui
