// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>

#include <cstddef>
#include <utility>
#include <vector>

namespace lookback::ui {

/// Back and forward through views (zoom and selection as values). Changes in quick succession, as turns of a wheel, are
/// one step.
template <typename View> class ViewHistory {
public:
    /// Notes the present view after a change by the user. `before` is what was seen before the first one.
    void note(const View &before, const View &now)
    {
        if (m_views.empty())
            m_views.push_back(before);
        const bool isOneStep = m_since.isValid() && m_since.elapsed() < kOneStepMilliseconds && m_at > 0;
        m_since.start();
        if (m_views[m_at] == now)
            return;
        m_views.resize(m_at + 1);
        if (isOneStep) {
            m_views[m_at] = now;
            return;
        }
        m_views.push_back(now);
        if (m_views.size() > kMost)
            m_views.erase(m_views.begin());
        m_at = m_views.size() - 1;
    }

    bool canGoBack() const { return m_at > 0; }
    bool canGoForward() const { return m_at + 1 < m_views.size(); }
    /// Only if canGoBack.
    const View &back() { return m_views[--m_at]; }
    const View &forward() { return m_views[++m_at]; }

private:
    static constexpr std::size_t kMost = 100;
    static constexpr qint64 kOneStepMilliseconds = 700;
    std::vector<View> m_views;
    std::size_t m_at = 0;
    QElapsedTimer m_since;
};

} // namespace lookback::ui
