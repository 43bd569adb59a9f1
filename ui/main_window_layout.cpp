// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the window is put together and remembered; what it does is in main_window.cpp and main_window_actions.cpp.
#include "ui/main_window.h"

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QPainter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <QUndoStack>
#include <QVBoxLayout>

#include "core/error.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/docks/experiment_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/pages/welcome_page.h"
#include "ui/settings/settings.h"
#include "ui/theme/theme.h"
#include "ui/widgets/action_finder.h"
#include "ui/widgets/folder_usage.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/message_bar.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kLayoutVersion = 2; // 2: the tabs are a tool bar
constexpr QSize kFirstSize(1440, 900);
constexpr QSize kSmallest(800, 560); // for text of 16 px height
constexpr int kTitleHeight = 40;

/// A dock title in the window's own layout; the dock can still be dragged by it.
class DockTitle : public QWidget {
public:
    using QWidget::QWidget;
    QSize sizeHint() const override
    {
        return {QWidget::sizeHint().width(), std::max(kTitleHeight, QWidget::sizeHint().height())};
    }
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
};

/// A part of the status bar, set off from the one before by a hairline.
class StatusLabel : public QLabel {
public:
    using QLabel::QLabel;

protected:
    void paintEvent(QPaintEvent *event) override
    {
        QLabel::paintEvent(event);
        if (x() <= kHairlineFrom)
            return;
        QPainter painter(this);
        painter.fillRect(0, 2, 1, height() - 4, Theme::forPalette(palette()).hairline);
    }

private:
    static constexpr int kHairlineFrom = 16; // not before the first
};

} // namespace

void MainWindow::buildPages()
{
    auto *centre = new QWidget(this);
    auto *column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_messages = new MessageBar(centre);
    m_messages->setObjectName(u"messages"_s);
    m_tabs = new QTabBar(this);
    m_tabs->setObjectName(u"pages"_s);
    m_tabs->setDocumentMode(true);
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->setAccessibleName(tr("Pages"));
    m_pageStack = new QStackedWidget(centre);
    column->addWidget(m_messages);
    column->addWidget(m_pageStack, 1);
    setCentralWidget(centre);

    m_pages = makePages(m_bridge, m_runs, m_pageStack);
    m_trainingStack = new QStackedWidget(m_pageStack);
    m_welcome = new WelcomePage(m_bridge, m_runs, m_trainingStack);
    m_trainingStack->addWidget(m_welcome);
    for (const PageEntry &entry : m_pages) {
        entry.page->setObjectName(entry.id + u"-page"_s);
        if (entry.id == u"training"_s)
            m_trainingStack->addWidget(entry.page);
        QWidget *shown = entry.id == u"training"_s ? static_cast<QWidget *>(m_trainingStack) : entry.page;
        m_pageStack->addWidget(shown);
        const int index = m_tabs->addTab(entry.title);
        m_tabs->setTabToolTip(index, m_actions->toolTipOf(entry.action));
    }
    connect(m_tabs, &QTabBar::currentChanged, m_pageStack, &QStackedWidget::setCurrentIndex);
}

QWidget *MainWindow::makeDockTitle(const QString &title, QLabel *note, const std::vector<ActionId> &buttons)
{
    auto *bar = new DockTitle(this);
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(makeTitle(title, bar));
    note->setParent(bar);
    note->setWordWrap(false);
    note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    if (buttons.empty())
        note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(note, 1);
    for (const ActionId id : buttons) {
        auto *button = new QToolButton(bar);
        button->setDefaultAction(m_actions->action(id));
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAutoRaise(true);
        button->setAccessibleName(withoutMnemonic(m_actions->action(id)->text()));
        button->setMinimumSize(28, 28);
        row->addWidget(button);
    }
    return bar;
}

void MainWindow::buildDocks()
{
    m_experiment = new ExperimentPanel(m_bridge, m_runs, m_undo, this);
    m_experimentNote = makeNote(this);
    m_experimentDock = new QDockWidget(tr("Experiment"), this);
    m_experimentDock->setObjectName(u"experiment-dock"_s);
    m_experimentDock->setTitleBarWidget(makeDockTitle(tr("Experiment"), m_experimentNote, {}));
    m_experimentDock->setWidget(m_experiment);
    m_experimentDock->setAllowedAreas(Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea);

    m_runsPanel = new RunsPanel(m_bridge, m_runs, m_actions, this);
    m_runsNote = makeNote(this);
    m_runsDock = new QDockWidget(tr("Runs"), this);
    m_runsDock->setObjectName(u"runs-dock"_s);
    m_runsDock->setTitleBarWidget(
        makeDockTitle(tr("Runs"), m_runsNote,
                      {ActionId::PauseRun, ActionId::ResumeRun, ActionId::StopRun, ActionId::EvaluateRun,
                       ActionId::OpenRunFolder, ActionId::RemoveFromView, ActionId::DeleteRun}));
    m_runsDock->setWidget(m_runsPanel);
    m_runsDock->setAllowedAreas(Qt::BottomDockWidgetArea | Qt::TopDockWidgetArea);
    const auto refreshNote = [this] { m_runsNote->setText(m_runsPanel->summary()); };
    connect(m_runsPanel, &RunsPanel::summaryChanged, this, refreshNote);
    refreshNote();

    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    addDockWidget(Qt::LeftDockWidgetArea, m_experimentDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_runsDock);
}

void MainWindow::buildToolBar()
{
    m_actions->fill(menuBar());
    m_toolBar = addToolBar(tr("Tool bar"));
    m_toolBar->setObjectName(u"tool-bar"_s);
    m_toolBar->setMovable(false);
    m_toolBar->setIconSize({16, 16});
    m_toolBar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
    const auto add = [this](std::initializer_list<ActionId> ids) {
        for (const ActionId id : ids)
            m_toolBar->addAction(m_actions->action(id));
    };
    add({ActionId::NewExperiment, ActionId::OpenFolder, ActionId::SaveSetup});
    m_toolBar->addSeparator();
    add({ActionId::Train, ActionId::PauseRun, ActionId::StopRun});
    m_toolBar->addSeparator();
    add({ActionId::ExportFigure});
    m_toolBar->addSeparator();
    add({ActionId::GoBack, ActionId::GoForward});
    // Short words here; the menus have the long ones.
    const std::pair<ActionId, QString> words[] = {
        {ActionId::NewExperiment, tr("New")},
        {ActionId::OpenFolder, tr("Open")},
        {ActionId::SaveSetup, tr("Save")},
        {ActionId::ExportFigure, tr("Export figure")},
    };
    for (const auto &[id, word] : words)
        m_actions->action(id)->setIconText(word);
    for (const ActionId id : {ActionId::GoBack, ActionId::GoForward}) {
        auto *button = qobject_cast<QToolButton *>(m_toolBar->widgetForAction(m_actions->action(id)));
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAccessibleName(withoutMnemonic(m_actions->action(id)->text()));
    }
    auto *gap = new QWidget(m_toolBar);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_toolBar->addWidget(gap);
    m_finder = new ActionFinder(m_actions, m_toolBar);
    m_toolBar->addWidget(m_finder);
    m_toolBar->setMinimumHeight(40);

    addToolBarBreak();
    QToolBar *pages = addToolBar(tr("Pages"));
    pages->setObjectName(u"page-bar"_s);
    pages->setMovable(false);
    pages->setContextMenuPolicy(Qt::PreventContextMenu);
    pages->toggleViewAction()->setVisible(false);
    pages->layout()->setContentsMargins(0, 0, 0, 0);
    pages->addWidget(m_tabs);
}

void MainWindow::buildStatusBar()
{
    const auto make = [this](const QString &name) {
        auto *label = new StatusLabel(this);
        label->setObjectName(name);
        label->setIndent(8);
        return label;
    };
    m_activityLabel = make(u"activity"_s);
    m_stepsLabel = make(u"steps"_s);
    m_endLabel = make(u"end"_s);
    m_pageLabel = make(u"page-status"_s);
    m_pageLabel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_speedLabel = make(u"speed"_s);
    m_folderLabel = make(u"folder"_s);
    // One widget for the bar to hide while it shows a message: labels that come and go would come back over it.
    auto *parts = new QWidget(this);
    parts->setObjectName(u"status-parts"_s);
    auto *row = new QHBoxLayout(parts);
    row->setContentsMargins(0, 0, 0, 0);
    for (QLabel *label : {m_activityLabel, m_stepsLabel, m_endLabel})
        row->addWidget(label);
    row->addWidget(m_pageLabel, 1);
    statusBar()->addWidget(parts, 1);
    statusBar()->addPermanentWidget(m_speedLabel);
    statusBar()->addPermanentWidget(m_folderLabel);
    connect(m_usage, &FolderUsage::counted, this, [this](quint64 folderBytes, quint64 freeBytes) {
        m_folderLabel->setText(tr("Runs: %1, %2 free", "sizes").arg(bytesText(folderBytes), bytesText(freeBytes)));
    });
}

// Smaller than this, panels and charts would cover each other; a screen of 1024 x 700 always holds it.
void MainWindow::limitSize()
{
    const double scale = std::max(1.0, fontMetrics().height() / 16.0);
    setMinimumSize(std::min(1000, static_cast<int>(kSmallest.width() * scale)),
                   std::min(660, static_cast<int>(kSmallest.height() * scale)));
}

void MainWindow::restoreLayout()
{
    limitSize();
    resize(kFirstSize);
    fitDocks();
    m_firstState = saveState(kLayoutVersion);
    restoreGeometry(m_settings->geometry.value()); // keeps the window on a screen that is there
    restoreState(m_settings->state.value(), kLayoutVersion);
    m_runsPanel->restoreHeader(m_settings->runsHeader.value());
    m_experiment->setAdvancedOpen(m_settings->isAdvancedOpen.value());
    if (const QString stored = m_settings->setup.value(); !stored.isEmpty()) {
        try {
            m_experiment->setSetup(ExperimentSetup::fromJson(stored.toStdString()));
        } catch (const Error &) {
            // Written by a newer or damaged version: the first set-up stays; the key is written anew at the end.
        }
    }
    for (const PageEntry &entry : m_pages)
        entry.page->restoreViewState(m_settings->viewStateOf(entry.id));
    showPage(m_settings->page.value());
    applyDocks();
    // Work starts at the list of variants; on the welcome page at its button.
    m_experiment->variantView()->setFocus();
}

void MainWindow::resetLayout()
{
    m_settings->resetLayout();
    restoreState(m_firstState, kLayoutVersion);
    m_runsPanel->resetHeader();
    fitDocks();
    applyDocks();
}

// First widths and heights, by the size of the window.
void MainWindow::fitDocks()
{
    const double scale = std::max(1.0, fontMetrics().height() / 16.0);
    const int wide = static_cast<int>((width() < 1200 ? 312 : 360) * scale);
    resizeDocks({m_experimentDock}, {std::min(wide, width() * 2 / 5)}, Qt::Horizontal);
    resizeDocks({m_runsDock}, {std::clamp(height() / 4, 152, 220)}, Qt::Vertical);
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    if (!m_wasShown && !m_settings->state.isStored())
        fitDocks();
    m_wasShown = true;
}

// Each page has its own docks: the set-up and the list belong to training, the other pages have panels of their own.
void MainWindow::applyDocks()
{
    const PageEntry &entry = m_pages[static_cast<std::size_t>(std::max(0, m_tabs->currentIndex()))];
    const int docks = m_settings->docksOf(entry.id, entry.docks);
    m_isSwitching = true;
    m_experimentDock->setVisible((docks & kExperimentDockBit) != 0);
    m_runsDock->setVisible((docks & kRunsDockBit) != 0);
    m_isSwitching = false;
    m_actions->action(ActionId::ExperimentDock)->setChecked((docks & kExperimentDockBit) != 0);
    m_actions->action(ActionId::RunsDock)->setChecked((docks & kRunsDockBit) != 0);
}

void MainWindow::rememberDocks()
{
    if (m_isSwitching || m_tabs->currentIndex() < 0)
        return;
    const int docks = (m_actions->action(ActionId::ExperimentDock)->isChecked() ? kExperimentDockBit : 0)
        | (m_actions->action(ActionId::RunsDock)->isChecked() ? kRunsDockBit : 0);
    m_settings->setDocksOf(currentPage(), docks);
    applyDocks();
}

void MainWindow::remember()
{
    m_settings->geometry.setValue(saveGeometry());
    m_settings->state.setValue(saveState(kLayoutVersion));
    m_settings->runsHeader.setValue(m_runsPanel->saveHeader());
    m_settings->isAdvancedOpen.setValue(m_experiment->isAdvancedOpen());
    m_settings->setup.setValue(QString::fromStdString(m_experiment->setup().toJson()));
    m_settings->page.setValue(currentPage());
    for (const PageEntry &entry : m_pages)
        m_settings->setViewStateOf(entry.id, entry.page->viewState());
    QStringList hidden;
    for (const run::RunId &id : m_runs->order()) {
        if (!m_runs->find(id)->isShown)
            hidden.append(QString::fromStdString(id));
    }
    m_settings->hiddenRuns.setValue(hidden);
    m_settings->selectedRun.setValue(QString::fromStdString(m_runs->selected()));
    if (const QString fault = m_settings->sync(); !fault.isEmpty())
        m_messages->showMessage(MessageBar::Kind::Warning, fault);
}

} // namespace lookback::ui
