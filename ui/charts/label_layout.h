// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace lookback::ui {

/// A label at the end of a curve: where its middle would like to be, and how high it is.
struct LabelWish {
    double y = 0.0;
    double height = 0.0;
};

/// Middles of the labels, in the order of the wishes: none overlap, all lie between top and bottom, and the sum of
/// squared moves is the smallest possible; equal wishes keep their order. If they do not fit they are spread evenly
/// and overlap (see fits).
std::vector<double> labelPositions(std::span<const LabelWish> wishes, double top, double bottom);

bool labelsFit(std::span<const LabelWish> wishes, double top, double bottom);

} // namespace lookback::ui
