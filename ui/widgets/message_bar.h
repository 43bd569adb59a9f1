// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace lookback::ui {

/// A line of text above or below what it speaks of, with its buttons and a close button; never modal. Hidden until
/// show() is called; a newer message replaces the older one.
class MessageBar : public QFrame {
    Q_OBJECT

public:
    enum class Kind { Information, Warning, Error };
    struct Button {
        QString text; ///< A verb, with mnemonic.
        std::function<void()> act; ///< The bar closes first.
    };

    explicit MessageBar(QWidget *parent = nullptr);

    void showMessage(Kind kind, const QString &sentence, const std::vector<Button> &buttons = {},
                     const QString &details = {});
    QString sentence() const;
    void dismiss();

Q_SIGNALS:
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Kind m_kind = Kind::Information;
    QLabel *m_icon;
    QLabel *m_text;
    QHBoxLayout *m_buttonRow;
    QToolButton *m_close;
    std::vector<QPushButton *> m_buttons;
};

} // namespace lookback::ui
