// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace lookback::ui {

/// A side panel that scrolls when the window is low, never sideways: it is as wide as its content and its bar.
class SideArea : public QScrollArea {
    Q_OBJECT

public:
    /// `least`: of the width.
    SideArea(QWidget *content, int least, QWidget *parent);

    void setLeastWidth(int least);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fitWidth();

    int m_least;
};

} // namespace lookback::ui
