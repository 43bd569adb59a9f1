// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace lookback::ui {

/// The strip above a figure: how it is drawn at the left, "Numbers" and "Export…" at the right, on every page in the
/// same place. A page fills it from left to right.
class PageBar : public QWidget {
    Q_OBJECT

public:
    explicit PageBar(QWidget *parent = nullptr);

    /// A button with an icon; `text` is shown beside it, `tip` is its tooltip and accessible name.
    QToolButton *addButton(QLatin1StringView icon, const QString &text, const QString &tip, const QString &name);
    QToolButton *addToggle(QLatin1StringView icon, const QString &text, const QString &tip, const QString &name);
    /// A label whose buddy is `widget`, then the widget.
    QLabel *addField(const QString &label, QWidget *widget);
    void addWidget(QWidget *widget);
    void addSeparator();
    void addStretch();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void collapse(int level);

    QHBoxLayout *m_layout;
    QList<QToolButton *> m_textButtons; ///< Lose their text first when it gets narrow; the tooltip still says it.
    QList<QLabel *> m_labels; ///< Then these are hidden.
};

} // namespace lookback::ui
