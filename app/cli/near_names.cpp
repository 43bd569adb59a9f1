// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/near_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lookback::cli {

namespace {

/// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, now);
    }
    return last[b.size()];
}

} // namespace

std::vector<std::string> nearNames(std::string_view wanted, const std::vector<std::string> &known)
{
    if (wanted.empty() || wanted.size() > 100)
        return {};
    std::vector<std::pair<std::size_t, std::string>> found;
    const std::size_t furthest = std::max<std::size_t>(1, wanted.size() / 3);
    for (const std::string &name : known) {
        std::size_t distance = editDistance(wanted, name);
        if (wanted.size() >= 4 && (name.starts_with(wanted) || wanted.starts_with(name)))
            distance = std::min<std::size_t>(distance, 1);
        if (distance <= furthest)
            found.emplace_back(distance, name);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (auto &[distance, name] : found) {
        if (names.size() < 3)
            names.push_back(std::move(name));
    }
    return names;
}

std::string didYouMean(std::string_view wanted, const std::vector<std::string> &known, std::string_view otherwise)
{
    const std::vector<std::string> names = nearNames(wanted, known);
    if (names.empty())
        return std::string(otherwise);
    std::string text = "Did you mean ";
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            text += i + 1 == names.size() ? " or " : ", ";
        text += "\"" + names[i] + "\"";
    }
    return text + "?";
}

} // namespace lookback::cli
