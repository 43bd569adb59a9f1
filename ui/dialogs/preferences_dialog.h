// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace lookback::ui {

class Settings;

/// Choices that are made once. Written to the settings on OK, nothing before.
class PreferencesDialog : public QDialog {
    Q_OBJECT

public:
    PreferencesDialog(Settings *settings, int cores, QWidget *parent = nullptr);

Q_SIGNALS:
    void runsFolderChosen(const QString &folder);
    void parallelRunsChosen(int count); ///< 0 = as many as there are cores.

private:
    void browse();
    void take();

    Settings *m_settings;
    QLineEdit *m_folder;
    QSpinBox *m_parallel;
    QCheckBox *m_alert;
    QCheckBox *m_awake;
};

} // namespace lookback::ui
