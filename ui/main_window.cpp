// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLayout>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QUndoStack>

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/charts/number_text.h"
#include "ui/docks/experiment_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/models/work_summary.h"
#include "ui/pages/welcome_page.h"
#include "ui/settings/settings.h"
#include "ui/widgets/folder_answer.h"
#include "ui/widgets/folder_usage.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/primary_button.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr int kWorkIntervalMs = 200; // title and status bar
constexpr int kQuietIntervalMs = 50; // while runs stop
constexpr double kLongRunSeconds = 60.0; // worth a notification
} // namespace

MainWindow::MainWindow(RunBridge *bridge, RunCollection *runs, Settings *settings, QWidget *parent)
    : QMainWindow(parent), m_bridge(bridge), m_runs(runs), m_settings(settings), m_actions(new ActionSet(this)),
      m_undo(new QUndoStack(this)), m_usage(new FolderUsage(this))
{
    setObjectName(u"main-window"_s);
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    buildPages();
    buildDocks();
    buildToolBar();
    buildStatusBar();
    connectActions();
    connectPages();

    m_workTimer.setSingleShot(true);
    m_workTimer.setInterval(kWorkIntervalMs);
    connect(&m_workTimer, &QTimer::timeout, this, &MainWindow::refreshWork);
    m_quietTimer.setInterval(kQuietIntervalMs);
    connect(&m_quietTimer, &QTimer::timeout, this, &MainWindow::closeWhenQuiet);
    const auto refreshSoon = [this] {
        if (!m_workTimer.isActive())
            m_workTimer.start();
    };
    connect(runs, &RunCollection::runChanged, this, refreshSoon);
    connect(runs, &RunCollection::runChanged, this, &MainWindow::noteEnds);
    connect(runs, &RunCollection::orderChanged, this, refreshSoon);
    connect(runs, &RunCollection::orderChanged, this, &MainWindow::noteNewRuns);
    connect(runs, &RunCollection::orderChanged, this, &MainWindow::refreshWelcome);
    connect(runs, &RunCollection::evaluationsChanged, this, refreshSoon);
    connect(runs, &RunCollection::evaluationEnded, this, [this](const run::EvaluationStatus &status) {
        if (!status.failure.empty())
            m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(status.failure));
    });
    connect(
        qGuiApp, &QGuiApplication::commitDataRequest, this, [this] { quitAtLogout(); }, Qt::DirectConnection);
    connect(bridge, &RunBridge::listReplaced, this, &MainWindow::takeFirstList);
    connect(bridge, &RunBridge::noticed, this, [this](const run::Notice &notice) {
        m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(notice.sentence), {},
                                QString::fromStdString(notice.details));
    });

    setParallelRuns(settings->parallelRuns.value());
    m_usage->setFolder(QString::fromStdString(bridge->service().folder().string()));
    restoreLayout();
    refreshWelcome();
    refreshWork();
    refreshSetup();
}

MainWindow::~MainWindow()
{
    // Children end after our members: what they still have to say (an undo stack that empties) finds nobody.
    for (QObject *child : findChildren<QObject *>())
        child->disconnect(this);
}

Page *MainWindow::page(const QString &id) const
{
    const auto found = std::ranges::find(m_pages, id, &PageEntry::id);
    return found == m_pages.end() ? nullptr : found->page;
}

Page *MainWindow::currentPageWidget() const
{
    return m_pages[static_cast<std::size_t>(std::max(0, m_tabs->currentIndex()))].page;
}

QString MainWindow::currentPage() const
{
    return m_pages[static_cast<std::size_t>(std::max(0, m_tabs->currentIndex()))].id;
}

void MainWindow::showPage(const QString &id)
{
    const auto found = std::ranges::find(m_pages, id, &PageEntry::id);
    if (found != m_pages.end())
        m_tabs->setCurrentIndex(static_cast<int>(found - m_pages.begin()));
}

bool MainWindow::isWelcomeShown() const
{
    return m_trainingStack->currentWidget() == m_welcome;
}

void MainWindow::refreshWelcome()
{
    if (!m_runs->order().empty())
        m_settings->isWelcomeWanted.setValue(false);
    const bool isFirstStart = !m_isListKnown && m_settings->isWelcomeWanted.value();
    const bool isEmpty = m_isListKnown && m_runs->order().empty();
    const bool isShown = m_isWelcomeAsked || isFirstStart || isEmpty;
    m_trainingStack->setCurrentWidget(isShown ? static_cast<QWidget *>(m_welcome) : page(u"training"_s));
    // One filled button a view: the welcome's, until there is something of the user's own.
    m_experiment->setTrainPrimary(!isShown || m_undo->count() > 0);
    if (isShown && !isVisible())
        m_welcome->tryButton()->setFocus();
    refreshPageAbilities();
}

void MainWindow::refreshPageAbilities()
{
    const Page *page = currentPageWidget();
    const bool isHidden = currentPage() == u"training"_s && isWelcomeShown();
    m_actions->setHolding(Condition::HasFigure, !isHidden && page->figure() != nullptr);
    m_actions->setHolding(Condition::CanZoom, !isHidden && page->canZoom());
    m_actions->setHolding(Condition::CanGoBack, !isHidden && page->canGoBack());
    m_actions->setHolding(Condition::CanGoForward, !isHidden && page->canGoForward());
}

void MainWindow::refreshWork()
{
    const WorkSummary summary = summaryOf(*m_runs);
    const QDateTime now = QDateTime::currentDateTime();
    const auto show = [](QLabel *label, const QString &text) {
        label->setText(text);
        label->setHidden(text.isEmpty());
    };
    QString activity = m_isQuitting ? tr("Stopping, then closing…") : activityText(summary);
    if (!m_runs->evaluations().empty() && !m_isQuitting) {
        const run::EvaluationStatus &status = m_runs->evaluations().front();
        const RunCollection::Run *run = m_runs->find(status.run);
        const QString evaluating =
            tr("Evaluating %1, %2", "run, percent")
                .arg(run ? run->title : QString(), progressText(status.progress.done, status.progress.total));
        activity = summary.active() > 0 ? tr("%1; %2", "two activities").arg(activity, evaluating) : evaluating;
    }
    show(m_activityLabel, activity);
    show(m_stepsLabel, stepsText(summary));
    show(m_endLabel, endText(summary, now));
    show(m_speedLabel,
         summary.stepsPerSecond > 0.0 ? tr("%1 steps/s").arg(rateText(summary.stepsPerSecond)) : QString());
    statusBar()->layout()->activate(); // all labels change at once, never half of them
    const QString page = currentPage() == u"training"_s ? QString() : m_tabs->tabText(m_tabs->currentIndex());
    setWindowTitle(windowTitleText(summary, page));
    m_actions->setHolding(Condition::IsAnyActive, summary.active() > 0 || !m_runs->evaluations().empty());
    if (summary.active() > 0)
        m_usage->touch();
    const int working = summary.training + summary.queued;
    const QString work = working == 0 || !m_settings->keepsAwake.value() ? QString()
        : working == 1                                                   ? tr("A run is training")
                                                                         : tr("Runs are training");
    if (work.isEmpty() != m_work.isEmpty()) {
        m_work = work;
        Q_EMIT workChanged(work);
    }
}

void MainWindow::refreshSetup()
{
    m_actions->setHolding(Condition::CanTrain, m_experiment->whyNot().isEmpty(), m_experiment->whyNot());
    m_experimentNote->setText(
        tr("%1 of %2 variants").arg(m_experiment->setup().variants.size()).arg(m_runs->variants().size()));
}

void MainWindow::noteNewRuns()
{
    run::RunId first;
    for (const run::RunId &id : m_runs->order()) {
        const bool isNew = RunCollection::isActive(m_runs->find(id)->snapshot.state) && m_active.insert(id).second;
        if (isNew && first.empty())
            first = id;
    }
    if (!first.empty() && m_isSelectingNew) {
        m_isSelectingNew = false;
        m_runs->select(first);
    }
}

void MainWindow::noteEnds(const std::string &id)
{
    const RunCollection::Run *run = m_runs->find(id);
    if (!run)
        return;
    if (RunCollection::isActive(run->snapshot.state)) {
        m_active.insert(id);
        return;
    }
    if (m_active.erase(id) == 0)
        return;
    m_usage->touch();
    if (run->snapshot.state == run::RunState::Failed)
        m_messages->showMessage(
            MessageBar::Kind::Error,
            tr("%1 failed. %2", "run, reason").arg(run->title, QString::fromStdString(run->snapshot.reason)));
    if (isActiveWindow() || !m_settings->alertsAtEnd.value())
        return;
    QApplication::alert(this);
    const run::RunSnapshot &snapshot = run->snapshot;
    if (snapshot.elapsedSeconds < kLongRunSeconds)
        return;
    if (snapshot.state == run::RunState::Finished)
        Q_EMIT endedUnseen(tr("%1 has finished", "run").arg(run->title),
                           tr("%1 steps in %2.", "steps, a duration")
                               .arg(countText(snapshot.step), durationText(snapshot.elapsedSeconds)));
    else if (snapshot.state == run::RunState::Failed)
        Q_EMIT endedUnseen(tr("%1 has failed", "run").arg(run->title), QString::fromStdString(snapshot.reason));
}

// The list of the folder that was open last time: what was hidden and selected comes back, and what was interrupted is
// offered.
void MainWindow::takeFirstList()
{
    if (!m_isListKnown) {
        m_isListKnown = true;
        for (const QString &hidden : m_settings->hiddenRuns.value())
            m_runs->setShown(hidden.toStdString(), false);
        const run::RunId selected = m_settings->selectedRun.value().toStdString();
        if (m_runs->find(selected))
            m_runs->select(selected);
    }
    if (m_runs->selected().empty() && !m_runs->order().empty())
        m_runs->select(m_runs->order().front());
    refreshWelcome();
    offerInterrupted();
    m_usage->setFolder(QString::fromStdString(m_bridge->service().folder().string()));
}

void MainWindow::offerInterrupted()
{
    std::vector<run::RunId> interrupted;
    QStringList saved; // what can go on, and from where
    QStringList unsaved;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (run->snapshot.state != run::RunState::Interrupted || !run->snapshot.isReadable)
            continue;
        interrupted.push_back(id);
        if (run->snapshot.checkpointSteps.empty())
            unsaved.append(run->title);
        else
            saved.append(tr("%1 at step %2", "run, step").arg(run->title).arg(run->snapshot.checkpointSteps.back()));
    }
    if (interrupted.empty())
        return;
    QString sentence = interrupted.size() == 1 ? tr("A run was interrupted.")
                                               : tr("%1 runs were interrupted.").arg(interrupted.size());
    if (!saved.isEmpty())
        sentence += u' ' + tr("Can go on: %1.", "runs and steps").arg(saved.join(u", "_s));
    if (!unsaved.isEmpty())
        sentence += u' ' + tr("No checkpoint yet, starts again at step 0: %1.", "runs").arg(unsaved.join(u", "_s));
    m_messages->showMessage(MessageBar::Kind::Warning, sentence, {{tr("&Continue"), [this, interrupted] {
                                                                       for (const run::RunId &id : interrupted)
                                                                           m_bridge->service().resume(id);
                                                                   }}});
}

void MainWindow::setParallelRuns(int count)
{
    const int used = count > 0 ? count : std::max(1, m_bridge->service().machine().cores);
    m_bridge->service().setParallelRuns(used);
    m_experiment->setParallelRuns(used);
}

void MainWindow::openFolder(const QString &folder)
{
    const QString path = QDir::cleanPath(QFileInfo(folder).absoluteFilePath());
    m_settings->addRecentFolder(path);
    m_settings->runsFolder.setValue(path);
    m_bridge->service().openFolder(path.toStdString());
    statusBar()->showMessage(tr("Opened %1").arg(QDir::toNativeSeparators(path)), 5000);
}

void MainWindow::openSetup(const QString &file)
{
    const auto setup = std::make_shared<ExperimentSetup>();
    workOnDisk(
        file, this, [file, setup] { *setup = ExperimentSetup::fromFile(QFile::encodeName(file).toStdString()); },
        [this, file, setup](const Error *failure) {
            const QString name = QFileInfo(file).fileName();
            if (failure)
                m_messages->showMessage(
                    MessageBar::Kind::Error,
                    tr("\"%1\": %2", "file, sentence").arg(name, QString::fromStdString(failure->sentence())), {},
                    QString::fromStdString(failure->details()));
            else
                m_experiment->change(*setup, {}, tr("open set-up %1", "after \"Undo: \"").arg(name));
        });
}

void MainWindow::openPath(const QString &path)
{
    whenPathIsKnown(path, this, [this, path](PathKind kind) {
        const QString name = path.section(u'/', -1, -1, QString::SectionSkipEmpty);
        if (kind == PathKind::Folder)
            openFolder(path);
        else if (kind == PathKind::File && name.endsWith(".json"_L1))
            openSetup(path);
        else if (kind == PathKind::NoAnswer)
            statusBar()->showMessage(tr("\"%1\" does not answer.").arg(QDir::toNativeSeparators(path)), 8000);
        else if (kind == PathKind::Missing)
            statusBar()->showMessage(tr("There is no \"%1\".").arg(QDir::toNativeSeparators(path)), 8000);
        else
            statusBar()->showMessage(tr("\"%1\" is neither a folder with runs nor a set-up (.json).").arg(name), 8000);
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls()) {
        const QString path = url.toLocalFile();
        if (path.isEmpty())
            continue;
        openPath(path);
        event->acceptProposedAction();
        return;
    }
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange)
        m_actions->action(ActionId::FullScreen)->setChecked(isFullScreen());
}

} // namespace lookback::ui
