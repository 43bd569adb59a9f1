// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace lookback::ui {

class FigureView;
class PrimaryButton;
class RunBridge;
class RunCollection;

/// The first start: what this is, one button that trains two small runs, and the published curves. Stands where the
/// training charts will be.
class WelcomePage : public QWidget {
    Q_OBJECT

public:
    WelcomePage(RunBridge *bridge, RunCollection *runs, QWidget *parent = nullptr);

    PrimaryButton *tryButton() const { return m_try; }

Q_SIGNALS:
    void tryRequested();
    void openRequested();
    void guideRequested();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void refreshEstimate();

    RunBridge *m_bridge;
    PrimaryButton *m_try;
    QLabel *m_estimate;
    QWidget *m_picture;
    FigureView *m_figure;
};

} // namespace lookback::ui
