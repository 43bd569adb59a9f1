// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What each action of the table does.
#include "ui/main_window.h"

#include <QAction>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QStatusBar>
#include <QTabBar>
#include <QTreeView>
#include <QUndoStack>
#include <QUrl>

#include "core/error.h"
#include "core/run/run_folder.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/help_dialogs.h"
#include "ui/dialogs/per_index_dialog.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/dialogs/variance_dialog.h"
#include "ui/docks/experiment_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/models/run_collection.h"
#include "ui/pages/welcome_page.h"
#include "ui/settings/settings.h"
#include "ui/widgets/action_finder.h"
#include "ui/widgets/folder_answer.h"
#include "ui/widgets/message_bar.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

void MainWindow::introduceReferenceRuns()
{
    m_bridge->service().addReferenceRuns();
    showPage(u"accuracy"_s);
    m_messages->showMessage(MessageBar::Kind::Information,
                            tr("These runs came with Lookback, one of each attention variant, trained with the preset "
                               "Laptop. Their heads are on "
                               "the Attention tab; train your own on the Training tab."));
}

void MainWindow::connectActions()
{
    const auto on = [this](ActionId id, auto act) { connect(m_actions->action(id), &QAction::triggered, this, act); };
    on(ActionId::NewExperiment, [this] {
        m_experiment->change(ExperimentSetup::initial(), {}, tr("new experiment", "after \"Undo: \""));
        m_tabs->setCurrentIndex(0);
    });
    on(ActionId::OpenFolder, [this] { chooseFolder(); });
    on(ActionId::AddReferenceRuns, [this] { m_bridge->service().addReferenceRuns(); });
    on(ActionId::OpenSetup, [this] { chooseSetup(); });
    on(ActionId::SaveSetup, [this] { saveSetup(); });
    on(ActionId::ShowRunsFolder, [this] {
        const QString folder = QString::fromStdString(m_bridge->service().folder().string());
        whenPathIsKnown(folder, this, [this, folder](PathKind kind) {
            if (kind == PathKind::NoAnswer)
                statusBar()->showMessage(tr("\"%1\" does not answer.").arg(QDir::toNativeSeparators(folder)), 5000);
            else if (kind != PathKind::Folder)
                statusBar()->showMessage(tr("There is no folder yet: it is made when the first run starts."), 5000);
            else
                QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
        });
    });
    on(ActionId::Quit, [this] { close(); });
    on(ActionId::Undo, [this] { m_undo->undo(); });
    on(ActionId::Redo, [this] { m_undo->redo(); });
    on(ActionId::FindRun, [this] {
        if (!m_runsDock->isVisible()) {
            m_actions->action(ActionId::RunsDock)->setChecked(true);
            rememberDocks();
        }
        m_runsPanel->openFilter();
    });
    on(ActionId::FindAction, [this] { m_finder->setFocus(Qt::ShortcutFocusReason); });
    on(ActionId::Preferences, [this] { showPreferences(); });
    on(ActionId::NextPage, [this] { m_tabs->setCurrentIndex((m_tabs->currentIndex() + 1) % m_tabs->count()); });
    on(ActionId::PreviousPage,
       [this] { m_tabs->setCurrentIndex((m_tabs->currentIndex() + m_tabs->count() - 1) % m_tabs->count()); });
    on(ActionId::GoBack, [this] { currentPageWidget()->goBack(); });
    on(ActionId::GoForward, [this] { currentPageWidget()->goForward(); });
    on(ActionId::ZoomIn, [this] { currentPageWidget()->zoomIn(); });
    on(ActionId::ZoomOut, [this] { currentPageWidget()->zoomOut(); });
    on(ActionId::ZoomToFit, [this] { currentPageWidget()->zoomToFit(); });
    on(ActionId::ExperimentDock, [this] { rememberDocks(); });
    on(ActionId::RunsDock, [this] { rememberDocks(); });
    on(ActionId::FullScreen, [this](bool isFull) {
        setWindowState(isFull ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen);
    });
    on(ActionId::ResetLayout, [this] { resetLayout(); });
    on(ActionId::Train, [this] { m_experiment->train(); });
    on(ActionId::TickAll, [this] { m_experiment->tickAll(true); });
    on(ActionId::TickNone, [this] { m_experiment->tickAll(false); });
    on(ActionId::PauseRun, [this] { m_runsPanel->pauseSelected(); });
    on(ActionId::ResumeRun, [this] { m_runsPanel->resumeSelected(); });
    on(ActionId::StopRun, [this] { m_runsPanel->stopSelected(); });
    on(ActionId::StopAll, [this] { m_bridge->service().stopAll(); });
    on(ActionId::SaveCheckpoint, [this] { m_runsPanel->saveSelected(); });
    on(ActionId::EvaluateRun, [this] { m_runsPanel->evaluateSelected(); });
    on(ActionId::ToggleCurve, [this] { m_runsPanel->toggleSelected(); });
    on(ActionId::OpenRunFolder, [this] { m_runsPanel->openSelectedFolder(); });
    on(ActionId::CopyCommand, [this] {
        m_runsPanel->copyCommand();
        statusBar()->showMessage(tr("The command is on the clipboard."), 3000);
    });
    on(ActionId::RemoveFromView, [this] {
        m_runsPanel->removeSelected();
        statusBar()->showMessage(tr("Taken out of the list; the files stay. Opening the folder again shows it."), 8000);
    });
    on(ActionId::DeleteRun, [this] { m_runsPanel->deleteSelected(); });
    on(ActionId::RestoreRun, [this] { m_runsPanel->restoreDeleted(); });
    on(ActionId::ExportFigure, [this] { exportFigure(); });
    on(ActionId::CopyFigure, [this] { copyFigure(); });
    on(ActionId::PerIndexFigure, [this] { showPerIndex(); });
    on(ActionId::VarianceFigure, [this] { showVariance(); });
    on(ActionId::Help, [this] { makeGuide(this)->show(); });
    on(ActionId::Shortcuts, [this] { makeShortcutList(this)->show(); });
    on(ActionId::Welcome, [this] {
        m_isWelcomeAsked = true;
        showPage(u"training"_s);
        refreshWelcome();
    });
    on(ActionId::About, [this] { makeAbout(m_bridge->service().machine(), this)->show(); });

    connect(m_undo, &QUndoStack::canUndoChanged, this,
            [this](bool can) { m_actions->setHolding(Condition::CanUndo, can); });
    connect(m_undo, &QUndoStack::canRedoChanged, this,
            [this](bool can) { m_actions->setHolding(Condition::CanRedo, can); });
    connect(m_undo, &QUndoStack::undoTextChanged, this, [this](const QString &text) {
        m_actions->action(ActionId::Undo)->setText(text.isEmpty() ? tr("&Undo") : tr("&Undo: %1").arg(text));
    });
    connect(m_undo, &QUndoStack::redoTextChanged, this, [this](const QString &text) {
        m_actions->action(ActionId::Redo)->setText(text.isEmpty() ? tr("&Redo") : tr("&Redo: %1").arg(text));
    });
    connect(m_experiment, &ExperimentPanel::changed, this, &MainWindow::refreshSetup);
    connect(m_undo, &QUndoStack::indexChanged, this, &MainWindow::refreshWelcome);
    connect(m_experiment, &ExperimentPanel::trainingRequested, this, [this] {
        m_isWelcomeAsked = false;
        m_isSelectingNew = true;
        m_runsPanel->closeFilter(); // the new runs are to be seen
        showPage(u"training"_s);
        refreshWelcome();
        remember(); // a program that dies over a long training still comes back as it was
    });
    connect(m_welcome, &WelcomePage::tryRequested, this, &MainWindow::tryItOut);
    connect(m_welcome, &WelcomePage::openRequested, this, &MainWindow::chooseFolder);
    connect(m_welcome, &WelcomePage::guideRequested, m_actions->action(ActionId::Help), &QAction::trigger);

    m_recentMenu = new QMenu(tr("&Recent runs folders"), this);
    m_actions->menu(Menu::File)->insertMenu(m_actions->action(ActionId::OpenSetup), m_recentMenu);
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentFolders);
}

void MainWindow::connectPages()
{
    for (const PageEntry &entry : m_pages) {
        connect(m_actions->action(entry.action), &QAction::triggered, this, [this, id = entry.id] {
            showPage(id);
            m_actions->action(m_pages[static_cast<std::size_t>(m_tabs->currentIndex())].action)->setChecked(true);
        });
        connect(entry.page, &Page::abilitiesChanged, this, &MainWindow::refreshPageAbilities);
        connect(entry.page, &Page::exportRequested, this, [this] { exportFigure(); });
        connect(entry.page, &Page::trainRequested, this, [this] {
            showPage(u"training"_s);
            m_settings->setDocksOf(u"training"_s, kExperimentDockBit | kRunsDockBit);
            applyDocks();
            m_experiment->variantView()->setFocus();
        });
        connect(entry.page, &Page::exampleRequested, this, [this](const ExampleTarget &target) {
            page(u"attention"_s)->showExample(target);
            showPage(u"attention"_s);
        });
        connect(entry.page, &Page::circuitHeadsChanged, page(u"attention"_s), &Page::takeCircuitHeads);
        connect(entry.page, &Page::statusChanged, this, [this, page = entry.page](const QString &text) {
            if (page == currentPageWidget())
                m_pageLabel->setText(text);
        });
    }
    const auto follow = [this] {
        for (const PageEntry &entry : m_pages)
            m_actions->action(entry.action)->setChecked(entry.id == currentPage());
        m_pageLabel->clear();
        applyDocks();
        refreshPageAbilities();
        refreshWork();
    };
    connect(m_tabs, &QTabBar::currentChanged, this, follow);
    m_actions->action(m_pages.front().action)->setChecked(true);
}

void MainWindow::tryItOut()
{
    m_experiment->change(ExperimentSetup::trial(), {}, tr("try it out", "after \"Undo: \""));
    m_experiment->train();
}

void MainWindow::withFileDialog(const std::function<void(QFileDialog *)> &show)
{
    const QString folder = m_settings->runsFolder.value();
    whenPathIsKnown(folder, this, [this, folder, show](PathKind kind) {
        auto *dialog = new QFileDialog(this, QString(), kind == PathKind::Folder ? folder : QDir::homePath());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        show(dialog);
        dialog->open();
    });
}

void MainWindow::chooseFolder()
{
    withFileDialog([this](QFileDialog *dialog) {
        dialog->setWindowTitle(tr("Open runs folder"));
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openFolder);
    });
}

void MainWindow::fillRecentFolders()
{
    m_recentMenu->clear();
    for (const QString &folder : m_settings->recentFolders.value()) {
        QAction *entry = m_recentMenu->addAction(QDir::toNativeSeparators(folder).replace(u'&', u"&&"_s));
        whenPathIsKnown(folder, entry, [entry](PathKind kind) {
            if (kind != PathKind::File && kind != PathKind::Missing)
                return; // one that does not answer may do so when it is chosen
            entry->setEnabled(false);
            entry->setText(tr("%1 (missing)").arg(entry->text()));
        });
        connect(entry, &QAction::triggered, this, [this, folder] { openFolder(folder); });
    }
    if (m_recentMenu->isEmpty())
        m_recentMenu->addAction(tr("None yet"))->setEnabled(false);
    m_recentMenu->addSeparator();
    QAction *forget = m_recentMenu->addAction(tr("&Forget this list"));
    connect(forget, &QAction::triggered, this, [this] { m_settings->recentFolders.setValue({}); });
}

void MainWindow::chooseSetup()
{
    withFileDialog([this](QFileDialog *dialog) {
        dialog->setWindowTitle(tr("Open set-up"));
        dialog->setNameFilter(tr("Set-ups (*.json)"));
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openSetup);
    });
}

void MainWindow::saveSetup()
{
    const auto save = [this](const QString &file) {
        statusBar()->showMessage(tr("Saving %1 …").arg(QDir::toNativeSeparators(file)));
        workOnDisk(
            file, this,
            [file, text = m_experiment->setup().toJson()] { run::writeFileWhole(file.toStdString(), text); },
            [this, file](const Error *failure) {
                statusBar()->clearMessage();
                if (failure)
                    m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(failure->sentence()), {},
                                            QString::fromStdString(failure->details()));
                else
                    statusBar()->showMessage(tr("Saved %1").arg(QDir::toNativeSeparators(file)), 5000);
            });
    };
    withFileDialog([this, save](QFileDialog *dialog) {
        dialog->setWindowTitle(tr("Save set-up"));
        dialog->setNameFilter(tr("Set-ups (*.json)"));
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(u"json"_s);
        connect(dialog, &QFileDialog::fileSelected, this, save);
    });
}

void MainWindow::showPreferences()
{
    auto *dialog = new PreferencesDialog(m_settings, m_bridge->service().machine().cores, this);
    connect(dialog, &PreferencesDialog::runsFolderChosen, this, &MainWindow::openFolder);
    connect(dialog, &PreferencesDialog::parallelRunsChosen, this, &MainWindow::setParallelRuns);
    dialog->open();
}

void MainWindow::copyFigure()
{
    const std::unique_ptr<Figure> figure = currentPageWidget()->figure();
    if (!figure)
        return;
    QGuiApplication::clipboard()->setImage(renderFigure(*figure, ExportOptions{}));
    statusBar()->showMessage(tr("The figure is on the clipboard."), 3000);
}

void MainWindow::showFigureDialog(MeasuredFigureDialog *dialog, bool isNew)
{
    if (isNew)
        connect(dialog, &MeasuredFigureDialog::exportRequested, this,
                [this, dialog] { exportFigure(dialog->figure(), dialog); });
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::showVariance()
{
    const bool isNew = !m_variance;
    if (isNew)
        m_variance = new VarianceDialog(m_bridge->service().machine().cores, this);
    showFigureDialog(m_variance, isNew);
    if (isNew)
        m_variance->compute();
}

void MainWindow::showPerIndex()
{
    const bool isNew = !m_perIndex;
    if (isNew)
        m_perIndex = new PerIndexDialog(m_bridge, m_runs, this);
    showFigureDialog(m_perIndex, isNew);
}

void MainWindow::exportFigure()
{
    exportFigure(currentPageWidget()->figure(), this);
}

void MainWindow::exportFigure(std::unique_ptr<Figure> figure, QWidget *parent)
{
    if (!figure)
        return;
    auto *dialog = new ExportDialog(std::move(figure), m_settings, parent);
    connect(dialog, &ExportDialog::exported, this, [this](const QString &file) {
        statusBar()->showMessage(tr("Saved %1").arg(QDir::toNativeSeparators(file)), 5000);
    });
    connect(dialog, &ExportDialog::failed, this, [this, dialog](const QString &sentence) {
        if (dialog->isVisible())
            return; // it says so itself
        statusBar()->clearMessage();
        m_messages->showMessage(MessageBar::Kind::Error, sentence);
        dialog->deleteLater();
    });
    connect(dialog, &QDialog::finished, this, [this, dialog] {
        if (dialog->fileInWriting().isEmpty())
            dialog->deleteLater();
        else // closed, while a file is on its way: it stays until that is written or not
            statusBar()->showMessage(tr("Saving %1 …").arg(QDir::toNativeSeparators(dialog->fileInWriting())));
    });
    dialog->open();
}

} // namespace lookback::ui
