// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace lookback::ui {

/// A CSV text (RFC 4180, header line first) as a read-only table. Numbers stand at the right and sort as numbers.
class CsvModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// Raw value for sorting: a double for numbers, else the text.
    static constexpr int SortRole = Qt::UserRole + 1;

    explicit CsvModel(const QString &csv, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_header;
    std::vector<QStringList> m_rows;
};

/// The records of a CSV text, fields unquoted.
std::vector<QStringList> parseCsv(const QString &csv);

} // namespace lookback::ui
