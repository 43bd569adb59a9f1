// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>
#include <vector>

#include "core/run/run_service.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lookback::ui {

/// The evaluation that is going on: what, how far, how long, and Cancel; how the last one ended if it failed. Hidden
/// while there is nothing to say.
class EvaluationPanel : public QWidget {
    Q_OBJECT

public:
    explicit EvaluationPanel(QWidget *parent = nullptr);

    /// `titleOf` names a run.
    void setEvaluations(const std::vector<run::EvaluationStatus> &evaluations,
                        const std::function<QString(const run::RunId &)> &titleOf);
    void showEnded(const run::EvaluationStatus &status, const QString &title);

Q_SIGNALS:
    void cancelRequested(lookback::run::JobId job);

private:
    run::JobId m_job = 0;
    QLabel *m_title;
    QLabel *m_left;
    QProgressBar *m_bar;
    QPushButton *m_cancel;
    QLabel *m_detail;
};

} // namespace lookback::ui
