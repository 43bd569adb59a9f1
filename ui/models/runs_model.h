// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <QSortFilterProxyModel>

#include <functional>
#include <vector>

#include "core/run/run_service.h"

namespace lookback::ui {

class RunCollection;

/// The rows of the runs dock: one a run, in the collection's order.
class RunsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Shown,
        Curve,
        Name,
        State,
        Progress,
        TimeLeft,
        Step,
        Keys,
        Loss,
        Accuracy,
        Best, ///< Highest accuracy logged at the longest training context.
        BestStep,
        Speed,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole, ///< Raw value; invalid where missing or not a number.
        IdRole, ///< QString: run id.
        ProgressRole, ///< 0..1
        IsIdleRole, ///< Finished, stopped, ...: drawn in second text when hidden.
    };

    /// `clock`: the time that "ends 14:32" is counted from; tests set it.
    explicit RunsModel(RunCollection *runs, std::function<QDateTime()> clock = {}, QObject *parent = nullptr);

    run::RunId idAt(int row) const;
    int rowOf(const run::RunId &id) const; ///< -1 if unknown.

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    /// "Running", "Failed", ...: sentence case, as the list says it.
    static QString stateTitle(run::RunState state);
    static QIcon stateIcon(run::RunState state);

private:
    void followOrder();
    void touch(const run::RunId &id);
    QString textOf(const run::RunId &id, Column column) const;
    QString timeText(const run::RunSnapshot &snapshot) const;
    QVariant sortValue(const run::RunId &id, Column column) const;
    QString toolTip(const run::RunId &id, Column column) const;

    RunCollection *m_runs;
    std::function<QDateTime()> m_clock;
    std::vector<run::RunId> m_rows;
};

/// Sorts by SortRole; missing and not-a-number come last whichever way it sorts. Unsorted = the collection's order.
class RunsProxy : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunsProxy(QObject *parent = nullptr);

    /// Shows only rows that hold each of the words in title, folder name or state; empty = all rows.
    void setWords(const QString &text);
    bool isFiltering() const { return !m_words.isEmpty(); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    QStringList m_words;
};

} // namespace lookback::ui
