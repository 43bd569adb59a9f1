// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_head_cache.h"

#include <algorithm>

namespace lookback::ui {

PyramidPointer HeadCache::find(HeadChoice head)
{
    const auto found = std::ranges::find(m_heads, head, [](const auto &item) { return item.first; });
    if (found == m_heads.end())
        return nullptr;
    m_heads.splice(m_heads.begin(), m_heads, found);
    return found->second;
}

std::vector<HeadChoice> HeadCache::put(HeadChoice head, PyramidPointer values)
{
    std::erase_if(m_heads, [&](const auto &item) { return item.first == head; });
    m_heads.emplace_front(head, std::move(values));
    std::vector<HeadChoice> left;
    std::int64_t sum = bytes();
    while (sum > m_mostBytes && m_heads.size() > 1) {
        sum -= m_heads.back().second->bytes();
        left.push_back(m_heads.back().first);
        m_heads.pop_back();
    }
    return left;
}

std::int64_t HeadCache::bytes() const
{
    std::int64_t sum = 0;
    for (const auto &[head, values] : m_heads)
        sum += values->bytes();
    return sum;
}

} // namespace lookback::ui
