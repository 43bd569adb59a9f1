// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

class QDateTime;

namespace lookback::ui {

/// Durations, clock times, speeds and sizes as the window's lists and labels write them; the counts and shares are
/// those of ui/charts/number_text.h.

/// "23 %": whole percent, 100 only when complete, for progress.
QString progressText(std::int64_t done, std::int64_t total);
/// "12.0", "0.43", "1,240"; "–" for 0.
QString rateText(double stepsPerSecond);
/// Exact enough for the past: "42 s", "7 min 12 s", "3 h 5 min", "2 days 4 h".
QString durationText(double seconds);
/// Calm, for estimates: "under 10 s", "40 s", "16 min", "2 h 10 min", "3 days".
QString roughDurationText(double seconds);
/// "under 10 s", "about 4 min": roughDurationText as an estimate.
QString aboutText(double seconds);
/// "16 min left (ends 14:32)"; the clock only from a minute on; the weekday if not today.
QString timeLeftText(double remainingSeconds, const QDateTime &now);
/// "14:32", or "Tue 14:32" on another day.
QString clockText(const QDateTime &when, const QDateTime &now);
/// "1.4 GB", powers of 1000.
QString bytesText(std::uint64_t bytes);

} // namespace lookback::ui
