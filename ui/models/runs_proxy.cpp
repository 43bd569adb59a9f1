// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lookback::ui {

RunsProxy::RunsProxy(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(RunsModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
    setDynamicSortFilter(true);
}

void RunsProxy::setWords(const QString &text)
{
    m_words = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool RunsProxy::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    const auto textOf = [&](RunsModel::Column column, int role) {
        return sourceModel()->index(row, column, parent).data(role).toString();
    };
    const QString text = textOf(RunsModel::Name, Qt::DisplayRole) + u'\n' + textOf(RunsModel::State, Qt::DisplayRole)
        + u'\n' + textOf(RunsModel::Name, RunsModel::IdRole).section(u'/', -1);
    return std::ranges::all_of(m_words,
                               [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

bool RunsProxy::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const QVariant a = left.data(RunsModel::SortRole);
    const QVariant b = right.data(RunsModel::SortRole);
    if (a.isValid() != b.isValid())
        return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    return a.isValid() && QSortFilterProxyModel::lessThan(left, right);
}

} // namespace lookback::ui
