// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/bench.h"

namespace lookback::bench {

bool BenchResult::meetsGoal() const
{
    const auto isAtMost = [](double value, double most) { return most == 0.0 || value <= most; };
    return rooflineShare >= goal.leastShare && shareOfAlone >= goal.leastShareOfAlone
        && isAtMost(medianSeconds, goal.mostSeconds) && isAtMost(peakBytes, goal.mostBytes)
        && isAtMost(addedBytes, goal.mostAddedBytes);
}

std::string itemInWords(const BenchResult &result)
{
    if (result.name == "matrix_product")
        return "matrix product";
    if (result.name == "training_step")
        return "training step";
    return result.name == "side_by_side" ? "two runs side by side" : result.name;
}

} // namespace lookback::bench
