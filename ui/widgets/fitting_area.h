// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace lookback::ui {

/// As high as its widget where there is room, and scrolled where there is not. Its widget is made with it and as wide
/// as the area.
class FittingArea : public QScrollArea {
    Q_OBJECT

public:
    explicit FittingArea(QWidget *parent = nullptr);

    /// Scrolls so far down that `part` is at the top, or the end in sight.
    void showFrom(const QWidget *part);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace lookback::ui
