// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>

class QDateTime;

namespace lookback::ui {

class RunCollection;

/// What all active runs together are doing: for the status bar, the window title and the task bar.
struct WorkSummary {
    int training = 0; ///< Initialising, running, stopping.
    int queued = 0;
    int paused = 0;
    std::int64_t stepsDone = 0; ///< Of all active runs.
    std::int64_t stepsInAll = 0;
    double stepsPerSecond = 0.0;
    std::optional<double> remainingSeconds; ///< Until the last active run ends, at the present speed.
    QString onlyRun; ///< Variant, if exactly one run is active.

    int active() const { return training + queued + paused; }
    bool operator==(const WorkSummary &) const = default;
};

WorkSummary summaryOf(const RunCollection &runs);

/// "Training 3 runs, 1 queued", "Ready".
QString activityText(const WorkSummary &summary);
/// "22 % of 45,000 steps"; empty if nothing is active.
QString stepsText(const WorkSummary &summary);
/// "All done at about 14:45"; empty if not known.
QString endText(const WorkSummary &summary, const QDateTime &now);
/// "22 % · 3 runs · Lookback", "37 % · hybrid_square · Lookback", "Attention · Lookback", "Lookback".
QString windowTitleText(const WorkSummary &summary, const QString &page);

} // namespace lookback::ui
