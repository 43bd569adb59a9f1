// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "ui/charts/axis.h"

namespace lookback::ui {

/// What an automatic range shows, and what it leaves out (to be announced).
struct RobustRange {
    Range range; ///< Of the values shown.
    std::int64_t above = 0; ///< Finite values above it.
    std::int64_t below = 0;
    double highest = 0.0; ///< Of all values with a place; equals range.upper if nothing is above.
    double lowest = 0.0;
    bool isEmpty = true; ///< There is no value with a place on the scale.
};

/// Counts values in bins of 1/64 decade of their size, with the extremes of each bin: what robustRange needs, for
/// curves that grow by millions of points. Adding is cheap; histograms of several curves are added up.
class ValueHistogram {
public:
    /// Non-finite values are passed over.
    void add(double value);
    void add(const ValueHistogram &other);
    void clear() { m_bins.clear(); }

    /// The range in which the bulk of the values is readable. A value is left out only if the bulk (the central 96 %)
    /// would be pressed flat: if it lies beyond the bulk by more than three times its width, and on a logarithmic scale
    /// by more than six decades. Values without a place on the scale are not counted.
    RobustRange robustRange(Scale scale) const;

private:
    struct Bin {
        std::int64_t count = 0;
        double lowest = 0.0;
        double highest = 0.0;
    };
    std::map<int, Bin> m_bins; ///< Ascending with the values.
};

RobustRange robustRange(std::span<const double> values, Scale scale);

} // namespace lookback::ui
