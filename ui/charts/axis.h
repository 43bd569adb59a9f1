// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace lookback::ui {

/// How values lie along an axis.
enum class Scale { Linear, Log2, Log10 };

/// Position of a value on a scale: the value itself or its logarithm. NaN for what has no place: a non-finite value,
/// and on a logarithmic scale a value that is not positive.
double toScale(Scale scale, double value);
/// The value at a position of a scale.
double fromScale(Scale scale, double position);

/// A stretch of values, lower < upper.
struct Range {
    double lower = 0.0;
    double upper = 1.0;
    double width() const { return upper - lower; }
    bool contains(double value) const { return value >= lower && value <= upper; }
    bool operator==(const Range &) const = default;
};

/// A mark on an axis. An empty label is a mark without a number.
struct Tick {
    double value = 0.0;
    QString label;
    bool operator==(const Tick &) const = default;
};

/// An axis as a value: scale, range in the quantity's unit (positive on logarithmic scales), marks and title.
struct Axis {
    Scale scale = Scale::Linear;
    Range range;
    std::vector<Tick> ticks;
    QString title;
    QString brief; ///< A shorter title for small plots; may be empty.

    /// 0 at range.lower, 1 at range.upper, beyond that outside; NaN if the value has no place.
    double share(double value) const;
    /// The value at a share of the axis.
    double valueAt(double share) const;
    bool operator==(const Axis &) const = default;
};

} // namespace lookback::ui
