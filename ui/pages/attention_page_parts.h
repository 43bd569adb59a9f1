// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QTimer>
#include <QToolButton>

#include <optional>

class QProgressBar;

namespace lookback::ui {

class PrimaryButton;

/// A hairline between groups.
QFrame *makeHairline(QWidget *parent);

/// One line in small second text that ends in "…" where it has no room; the whole of it is in the tooltip.
class ElidedText : public QWidget {
    Q_OBJECT

public:
    explicit ElidedText(QWidget *parent = nullptr);

    void setText(const QString &text);
    QString text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
};

/// A text button that stays pressed: a pressed one has the colour of the selection and an accent border, in every
/// theme, so that it is told apart at a glance.
class ToggleButton : public QToolButton {
    Q_OBJECT

public:
    explicit ToggleButton(QWidget *parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;
};

/// Says what is under way, how far it is, and lets it be cancelled. Quick work shows nothing, so that nothing flickers;
/// its room in height is always kept.
class BusyStrip : public QWidget {
    Q_OBJECT

public:
    explicit BusyStrip(QWidget *parent = nullptr);

    /// Empty `text`: nothing is under way. `fraction` 0..1; empty while not known.
    void setState(const QString &text, std::optional<double> fraction);
    QString text() const { return m_label->text(); }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

Q_SIGNALS:
    void cancelAsked();

private:
    void showParts(bool isShown);

    QTimer m_delay;
    QLabel *m_label;
    QProgressBar *m_bar;
    QToolButton *m_cancel;
};

/// What stands where nothing is yet: what will be here, why it is empty, one button that fills it.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(QWidget *parent = nullptr);

    /// No button if `button` is empty.
    void setTexts(const QString &title, const QString &reason, const QString &button);
    QString title() const { return m_title->text(); }
    QString reason() const { return m_reason->text(); }
    PrimaryButton *button() const { return m_button; }

Q_SIGNALS:
    void pressed();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fitReason();

    QLabel *m_title;
    QLabel *m_reason;
    PrimaryButton *m_button;
};

} // namespace lookback::ui
