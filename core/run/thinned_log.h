// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/run/metrics.h"

namespace lookback::run {

/// A log as charts show it, in bounded memory however long it is: up to `most` records all of them, beyond that a
/// selection of the logged records, never averages.
///
/// Of each stretch of equally many lines it keeps the first, those with the lowest and highest loss, accuracy and the
/// highest accuracy at the most keys, and the first with a value that is not finite; the newest lines are whole. A
/// curve drawn from it is the one of the whole log wherever a stretch is narrower than a pixel.
class ThinnedLog {
public:
    static constexpr std::size_t kMost = 200'000;
    /// At least 1,024.
    explicit ThinnedLog(std::size_t most = kMost);

    /// Appends. Steps rise strictly: known records from `record.step` on go first. True if that, or thinning, changed
    /// what stood there before.
    bool add(const MetricsRecord &record);
    void clear();

    const std::vector<MetricsRecord> &records() const { return m_records; }
    /// Moves the records out; the log is empty then.
    std::vector<MetricsRecord> take();
    /// Lines in a row of which one stretch's records are kept; 1 = every line is there.
    std::int64_t linesPerStretch() const { return m_stretch; }

private:
    void thin();

    std::size_t m_most;
    std::vector<MetricsRecord> m_records; ///< Selected ones, then `m_records.size() - m_selected` whole lines.
    std::size_t m_selected = 0;
    std::vector<std::uint8_t> m_keptOf; ///< Of each stretch, how many are kept; their sum is m_selected.
    std::int64_t m_stretch = 1;
};

} // namespace lookback::run
