// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <thread>

#include "ui/dialogs/measured_figure_dialog.h"
#include "ui/figures/variance_figure.h"

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace lookback::ui {

/// Variance of the attended value by number of keys and power, computed on threads of its own.
class VarianceDialog : public MeasuredFigureDialog {
    Q_OBJECT

public:
    /// `threads`: that may compute.
    VarianceDialog(int threads, QWidget *parent);
    ~VarianceDialog() override;

    std::unique_ptr<Figure> figure() const override;
    /// What the form asks; nothing if it asks the impossible.
    std::optional<analysis::VarianceRequest> request() const;

    void compute() override;
    void cancel() override;

private:
    void check();

    int m_threads;
    QComboBox *m_sampling;
    QLineEdit *m_powers;
    QSpinBox *m_longest;
    QSpinBox *m_samples;
    QSpinBox *m_seed;
    std::optional<VarianceFigureInput> m_shown;
    std::uint64_t m_job = 0; ///< Of the newest computation: what an older one still says is dropped.
    std::jthread m_thread; // last: it is ended before the rest goes
};

} // namespace lookback::ui
