// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <vector>

#include "ui/charts/line_chart.h"
#include "ui/models/run_collection.h"

namespace lookback::ui {

/// Groups of shown runs that differ only in their seed, as curves of the training charts: median and range. The seeds
/// themselves become hair lines.
class TrainingBands {
public:
    struct Band {
        QString id; ///< Of its curve; no run has such an id.
        std::vector<run::RunId> seeds; ///< Shown ones, at least two.
        QString title; ///< "rope · 4 of 5 seeds": how many have begun, and are known.
    };

    /// Finds the groups among the runs of the collection.
    void setRuns(const RunCollection &runs);
    void clear() { m_bands.clear(); }
    const std::vector<Band> &bands() const { return m_bands; }
    /// Null if that run is in no band.
    const Band *bandOf(const run::RunId &run) const;
    /// How many seeds of that run's design are known, hidden ones included.
    static std::int64_t seedsKnown(const RunCollection &runs, const run::RunId &run);

    /// The curves with those of the bands above them; the seeds' become hair lines, without a label unless selected.
    std::vector<ChartCurve> withBands(std::vector<ChartCurve> curves) const;
    /// Hands median and range of loss and accuracy to the charts.
    static void pass(const Band &band, const RunCollection &runs, LineChart &loss, LineChart &accuracy);

private:
    std::vector<Band> m_bands;
};

} // namespace lookback::ui
