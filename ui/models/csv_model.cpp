// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/csv_model.h"

#include <utility>

#include "core/csv.h"

namespace lookback::ui {

std::vector<QStringList> parseCsv(const QString &csv)
{
    std::vector<QStringList> records;
    for (const std::vector<std::string> &fields : csvRecords(csv.toStdString())) {
        QStringList record;
        for (const std::string &field : fields)
            record << QString::fromStdString(field);
        records.push_back(std::move(record));
    }
    return records;
}

CsvModel::CsvModel(const QString &csv, QObject *parent) : QAbstractTableModel(parent)
{
    m_rows = parseCsv(csv);
    if (!m_rows.empty()) {
        m_header = m_rows.front();
        m_rows.erase(m_rows.begin());
    }
}

int CsvModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int CsvModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_header.size());
}

QVariant CsvModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const QString text = m_rows[std::size_t(index.row())].value(index.column());
    if (role == Qt::DisplayRole)
        return text;
    bool isNumber = false;
    const double number = text.toDouble(&isNumber); // the C locale's, whatever the system's is
    if (role == Qt::TextAlignmentRole)
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == SortRole)
        return isNumber ? QVariant(number) : QVariant(text);
    return {};
}

QVariant CsvModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole)
        return m_header.value(section);
    if (orientation == Qt::Vertical && role == Qt::DisplayRole)
        return section + 1;
    return {};
}

} // namespace lookback::ui
