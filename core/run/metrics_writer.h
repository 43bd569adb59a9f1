// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

#include "core/run/metrics.h"

namespace lookback::run {

/// Brings a metrics log back to `step`: keeps whole lines with strictly rising steps up to it and drops the rest,
/// damaged lines included. The file is replaced whole, and only if something is to go. Throws Error.
void cutMetrics(const std::filesystem::path &file, std::int64_t step);

/// Appends lines to metrics.jsonl. Each line goes to the system at once, so the log never lags behind what happened.
///
/// When the disk refuses (full, quota, read-only), lines wait in bounded memory and are written in order, without gap
/// or glue, by a later call; nothing is thrown for that. One thread at a time.
class MetricsWriter {
public:
    explicit MetricsWriter(std::filesystem::path file);
    ~MetricsWriter();
    MetricsWriter(const MetricsWriter &) = delete;
    MetricsWriter &operator=(const MetricsWriter &) = delete;

    /// True if the line, and all that waited, is with the system now.
    bool append(const MetricsRecord &record);
    /// Writes what waits and flushes the file to the disk. True if all went well.
    bool flush();
    /// The system's reason why lines wait; empty if none do.
    const std::string &reason() const { return m_reason; }
    /// Step since which nothing was written; 0 if all is.
    std::int64_t waitingSince() const { return m_waiting.empty() ? 0 : m_waiting.front().step; }

private:
    struct Line {
        std::int64_t step = 0;
        std::string text;
    };
    bool writeWaiting();
    bool refuse(int error);

    std::filesystem::path m_file;
    int m_handle = -1;
    std::deque<Line> m_waiting;
    std::string m_reason;
};

} // namespace lookback::run
