// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <QIcon>

#include <algorithm>
#include <cmath>

#include "ui/models/run_collection.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

bool isNumber(RunsModel::Column column)
{
    return column >= RunsModel::Step;
}

QVariant finiteOrNothing(const std::optional<double> &value)
{
    return value && std::isfinite(*value) ? QVariant(*value) : QVariant();
}

QString fromUtf8(const std::string &text)
{
    return QString::fromStdString(text);
}

} // namespace

RunsModel::RunsModel(RunCollection *runs, std::function<QDateTime()> clock, QObject *parent)
    : QAbstractTableModel(parent), m_runs(runs),
      m_clock(clock ? std::move(clock) : [] { return QDateTime::currentDateTime(); }), m_rows(runs->order())
{
    connect(runs, &RunCollection::orderChanged, this, &RunsModel::followOrder);
    connect(runs, &RunCollection::runChanged, this, &RunsModel::touch);
    connect(runs, &RunCollection::metricsChanged, this, &RunsModel::touch); // the best value
    connect(runs, &RunCollection::shownChanged, this, &RunsModel::touch);
}

run::RunId RunsModel::idAt(int row) const
{
    return row >= 0 && row < static_cast<int>(m_rows.size()) ? m_rows[static_cast<std::size_t>(row)] : run::RunId();
}

int RunsModel::rowOf(const run::RunId &id) const
{
    const auto found = std::ranges::find(m_rows, id);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void RunsModel::touch(const run::RunId &id)
{
    if (const int row = rowOf(id); row >= 0)
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void RunsModel::followOrder()
{
    const std::vector<run::RunId> &order = m_runs->order();
    for (int row = static_cast<int>(m_rows.size()) - 1; row >= 0; --row) {
        if (std::ranges::find(order, m_rows[static_cast<std::size_t>(row)]) != order.end())
            continue;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
    std::vector<run::RunId> fresh;
    std::ranges::copy_if(order, std::back_inserter(fresh), [this](const run::RunId &id) { return rowOf(id) < 0; });
    if (!fresh.empty()) {
        const int first = static_cast<int>(m_rows.size());
        beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
        m_rows.insert(m_rows.end(), fresh.begin(), fresh.end());
        endInsertRows();
    }
    if (m_rows == order)
        return;
    // Selection and current row stay with their runs.
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList from = persistentIndexList();
    const std::vector<run::RunId> old = std::exchange(m_rows, order);
    QModelIndexList to;
    for (const QModelIndex &index : from)
        to.append(createIndex(rowOf(old[static_cast<std::size_t>(index.row())]), index.column()));
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

int RunsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

Qt::ItemFlags RunsModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (index.column() == Shown)
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

QVariant RunsModel::sortValue(const run::RunId &id, Column column) const
{
    const RunCollection::Run *run = m_runs->find(id);
    const run::RunSnapshot &snapshot = run->snapshot;
    const auto share = [&] {
        const auto steps = static_cast<double>(std::max<std::int64_t>(1, snapshot.record.config.steps));
        return static_cast<double>(snapshot.step) / steps;
    };
    switch (column) {
    case Shown:
        return run->isShown ? 0 : 1;
    case Curve:
    case Name:
        return run->title;
    case State:
        return static_cast<int>(snapshot.state);
    case Progress:
        return share();
    case TimeLeft:
        return finiteOrNothing(snapshot.remainingSeconds);
    case Step:
        return static_cast<qlonglong>(snapshot.step);
    case Keys:
        return snapshot.last ? QVariant(static_cast<qlonglong>(snapshot.last->n_keys)) : QVariant();
    case Loss:
        return finiteOrNothing(snapshot.last ? snapshot.last->loss : std::nullopt);
    case Accuracy:
        return finiteOrNothing(snapshot.last ? snapshot.last->retrievalAcc : std::nullopt);
    case Best:
        return run->best ? QVariant(*run->best->retrievalAcc) : QVariant();
    case BestStep:
        return run->best ? QVariant(static_cast<qlonglong>(run->best->step)) : QVariant();
    case Speed:
        return snapshot.stepsPerSecond > 0.0 ? QVariant(snapshot.stepsPerSecond) : QVariant();
    default:
        return {};
    }
}

QVariant RunsModel::data(const QModelIndex &index, int role) const
{
    const run::RunId id = idAt(index.isValid() ? index.row() : -1);
    const RunCollection::Run *run = m_runs->find(id);
    if (!run)
        return {};
    const auto column = static_cast<Column>(index.column());
    const run::RunSnapshot &snapshot = run->snapshot;
    switch (role) {
    case Qt::DisplayRole:
        return textOf(id, column);
    case Qt::ToolTipRole:
        return toolTip(id, column);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::CheckStateRole:
        return column == Shown ? QVariant(static_cast<int>(run->isShown ? Qt::Checked : Qt::Unchecked)) : QVariant();
    case Qt::DecorationRole:
        return column == State ? QVariant(stateIcon(snapshot.state)) : QVariant();
    case Qt::AccessibleTextRole:
        if (column == Shown)
            return tr("Curve of %1").arg(run->title);
        if (column == Curve)
            return tr("Line style of %1").arg(run->title);
        return textOf(id, column);
    case SortRole:
        return sortValue(id, column);
    case IdRole:
        return fromUtf8(id);
    case ProgressRole:
        return sortValue(id, Progress);
    case IsIdleRole:
        return !RunCollection::isActive(snapshot.state);
    default:
        return {};
    }
}

bool RunsModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!index.isValid() || index.column() != Shown || role != Qt::CheckStateRole)
        return false;
    m_runs->setShown(idAt(index.row()), value.toInt() == Qt::Checked);
    return true;
}

} // namespace lookback::ui
