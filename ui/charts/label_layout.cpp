// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/label_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lookback::ui {

namespace {

double totalHeight(std::span<const LabelWish> wishes)
{
    return std::accumulate(wishes.begin(), wishes.end(), 0.0,
                           [](double sum, const LabelWish &wish) { return sum + wish.height; });
}

} // namespace

bool labelsFit(std::span<const LabelWish> wishes, double top, double bottom)
{
    return totalHeight(wishes) <= bottom - top + 1e-9;
}

std::vector<double> labelPositions(std::span<const LabelWish> wishes, double top, double bottom)
{
    const std::size_t count = wishes.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto wished = [&](std::size_t i) { return std::isfinite(wishes[i].y) ? wishes[i].y : bottom; };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return wished(a) < wished(b); });

    // If all does not fit, heights shrink in proportion.
    const double total = totalHeight(wishes);
    const double shrink = total > bottom - top && total > 0 ? std::max(bottom - top, 0.0) / total : 1.0;

    // Measured from the top of a tight stack, not overlapping means rising, and the least squares solution of that is
    // isotonic regression by pooling neighbours that are out of order; the bounds then clamp it.
    struct Pool {
        double sum;
        double size;
        std::size_t members;
    };
    std::vector<Pool> pools;
    std::vector<double> offsets(count); // middle of each label in a tight stack that begins at 0
    double height = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const double own = wishes[order[k]].height * shrink;
        offsets[k] = height + own / 2;
        height += own;
        pools.push_back({wished(order[k]) - offsets[k], 1.0, 1});
        while (pools.size() > 1) {
            const Pool last = pools.back();
            Pool &previous = pools[pools.size() - 2];
            if (previous.sum / previous.size <= last.sum / last.size)
                break;
            previous = {previous.sum + last.sum, previous.size + last.size, previous.members + last.members};
            pools.pop_back();
        }
    }
    std::vector<double> positions(count);
    std::size_t k = 0;
    const double lowest = std::max(bottom - height, top);
    for (const Pool &pool : pools) {
        const double start = std::clamp(pool.sum / pool.size, top, lowest);
        for (std::size_t member = 0; member < pool.members; ++member, ++k)
            positions[order[k]] = start + offsets[k];
    }
    return positions;
}

} // namespace lookback::ui
