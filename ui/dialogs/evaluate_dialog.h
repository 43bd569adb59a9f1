// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <vector>

#include "core/run/run_service.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace lookback::ui {

/// A run that can be evaluated, as the dialog needs it.
struct EvaluableRun {
    QString title;
    run::RunSnapshot snapshot;
};

/// Asks which checkpoint to evaluate at which context lengths, with how many sequences. What cannot be evaluated is
/// refused as it is typed, with the reason.
class EvaluateDialog : public QDialog {
    Q_OBJECT

public:
    /// `runs` have at least one checkpoint each; `chosen` is the index of the first one to show.
    EvaluateDialog(std::vector<EvaluableRun> runs, int chosen, QWidget *parent = nullptr);

    /// Meant only after acceptance.
    run::EvaluationRequest request() const;

private:
    void showRun();
    void check();

    std::vector<EvaluableRun> m_runs;
    QComboBox *m_run;
    QComboBox *m_checkpoint;
    QLineEdit *m_keys;
    QSpinBox *m_sequences;
    QLabel *m_problem;
    QPushButton *m_evaluate;
    std::vector<std::int64_t> m_parsed;
};

} // namespace lookback::ui
