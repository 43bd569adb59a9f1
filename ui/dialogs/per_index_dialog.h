// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/run/run_service.h"
#include "ui/dialogs/measured_figure_dialog.h"
#include "ui/figures/per_index_figure.h"

class QLabel;
class QSpinBox;

namespace lookback::ui {

class RunBridge;
class RunCollection;

/// Cross-entropy by entry index of the runs whose curves are shown, measured by the service, one run after another.
class PerIndexDialog : public MeasuredFigureDialog {
    Q_OBJECT

public:
    PerIndexDialog(RunBridge *bridge, RunCollection *runs, QWidget *parent);

    std::unique_ptr<Figure> figure() const override;
    /// Runs that compute() would measure: shown, with a checkpoint.
    std::vector<run::RunId> measurable() const;

    void compute() override;
    void cancel() override;

private:
    void refreshRuns();
    void askNext();
    void take(const run::CircuitAnswer &answer);

    RunBridge *m_bridge;
    RunCollection *m_runs;
    QLabel *m_which;
    QSpinBox *m_keys;
    QSpinBox *m_sequences;
    PerIndexFigureInput m_shown; ///< Of the finished measurement,
    PerIndexFigureInput m_coming; ///< and of the one under way.
    eval::PerIndexRequest m_request; ///< Of the one under way.
    std::vector<run::RunId> m_waiting; ///< Not asked yet, last first.
    std::size_t m_total = 0;
    run::RunId m_asked; ///< What the service works on.
    std::optional<run::JobId> m_job;
    QStringList m_troubles; ///< Why runs are left out.
};

} // namespace lookback::ui
