// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

namespace lookback::ui {

/// The one button of a view to press next: filled with the accent while isPrimary, else a plain push button. Shows its
/// shortcut beside the text.
class PrimaryButton : public QPushButton {
    Q_OBJECT

public:
    explicit PrimaryButton(QWidget *parent = nullptr);

    void setPrimary(bool isPrimary);
    bool isPrimary() const { return m_isPrimary; }
    /// Name of the icon, drawn in the text's colour.
    void setIconName(QLatin1StringView name);
    /// "F5": shown at the right of the text, paler. Only shown; the action owns the shortcut.
    void setHint(const QString &hint);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    QLatin1StringView m_icon;
    QString m_hint;
    bool m_isPrimary = false;
};

} // namespace lookback::ui
