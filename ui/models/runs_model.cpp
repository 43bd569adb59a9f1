// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <QIcon>

#include <algorithm>
#include <cmath>

#include "ui/charts/number_text.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/widgets/icon.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using run::RunState;

namespace {

bool isNumber(RunsModel::Column column)
{
    return column >= RunsModel::Step;
}

QVariant finiteOrNothing(const std::optional<double> &value)
{
    return value && std::isfinite(*value) ? QVariant(*value) : QVariant();
}

QString orDash(const std::optional<double> &value, QString (*text)(double))
{
    return value ? text(*value) : u"–"_s;
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

QString RunsModel::stateTitle(RunState state)
{
    switch (state) {
    case RunState::Queued:
        return tr("Queued");
    case RunState::Initialising:
        return tr("Initialising");
    case RunState::Running:
        return tr("Running");
    case RunState::Paused:
        return tr("Paused");
    case RunState::Stopping:
        return tr("Stopping");
    case RunState::Stopped:
        return tr("Stopped");
    case RunState::Finished:
        return tr("Finished");
    case RunState::Interrupted:
        return tr("Interrupted");
    case RunState::Failed:
        return tr("Failed");
    }
    return {};
}

QIcon RunsModel::stateIcon(RunState state)
{
    switch (state) {
    case RunState::Queued:
        return icon("clock"_L1);
    case RunState::Initialising:
        return icon("hourglass"_L1);
    case RunState::Running:
        return icon("play"_L1);
    case RunState::Paused:
        return icon("pause"_L1);
    case RunState::Stopping:
        return icon("hourglass"_L1);
    case RunState::Stopped:
        return icon("stop"_L1);
    case RunState::Finished:
        return icon("check"_L1, IconRole::Right);
    case RunState::Interrupted:
        return icon("interrupted"_L1, IconRole::Warning);
    case RunState::Failed:
        return icon("error"_L1, IconRole::Wrong);
    }
    return {};
}

QString RunsModel::timeText(const run::RunSnapshot &snapshot) const
{
    if (snapshot.isForeign)
        return fromUtf8(snapshot.reason); // who trains it
    switch (snapshot.state) {
    case RunState::Queued:
        return tr("waits for a place");
    case RunState::Initialising:
        return tr("prepares the device");
    case RunState::Running:
        return snapshot.remainingSeconds ? timeLeftText(*snapshot.remainingSeconds, m_clock()) : tr("measuring");
    case RunState::Paused:
        return snapshot.remainingSeconds
            ? tr("%1 of work left", "a duration").arg(roughDurationText(*snapshot.remainingSeconds))
            : QString();
    case RunState::Stopping:
        return tr("writes a checkpoint");
    case RunState::Finished:
        return snapshot.elapsedSeconds > 0.0 ? tr("took %1", "a duration").arg(durationText(snapshot.elapsedSeconds))
                                             : QString();
    case RunState::Stopped:
        return snapshot.reason.empty() ? tr("can be continued") : fromUtf8(snapshot.reason);
    case RunState::Interrupted:
        return snapshot.reason.empty() ? tr("can be continued") : fromUtf8(snapshot.reason);
    case RunState::Failed:
        return fromUtf8(snapshot.reason);
    }
    return {};
}

QString RunsModel::textOf(const run::RunId &id, Column column) const
{
    const RunCollection::Run *run = m_runs->find(id);
    const run::RunSnapshot &snapshot = run->snapshot;
    if (!snapshot.isReadable)
        return column == Name    ? run->title
            : column == State    ? tr("Unreadable")
            : column == TimeLeft ? fromUtf8(snapshot.reason)
                                 : QString();
    const RunConfig &config = snapshot.record.config;
    switch (column) {
    case Name:
        return run->title;
    case State:
        return stateTitle(snapshot.state);
    case Progress:
        return progressText(snapshot.step, config.steps);
    case TimeLeft:
        return timeText(snapshot);
    case Step:
        return tr("%1 / %2", "steps done, steps in all").arg(countText(snapshot.step), countText(config.steps));
    case Keys:
        return snapshot.last ? countText(snapshot.last->n_keys) : u"–"_s;
    case Loss:
        return orDash(snapshot.last ? snapshot.last->loss : std::nullopt, &quantityText);
    case Accuracy:
        return orDash(snapshot.last ? snapshot.last->retrievalAcc : std::nullopt, &percentText);
    case Speed:
        return rateText(snapshot.stepsPerSecond);
    default:
        return {};
    }
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
    case Speed:
        return snapshot.stepsPerSecond > 0.0 ? QVariant(snapshot.stepsPerSecond) : QVariant();
    default:
        return {};
    }
}

QString RunsModel::toolTip(const run::RunId &id, Column column) const
{
    const RunCollection::Run *run = m_runs->find(id);
    const run::RunSnapshot &snapshot = run->snapshot;
    if (column == Shown)
        return run->isShown ? tr("Its curves are drawn") : tr("Its curves are hidden");
    if (!snapshot.reason.empty())
        return u"<p>%1</p>"_s.arg(fromUtf8(snapshot.reason).toHtmlEscaped());
    if (column == Name || column == Curve) {
        const RunConfig &config = snapshot.record.config;
        return tr("%1\n%2 steps, width %3, %4 pairs, seed %5, %6", "folder, steps, width, depth, seed, device")
            .arg(fromUtf8(snapshot.name), countText(config.steps))
            .arg(config.d_model)
            .arg(config.pairs)
            .arg(config.seed)
            .arg(fromUtf8(snapshot.record.device));
    }
    return {};
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

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (isNumber(static_cast<Column>(section)) ? Qt::AlignRight : Qt::AlignLeft));
    struct Header {
        QString title;
        QString explanation;
    };
    const auto header = [section]() -> Header {
        switch (static_cast<Column>(section)) {
        case Shown:
            return {QString(), tr("Whether its curves are drawn")};
        case Curve:
            return {QString(), tr("How its curves are drawn: colour by family, solid where logits are squared")};
        case Name:
            return {tr("Run"), tr("Variant and seed")};
        case State:
            return {tr("State"), tr("What the run is doing")};
        case Progress:
            return {tr("Progress"), tr("Steps done, in percent of all")};
        case TimeLeft:
            return {tr("Time left"), tr("Estimated from the speed of the last steps; or why the run ended")};
        case Step:
            return {tr("Step"), tr("Training steps done, of all")};
        case Keys:
            return {tr("n"), tr("Unique keys of a training sequence at this step (the curriculum raises it)")};
        case Loss:
            return {tr("Loss"), tr("Cross-entropy of the training batch, in nats per value digit; chance is 2.30")};
        case Accuracy:
            return {tr("Accuracy"),
                    tr("Value digits of the training batch that are right, in percent; chance is 10 %")};
        case Speed:
            return {tr("Steps/s"), tr("Training steps per second, smoothed")};
        case ColumnCount:
            break;
        }
        return {};
    }();
    if (role == Qt::DisplayRole)
        return header.title;
    if (role == Qt::ToolTipRole)
        return header.explanation;
    if (role == Qt::AccessibleTextRole)
        return header.title.isEmpty() ? header.explanation : header.title;
    return {};
}

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
