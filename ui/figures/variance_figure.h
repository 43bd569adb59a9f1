// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/variance.h"
#include "ui/figures/figure.h"

namespace lookback::ui {

/// What was asked and what came out: attendedVariance().
struct VarianceFigureInput {
    analysis::VarianceRequest request;
    std::vector<analysis::VariancePoint> points; ///< By length, then power; not empty.
};

/// Variance of the attended value against the number of keys, both logarithmic, a curve for each power, with two
/// standard errors either way. CSV: one line a length and power.
std::unique_ptr<Figure> makeVarianceFigure(VarianceFigureInput input);

/// Lengths from 2 to `longest` (2 or more): 2, 5, 10, 20, 50, ... and the longest itself.
std::vector<std::int64_t> varianceLengths(std::int64_t longest);

/// "gaussian", "unit", "default": of the option and of files. In the order of the enumeration.
std::span<const std::string_view> samplingIds();
std::string_view samplingId(analysis::VarianceSampling sampling);

} // namespace lookback::ui
