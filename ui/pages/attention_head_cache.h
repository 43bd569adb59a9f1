// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <list>
#include <utility>
#include <vector>

#include "ui/heatmap/head_grid.h"
#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// The pictures of large heads, as many as a bound of memory allows. Where a new one has no room, those leave that were
/// looked at longest ago; the newest always stays.
class HeadCache {
public:
    explicit HeadCache(std::int64_t mostBytes) : m_mostBytes(mostBytes) { }

    /// Null if it is not there. Looking at it makes it the newest.
    PyramidPointer find(HeadChoice head);
    /// Replaces one of the same head. The heads that left for it.
    std::vector<HeadChoice> put(HeadChoice head, PyramidPointer values);
    void clear() { m_heads.clear(); }

    std::int64_t bytes() const;
    std::int64_t mostBytes() const { return m_mostBytes; }
    std::size_t count() const { return m_heads.size(); }

private:
    std::int64_t m_mostBytes;
    std::list<std::pair<HeadChoice, PyramidPointer>> m_heads; // newest first
};

} // namespace lookback::ui
