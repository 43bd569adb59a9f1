// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>
#include <optional>

#include "core/progress.h"
#include "ui/figures/figure.h"

class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace lookback::ui {

class FigureView;

/// A window of its own for a figure that is computed on request: the chart, what is asked at its side, progress with a
/// way to end it, and the export. Not modal. What it computes with is the business of derived classes.
class MeasuredFigureDialog : public QDialog {
    Q_OBJECT

public:
    explicit MeasuredFigureDialog(QWidget *parent);

    /// The figure on view, as a value; null while there is none.
    virtual std::unique_ptr<Figure> figure() const = 0;
    bool isBusy() const { return m_isBusy; }

public Q_SLOTS:
    /// Begins with what the form asks, in place of what is under way.
    virtual void compute() = 0;
    /// Ends what is under way; the chart on view stays.
    virtual void cancel() = 0;

Q_SIGNALS:
    /// "Export…" was pressed.
    void exportRequested();
    void busyChanged(bool isBusy);

protected:
    /// What is asked: rows are added by derived classes.
    QFormLayout *form() const { return m_form; }
    /// A sentence in the place of the chart while there is none.
    void setEmptyText(const QString &text);
    void setBusy(bool isBusy);
    void showProgress(const Progress &progress);
    /// figure() gives another one now.
    void showFigure();
    void say(const QString &text, bool isError);
    /// Why compute() cannot be pressed; empty if it can.
    void setProblem(const QString &problem);
    bool hasProblem() const { return m_hasProblem; }

    void done(int result) override;

private:
    void refreshButtons();

    QFormLayout *m_form;
    FigureView *m_view;
    QLabel *m_empty;
    QLabel *m_message;
    QProgressBar *m_bar;
    QPushButton *m_compute;
    QPushButton *m_cancel;
    QPushButton *m_export;
    bool m_isBusy = false;
    bool m_hasFigure = false;
    bool m_hasProblem = false;
};

} // namespace lookback::ui
