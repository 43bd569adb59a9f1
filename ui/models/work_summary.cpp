// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/work_summary.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

#include <algorithm>

#include "ui/charts/number_text.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString tr(const char *text, const char *comment = nullptr)
{
    return QCoreApplication::translate("WorkSummary", text, comment);
}

} // namespace

WorkSummary summaryOf(const RunCollection &runs)
{
    using run::RunState;
    WorkSummary summary;
    double slowest = 0.0; // seconds until the last of the running ones ends
    std::int64_t waitingSteps = 0;
    bool isKnown = true;
    for (const run::RunId &id : runs.order()) {
        const run::RunSnapshot &run = runs.find(id)->snapshot;
        if (!RunCollection::isActive(run.state) || run.isForeign)
            continue;
        const std::int64_t left = std::max<std::int64_t>(0, run.record.config.steps - run.step);
        if (run.state == RunState::Queued) {
            ++summary.queued;
            waitingSteps += left;
        } else if (run.state == RunState::Paused) {
            ++summary.paused;
        } else {
            ++summary.training;
            isKnown = isKnown && run.remainingSeconds.has_value();
            slowest = std::max(slowest, run.remainingSeconds.value_or(0.0));
        }
        summary.stepsDone += run.step;
        summary.stepsInAll += run.record.config.steps;
        summary.stepsPerSecond += run.stepsPerSecond;
        summary.onlyRun = QString::fromStdString(run.record.config.variant);
    }
    if (summary.active() != 1)
        summary.onlyRun.clear();
    if (summary.training > 0 && summary.paused == 0 && isKnown && summary.stepsPerSecond > 0.0) {
        const double byRate = static_cast<double>(summary.stepsInAll - summary.stepsDone) / summary.stepsPerSecond;
        summary.remainingSeconds = waitingSteps > 0 ? std::max(slowest, byRate) : slowest;
    }
    return summary;
}

QString activityText(const WorkSummary &summary)
{
    QStringList parts;
    if (summary.training > 0)
        parts.append(summary.training == 1 ? tr("Training 1 run") : tr("Training %1 runs").arg(summary.training));
    if (summary.queued > 0)
        parts.append(tr("%1 queued").arg(summary.queued));
    if (summary.paused > 0)
        parts.append(tr("%1 paused").arg(summary.paused));
    return parts.isEmpty() ? tr("Ready") : parts.join(u", "_s);
}

QString stepsText(const WorkSummary &summary)
{
    if (summary.active() == 0)
        return {};
    return tr("%1 of %2 steps", "percent, number")
        .arg(progressText(summary.stepsDone, summary.stepsInAll), countText(summary.stepsInAll));
}

QString endText(const WorkSummary &summary, const QDateTime &now)
{
    if (!summary.remainingSeconds)
        return {};
    if (*summary.remainingSeconds < 60.0)
        return timeLeftText(*summary.remainingSeconds, now);
    return tr("All done at about %1", "clock time")
        .arg(clockText(now.addSecs(static_cast<qint64>(*summary.remainingSeconds)), now));
}

QString windowTitleText(const WorkSummary &summary, const QString &page)
{
    QStringList parts;
    if (summary.active() > 0) {
        parts.append(progressText(summary.stepsDone, summary.stepsInAll));
        parts.append(summary.onlyRun.isEmpty() ? tr("%1 runs").arg(summary.active()) : summary.onlyRun);
    } else if (!page.isEmpty()) {
        parts.append(page);
    }
    parts.append(u"Lookback"_s);
    return parts.join(u" · "_s);
}

} // namespace lookback::ui
