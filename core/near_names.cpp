// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/near_names.h"

#include <algorithm>
#include <utility>

namespace lookback {

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({replaced, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

std::vector<std::string> nearestFirst(std::string_view wanted, const std::vector<std::string> &names)
{
    std::vector<std::pair<std::size_t, std::string>> ranked;
    ranked.reserve(names.size());
    for (const std::string &name : names)
        ranked.emplace_back(editDistance(wanted, name), name);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto &left, const auto &right) { return left.first < right.first; });
    std::vector<std::string> sorted;
    sorted.reserve(names.size());
    for (auto &[distance, name] : ranked)
        sorted.push_back(std::move(name));
    return sorted;
}

std::string didYouMean(std::string_view wanted, const std::vector<std::string> &names)
{
    constexpr std::size_t kLongestUsefulName = 64; // a pasted page is no slip, and its distance costs time
    if (wanted.empty() || wanted.size() > kLongestUsefulName || names.empty())
        return {};
    const std::string nearest = nearestFirst(wanted, names).front();
    const std::size_t distance = editDistance(wanted, nearest);
    const bool isSlip = distance <= std::max<std::size_t>(1, std::max(wanted.size(), nearest.size()) / 3);
    const bool isPart = wanted.size() >= 3 && nearest.find(wanted) != std::string::npos;
    return isSlip || isPart ? "Did you mean \"" + nearest + "\"? " : std::string();
}

std::string joined(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names) {
        text += text.empty() ? "" : ", ";
        text += name;
    }
    return text;
}

} // namespace lookback
