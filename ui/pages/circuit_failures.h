// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include <memory>

#include "core/circuit/failures.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace lookback::ui {

class BarHistogram;

/// Wrong digits with the entry that they were taken from, a row a digit.
class FailureModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Sequence, Key, Digit, Truth, Predicted, From, Differs, Margin, Probability, Back, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setFailures(std::shared_ptr<const circuit::Failures> failures);
    const circuit::WrongDigit &at(int row) const { return m_failures->list[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const circuit::Failures> m_failures;
};

/// Where a checkpoint fails: the list of wrong digits, and histograms by key distance and by place.
class FailuresPanel : public QWidget {
    Q_OBJECT

public:
    explicit FailuresPanel(QWidget *parent = nullptr);

    /// Null: not known. `failure`: why not.
    void setFailures(std::shared_ptr<const circuit::Failures> failures, bool isPending, const QString &failure);
    FailureModel *model() const { return m_model; }
    QTableView *view() const { return m_view; }
    /// "12 of 2,048 answers wrong, 256 sequences, n = 8".
    QString summary() const { return m_summary; }

Q_SIGNALS:
    void asked();
    /// The user wants to look at the example of that digit.
    void exampleChosen(const lookback::circuit::WrongDigit &digit);

private:
    FailureModel *m_model;
    QTableView *m_view;
    BarHistogram *m_byDistance;
    BarHistogram *m_byPlace;
    QStackedWidget *m_stack;
    QLabel *m_why;
    QPushButton *m_ask;
    QString m_summary;
};

} // namespace lookback::ui
