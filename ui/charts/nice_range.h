// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/bulk_range.h"

namespace lookback::ui {

/// 1, 2 or 5 times a power of ten: the smallest such step that cuts `width` into at most `intervals` pieces.
double niceStep(double width, int intervals);

/// Multiples of niceStep inside the range, ascending; at most `most` + 1 of them.
std::vector<double> niceTicks(const Range &range, int most);

/// The range of ticks around the data. A constant gets a range around it that does not cross zero; an empty or
/// non-finite range becomes 0..1.
Range niceRange(const Range &data, int most);

/// The natural range of an accuracy: 0..1 with air at both ends, so that a line at 0 or 100 % is seen.
constexpr Range kShareRange{-0.025, 1.035};

/// 1, 2 or 5 times a power of ten around positive data; at least a decade.
Range niceLogRange(const Range &data);

/// Axes of the figures; each with at most about `most` labelled ticks.
Axis stepAxis(const Range &steps, Scale scale, int most);
/// Shares in percent; decimals as the distance of ticks needs them. `range` within -0.1..1.1.
/// `hasUnit` false: numbers without "%", for a title that says it.
Axis shareAxis(const Range &range, int most, const QString &title, bool hasUnit = true);
/// Logarithmic, in the quantity's own unit.
Axis quantityAxis(const Range &range, int most, const QString &title);
/// Logarithmic shares in percent: "10 %", "1 %", "0.1 %".
Axis errorRateAxis(const Range &range, const QString &title);
/// Context lengths, log2: ticks at powers of two, labels at least 1 / `most` of the axis apart.
Axis contextAxis(const Range &tokens, int most);
/// The same places named by unique keys: a tick at each evaluated n, a label where `most` allows it (powers of two
/// first).
Axis keysAxis(const Range &tokens, const std::vector<std::int64_t> &n_keys, std::int64_t tokensPerKey, int most);

} // namespace lookback::ui
