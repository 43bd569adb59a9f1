// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QString>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ui/charts/axis.h"

namespace lookback::ui {

/// One logged value. `y` may be NaN or infinite; an empty `y` is a value that was not logged.
struct CurvePoint {
    double x = 0.0; ///< Finite; strictly rising along a curve.
    std::optional<double> y;
    bool operator==(const CurvePoint &) const = default;
};

/// Why a value has no place in the picture.
enum class BreakKind { NotANumber, PlusInfinity, MinusInfinity, Missing, NotPositive };

/// A stretch of neighbouring points without a place, all of one kind.
struct CurveBreak {
    double x = 0.0; ///< Of its first point.
    double lastX = 0.0;
    BreakKind kind = BreakKind::NotANumber;
    std::int64_t count = 1; ///< Points in the stretch.
    bool operator==(const CurveBreak &) const = default;
};

/// What is drawn of a curve.
struct ThinnedCurve {
    /// Points in the quantity's own units, joined within a segment, a gap between segments.
    std::vector<std::vector<QPointF>> segments;
    std::vector<CurveBreak> breaks;
    std::int64_t above = 0; ///< Points of the shown steps above / below the y range.
    std::int64_t below = 0;
};

/// Thins a curve to what `columns` pixel columns over the x range can show: per column the minimum and the maximum, in
/// their order, and the first and last point of each segment. Nothing is averaged or skipped: the lowest and highest
/// value of every column are among the points. Up to 2 points a column all are kept. The nearest point on either side
/// of the range is kept, so that lines run to the edge. A point without a place ends the segment and is reported.
ThinnedCurve thinned(std::span<const CurvePoint> points, const Axis &x, const Axis &y, int columns);

/// All stretches of a curve without a place on the y scale.
std::vector<CurveBreak> breaksOf(std::span<const CurvePoint> points, Scale y);

/// "not a number from step 500", "infinite at step 7", "no value at step 7", "0 or below at step 7: not on a log axis"
QString breakText(const CurveBreak &gap);

} // namespace lookback::ui
