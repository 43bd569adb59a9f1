// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

#include <memory>

#include "core/circuit/head_measures.h"
#include "core/circuit/knockout.h"

namespace lookback::ui {

/// All heads of a checkpoint with what was measured of them, a row a head.
class HeadTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Head,
        Sees,
        Retrieval,
        Matching,
        Previous,
        Sink,
        Negative,
        Entropy,
        Distance,
        Change,
        Reading,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole, ///< A double, or the text; invalid = means nothing.
        HalfRole, ///< "± 0.01", drawn in second text; empty = none.
        ShareRole, ///< 0..1, drawn as a bar; invalid = none.
        HeadRole, ///< Place in the list of heads.
        IsFaintRole, ///< Not distinguishable: second text.
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// `grid` may be null (not measured yet), `table` too (nothing to show).
    void setHeads(std::shared_ptr<const circuit::HeadTable> table, std::shared_ptr<const circuit::KnockoutGrid> grid);
    const std::shared_ptr<const circuit::HeadTable> &table() const { return m_table; }
    circuit::HeadId idAt(int row) const;
    int rowOf(const circuit::HeadId &id) const; ///< -1 if there is none.

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const circuit::HeadScores &head(int row) const { return m_table->heads[static_cast<std::size_t>(row)]; }
    /// Null if not measured.
    const circuit::KnockoutPoint *effect(int row) const;

    std::shared_ptr<const circuit::HeadTable> m_table;
    std::shared_ptr<const circuit::KnockoutGrid> m_grid;
};

/// Draws numbers with their interval in second text and a bar at the left for shares.
class HeadNumberDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace lookback::ui
