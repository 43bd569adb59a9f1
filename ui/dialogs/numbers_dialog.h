// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QTableView;

namespace lookback::ui {

class Figure;

/// The numbers behind a figure as a table: the figure's CSV, to look at and to copy.
class NumbersDialog : public QDialog {
    Q_OBJECT

public:
    explicit NumbersDialog(const Figure &figure, QWidget *parent = nullptr);

private:
    void copyAll() const;

    QString m_csv;
    QTableView *m_table;
};

} // namespace lookback::ui
