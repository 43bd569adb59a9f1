// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the loader of the circuit page says of the work under way.
#include <algorithm>

#include "ui/charts/number_text.h"
#include "ui/models/time_text.h"
#include "ui/pages/circuit_loader.h"

namespace lookback::ui {

bool CircuitLoader::isBusy() const
{
    return std::ranges::any_of(m_jobs, [](const std::optional<run::JobId> &job) { return job.has_value(); });
}

QString CircuitLoader::busyText() const
{
    for (std::size_t i = 0; i < kCircuitParts; ++i) {
        const auto part = static_cast<CircuitPart>(i);
        if (!isPending(part))
            continue;
        const Progress &progress = m_progress[i];
        QString text;
        switch (part) {
        case CircuitPart::Heads:
            text = tr("Measuring the heads");
            break;
        case CircuitPart::Grid:
            text = tr("Removing every head alone");
            break;
        case CircuitPart::Knockout:
            text = tr("Removing the chosen heads");
            break;
        case CircuitPart::Example:
        case CircuitPart::Map:
            text = tr("Looking at the example");
            break;
        case CircuitPart::Context:
            text = tr("Measuring the heads by context length");
            break;
        case CircuitPart::Patch:
            text = tr("Patching");
            break;
        case CircuitPart::Sets:
            text = tr("Looking for small sets");
            break;
        case CircuitPart::Timeline:
            text = tr("Following the heads over the checkpoints");
            break;
        case CircuitPart::Failures:
            text = tr("Collecting wrong answers");
            break;
        }
        if (progress.total > 0)
            text = tr("%1, %2", "activity, percent").arg(text, progressText(progress.done, progress.total));
        if (progress.remainingSeconds)
            text = tr("%1, %2 left", "activity, time").arg(text, roughDurationText(*progress.remainingSeconds));
        return text;
    }
    return {};
}

std::optional<double> CircuitLoader::busyFraction() const
{
    for (std::size_t i = 0; i < kCircuitParts; ++i) {
        const auto part = static_cast<CircuitPart>(i);
        if (isPending(part))
            return m_progress[i].total > 0
                ? std::optional(static_cast<double>(m_progress[i].done) / static_cast<double>(m_progress[i].total))
                : std::nullopt;
    }
    return std::nullopt;
}

} // namespace lookback::ui
