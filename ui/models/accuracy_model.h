// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QColor>
#include <QString>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "ui/figures/accuracy_figure.h"

namespace lookback::ui {

/// The list beside the accuracy chart: legend, switch, and table of the values at the pointer, in two groups.
///
/// Rows are own runs (one a checkpoint that was evaluated, or one that says "not evaluated") and published curves. The
/// check box shows or hides a curve.
class AccuracyModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { NameColumn, ExactColumn, IntervalColumn, ColumnCount };
    enum Group { OwnGroup, PublishedGroup };

    /// One row.
    struct Entry {
        QString key; ///< Unique and lasting: run and step, or published variant.
        QString runId; ///< Empty for published curves.
        AccuracyFigureCurve curve; ///< Without points if not evaluated.
        QString name; ///< "hybrid · seed 1", "hybrid · seed 1, step 2,000"
        SeriesStyle style;
        bool isShown = true;
        bool isSelected = false;
        bool isEvaluated() const { return !curve.curve.points.empty(); }
    };

    explicit AccuracyModel(QObject *parent = nullptr);

    /// Replaces the rows; expanded groups and selection survive as far as keys do.
    void setEntries(std::vector<Entry> own, std::vector<Entry> published);
    const std::vector<Entry> &entries(Group group) const { return group == OwnGroup ? m_own : m_published; }
    /// Null for groups and invalid indexes.
    const Entry *entry(const QModelIndex &index) const;
    QModelIndex indexOf(const QString &key) const;
    QModelIndex groupIndex(Group group) const;

    /// Page colour behind the swatches, and the height of a row.
    void setLook(const QColor &base, int rowHeight);

    /// The context length whose values are shown.
    void setContext(std::int64_t tokens, bool isErrorRate);
    std::int64_t context() const { return m_tokens; }

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

Q_SIGNALS:
    void shownToggled(const QString &key, bool isShown);

private:
    QString valueText(const Entry &entry, Column column) const;
    QString explanation(const Entry &entry) const;

    std::vector<Entry> m_own;
    std::vector<Entry> m_published;
    std::int64_t m_tokens = 0;
    bool m_isErrorRate = false;
    QColor m_base = Qt::white;
    int m_rowHeight = 24;
};

/// The point at that context length; null if there is none.
const eval::AccuracyPoint *pointAt(const eval::AccuracyCurve &curve, std::int64_t tokens);

} // namespace lookback::ui
