// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs_panel.h"

#include <QAction>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/figures/figure_run.h"
#include "ui/models/run_collection.h"
#include "ui/models/runs_model.h"
#include "ui/widgets/folder_answer.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/runs_delegate.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using run::RunState;

namespace {

// What another process trains can only be watched.
bool canPause(const run::RunSnapshot &run)
{
    return !run.isForeign && (run.state == RunState::Running || run.state == RunState::Initialising);
}

bool canResume(const run::RunSnapshot &run)
{
    const RunState state = run.state;
    const bool isResting = state == RunState::Paused || state == RunState::Stopped || state == RunState::Interrupted
        || state == RunState::Failed;
    return run.isReadable && isResting && run.record.origin == run::RunOrigin::Lookback;
}

bool canStop(const run::RunSnapshot &run)
{
    return !run.isForeign && RunCollection::isActive(run.state) && run.state != RunState::Stopping;
}

} // namespace

RunsPanel::RunsPanel(RunBridge *bridge, RunCollection *runs, ActionSet *actions, QWidget *parent)
    : QWidget(parent), m_bridge(bridge), m_runs(runs), m_actions(actions), m_model(new RunsModel(runs, {}, this)),
      m_proxy(new RunsProxy(this)), m_view(new QTableView(this)), m_stack(new QStackedWidget(this)),
      m_empty(new QLabel(this)), m_filterBar(new QWidget(this)), m_filter(new QLineEdit(m_filterBar)),
      m_messages(new MessageBar(this))
{
    m_proxy->setSourceModel(m_model);
    m_view->setObjectName(u"runs"_s);
    m_view->setAccessibleName(tr("Runs"));
    m_view->setModel(m_proxy);
    m_view->setItemDelegate(new RunsDelegate(runs, m_view));
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setShowGrid(false);
    m_view->setAlternatingRowColors(true);
    m_view->setMouseTracking(true);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(std::max(24, fontMetrics().height() + 8));
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    QHeaderView *header = m_view->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setMinimumSectionSize(32);
    header->setFixedHeight(std::max(24, fontMetrics().height() + 10));
    m_view->setSortingEnabled(true);
    resetHeader();
    m_view->viewport()->installEventFilter(this);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QWidget::customContextMenuRequested, this, &RunsPanel::showMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPanel::refreshAbilities);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RunsPanel::followSelection);
    connect(m_view, &QAbstractItemView::doubleClicked, this,
            [this] { m_actions->action(ActionId::TrainingPage)->trigger(); });

    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setText(
        tr("No runs in this folder yet. Tick variants at the left and press Train; each run gets a row here.\n"
           "A folder with runs can be dropped on the window, too."));
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setBackgroundRole(QPalette::Base);
    m_empty->setAutoFillBackground(true);
    m_empty->setMargin(8);
    m_stack->setMinimumHeight(4 * fontMetrics().lineSpacing() + 8); // that text, or the header and two rows
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_view);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_stack, 1);
    column->addWidget(m_filterBar);
    buildFilter();

    connect(runs, &RunCollection::orderChanged, this, &RunsPanel::refreshSummary);
    connect(runs, &RunCollection::orderChanged, this, &RunsPanel::refreshAbilities);
    connect(runs, &RunCollection::runChanged, this, &RunsPanel::refreshAbilities);
    connect(runs, &RunCollection::selectionChanged, this, [this](const run::RunId &id) {
        if (!m_isFollowing)
            selectOnly(id);
    });
    connect(bridge, &RunBridge::runsRemoved, this, &RunsPanel::takeRemoved);
    connect(bridge, &RunBridge::noticed, this, [this](const run::Notice &notice) { takeRefusal(notice.run); });
    refreshSummary();
    refreshAbilities();
}

QString RunsPanel::summary() const
{
    const int count = m_model->rowCount();
    if (m_proxy->isFiltering())
        return tr("%1 of %2 shown").arg(m_proxy->rowCount()).arg(count);
    return count == 0 ? tr("none yet") : tr("%1 in this folder").arg(count);
}

void RunsPanel::refreshSummary()
{
    m_stack->setCurrentWidget(m_model->rowCount() == 0 ? static_cast<QWidget *>(m_empty) : m_view);
    Q_EMIT summaryChanged();
}

std::vector<run::RunId> RunsPanel::selectedRuns() const
{
    std::vector<std::pair<int, run::RunId>> rows;
    for (const QModelIndex &index : m_view->selectionModel()->selectedRows(RunsModel::Name))
        rows.emplace_back(index.row(), index.data(RunsModel::IdRole).toString().toStdString());
    std::ranges::sort(rows);
    std::vector<run::RunId> ids;
    for (auto &[row, id] : rows)
        ids.push_back(std::move(id));
    return ids;
}

void RunsPanel::selectOnly(const run::RunId &id)
{
    const int row = m_model->rowOf(id);
    if (row < 0) {
        m_view->clearSelection();
        return;
    }
    const QModelIndex index = m_proxy->mapFromSource(m_model->index(row, RunsModel::Name));
    m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_view->scrollTo(index);
}

void RunsPanel::followSelection()
{
    const QModelIndex current = m_view->currentIndex();
    m_isFollowing = true;
    if (current.isValid())
        m_runs->select(current.data(RunsModel::IdRole).toString().toStdString());
    m_isFollowing = false;
}

void RunsPanel::refreshAbilities()
{
    const std::vector<run::RunId> selected = selectedRuns();
    const auto any = [&](auto test) {
        return std::ranges::any_of(selected, [&](const run::RunId &id) {
            const RunCollection::Run *run = m_runs->find(id);
            return run && test(run->snapshot);
        });
    };
    const auto isReadable = [](const run::RunSnapshot &run) { return run.isReadable; };
    m_actions->setHolding(Condition::CanPause, any([](const auto &run) { return canPause(run); }));
    m_actions->setHolding(Condition::CanSave, any([](const auto &run) { return canPause(run); }));
    m_actions->setHolding(Condition::CanResume, any([](const auto &run) { return canResume(run); }));
    m_actions->setHolding(Condition::CanStop, any([](const auto &run) { return canStop(run); }));
    m_actions->setHolding(Condition::CanEvaluate,
                          any([&](const auto &run) { return isReadable(run) && !run.checkpointSteps.empty(); }));
    m_actions->setHolding(Condition::IsRunSelected, !selected.empty());
    m_actions->setHolding(Condition::IsIdleRunSelected,
                          any([](const auto &run) { return !RunCollection::isActive(run.state); }));
    refreshRestore();
}

void RunsPanel::showMenu(const QPoint &position)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    for (const ActionRow &row : actionTable()) {
        if (row.menu != Menu::Runs || row.id == ActionId::StopAll)
            continue;
        if (row.beginsGroup)
            menu->addSeparator();
        menu->addAction(m_actions->action(row.id));
    }
    menu->popup(m_view->viewport()->mapToGlobal(position));
}

void RunsPanel::pauseSelected()
{
    for (const run::RunId &id : selectedRuns()) {
        if (canPause(m_runs->find(id)->snapshot))
            m_bridge->service().pause(id);
    }
}

void RunsPanel::resumeSelected()
{
    for (const run::RunId &id : selectedRuns()) {
        if (canResume(m_runs->find(id)->snapshot))
            m_bridge->service().resume(id);
    }
}

void RunsPanel::stopSelected()
{
    for (const run::RunId &id : selectedRuns()) {
        if (canStop(m_runs->find(id)->snapshot))
            m_bridge->service().stop(id);
    }
}

void RunsPanel::saveSelected()
{
    for (const run::RunId &id : selectedRuns()) {
        if (canPause(m_runs->find(id)->snapshot))
            m_bridge->service().saveNow(id);
    }
}

void RunsPanel::evaluateSelected()
{
    for (const run::RunId &id : selectedRuns()) {
        if (!m_runs->find(id)->snapshot.checkpointSteps.empty())
            m_bridge->service().evaluate({id, -1, {}, 0});
    }
}

void RunsPanel::toggleSelected()
{
    const std::vector<run::RunId> selected = selectedRuns();
    // One of them hidden: all are shown; else all are hidden.
    const bool isShowing =
        std::ranges::any_of(selected, [this](const run::RunId &id) { return !m_runs->find(id)->isShown; });
    for (const run::RunId &id : selected)
        m_runs->setShown(id, isShowing);
}

void RunsPanel::openSelectedFolder()
{
    for (const run::RunId &id : selectedRuns()) {
        const QString folder = QString::fromStdString(id);
        whenPathIsKnown(folder, this, [folder](PathKind kind) {
            if (kind == PathKind::Folder) // what desktops do with other ones may wait for a disk
                QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
        });
    }
}

void RunsPanel::copyCommand()
{
    QStringList commands;
    for (const run::RunId &id : selectedRuns())
        commands.append(reproduceCommand(m_runs->find(id)->snapshot.record));
    if (!commands.isEmpty())
        QGuiApplication::clipboard()->setText(commands.join(u'\n'));
}

void RunsPanel::removeSelected()
{
    for (const run::RunId &id : selectedRuns()) {
        if (!RunCollection::isActive(m_runs->find(id)->snapshot.state))
            m_bridge->service().removeFromView(id);
    }
}

} // namespace lookback::ui
