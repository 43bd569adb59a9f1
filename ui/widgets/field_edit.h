// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QWidget>

class QLabel;

namespace lookback::ui {

/// A line edit whose frame says that its text is refused.
class CheckedLineEdit : public QLineEdit {
    Q_OBJECT

public:
    explicit CheckedLineEdit(QWidget *parent = nullptr);
    void setRefused(bool isRefused);
    bool isRefused() const { return m_isRefused; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QAction *m_mark;
    bool m_isRefused = false;
};

/// A text field with a unit at its right and, while its text is refused, the sentence that says why beneath it. Text is
/// validated by whoever owns it: `edited` at each change, setProblem with the answer. Numbers are plain text, so that a
/// decimal comma is refused with a sentence instead of being read as something else.
class FieldEdit : public QWidget {
    Q_OBJECT

public:
    explicit FieldEdit(const QString &unit = {}, QWidget *parent = nullptr);

    CheckedLineEdit *lineEdit() const { return m_edit; }
    QString text() const { return m_edit->text(); }
    /// From the program: emits nothing, and leaves the cursor alone if the text is the same.
    void setText(const QString &text);
    /// Empty = the text is good.
    void setProblem(const QString &sentence);
    QString problem() const;

Q_SIGNALS:
    void edited(const QString &text);

private:
    CheckedLineEdit *m_edit;
    QLabel *m_problem;
};

} // namespace lookback::ui
