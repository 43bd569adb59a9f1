// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QMainWindow>
#include <QMessageBox>
#include <QPointer>
#include <QTimer>

#include <chrono>
#include <functional>
#include <set>
#include <vector>

#include "core/run/run_service.h"
#include "ui/actions/action_table.h"
#include "ui/pages/page_list.h"

class QDockWidget;
class QFileDialog;
class QLabel;

class QStackedWidget;
class QTabBar;
class QToolBar;
class QUndoStack;

namespace lookback::ui {

class ActionFinder;
class ActionSet;
class ExperimentPanel;
class Figure;
class FolderUsage;
class MeasuredFigureDialog;
class MessageBar;
class PerIndexDialog;
class RunBridge;
class RunCollection;
class RunsPanel;
class Settings;
class VarianceDialog;
class WelcomePage;

/// Docks, menus, pages and layout memory; no logic of its own. Owns neither service nor settings.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    MainWindow(RunBridge *bridge, RunCollection *runs, Settings *settings, QWidget *parent = nullptr);
    ~MainWindow() override;

    ActionSet *actions() const { return m_actions; }
    ExperimentPanel *experiment() const { return m_experiment; }
    RunsPanel *runsPanel() const { return m_runsPanel; }
    MessageBar *messages() const { return m_messages; }
    WelcomePage *welcome() const { return m_welcome; }
    QUndoStack *undoStack() const { return m_undo; }
    /// The page with that id; null if there is none.
    Page *page(const QString &id) const;
    void showPage(const QString &id);
    /// Adds the runs that come with the program to the folder, shows what they reach and says what they are.
    void introduceReferenceRuns();
    QString currentPage() const;
    bool isWelcomeShown() const;
    /// The question asked at closing while runs are active; null unless it is open.
    QMessageBox *closeQuestion() const { return m_closeQuestion; }

    /// Shows the runs of another folder and remembers it.
    void openFolder(const QString &folder);
    /// Reads a set-up file into the experiment panel, soon and undoable; says what is wrong in the message bar.
    void openSetup(const QString &file);
    /// Opens a folder with runs or a set-up, whatever lies there.
    void openPath(const QString &path);
    /// Stops everything with a checkpoint, without asking, and closes when all is quiet.
    void quitOrderly();
    /// The same for a logout, which waits for what is done here: returns when all is quiet, or after `patience`. Called
    /// when the session manager tells of one.
    void quitAtLogout(std::chrono::milliseconds patience = std::chrono::seconds(5));
    /// After so long of stopping it offers to close without what is not saved yet (10 s unless set).
    void setClosingPatience(std::chrono::milliseconds patience) { m_closingPatience = patience; }
    /// Writes layout, set-up and all else that is remembered.
    void remember();

Q_SIGNALS:
    /// The window closed after everything was quiet, or because the user did not wait for that.
    void closed();
    /// A run of more than a minute ended while the window was not active, and the user wants to hear of that.
    void endedUnseen(const QString &title, const QString &text);
    /// Runs began to work, in words ("2 runs are training"), or all have ended (empty). Also empty if the user lets the
    /// computer sleep over them.
    void workChanged(const QString &what);

protected:
    void showEvent(QShowEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    // main_window_layout.cpp
    void buildDocks();
    void buildPages();
    void buildToolBar();
    void buildStatusBar();
    QWidget *makeDockTitle(const QString &title, QLabel *note, const std::vector<ActionId> &buttons);
    void limitSize();
    void restoreLayout();
    void resetLayout();
    void fitDocks();
    void applyDocks();
    void rememberDocks();
    // main_window_actions.cpp
    void connectActions();
    void connectPages();
    void exportFigure();
    /// The export dialog for that figure, over `parent`.
    void exportFigure(std::unique_ptr<Figure> figure, QWidget *parent);
    /// Shows a window of its own for a figure, made once.
    void showFigureDialog(MeasuredFigureDialog *dialog, bool isNew);
    void showVariance();
    void showPerIndex();
    void copyFigure();
    void saveSetup();
    void chooseSetup();
    /// A dialog that begins in the runs folder, if that answers; `show` says what it is for.
    void withFileDialog(const std::function<void(QFileDialog *)> &show);
    void chooseFolder();
    void fillRecentFolders();
    void showPreferences();
    void tryItOut();
    // main_window.cpp
    Page *currentPageWidget() const;
    void refreshPageAbilities();
    void refreshWelcome();
    void refreshWork();
    void refreshSetup();
    void noteNewRuns();
    void noteEnds(const std::string &run);
    void takeFirstList();
    void offerInterrupted();
    void setParallelRuns(int count);
    void askBeforeClosing();
    void closeWhenQuiet();
    void offerToForce();

    RunBridge *m_bridge;
    RunCollection *m_runs;
    Settings *m_settings;
    ActionSet *m_actions;
    QUndoStack *m_undo;
    std::vector<PageEntry> m_pages;
    ExperimentPanel *m_experiment = nullptr;
    RunsPanel *m_runsPanel = nullptr;
    QDockWidget *m_experimentDock = nullptr;
    QDockWidget *m_runsDock = nullptr;
    QLabel *m_experimentNote = nullptr;
    QLabel *m_runsNote = nullptr;
    QTabBar *m_tabs = nullptr; ///< Over the whole width, so that it stays where it is when docks come and go.
    QStackedWidget *m_pageStack = nullptr;
    QStackedWidget *m_trainingStack = nullptr;
    WelcomePage *m_welcome = nullptr;
    MessageBar *m_messages = nullptr;
    QToolBar *m_toolBar = nullptr;
    ActionFinder *m_finder = nullptr;
    QMenu *m_recentMenu = nullptr;
    QLabel *m_activityLabel = nullptr;
    QLabel *m_stepsLabel = nullptr;
    QLabel *m_endLabel = nullptr;
    QLabel *m_pageLabel = nullptr;
    QLabel *m_speedLabel = nullptr;
    QLabel *m_folderLabel = nullptr;
    FolderUsage *m_usage = nullptr;
    QPointer<QMessageBox> m_closeQuestion;
    VarianceDialog *m_variance = nullptr; ///< Null until it is asked for; then it keeps its chart.
    PerIndexDialog *m_perIndex = nullptr; ///< Likewise.
    QTimer m_workTimer; ///< Merges refreshes of title and status bar.
    QTimer m_quietTimer;
    std::set<std::string> m_active; ///< Runs that were active, to notice their end.
    QString m_work; ///< As last stated by workChanged.
    QByteArray m_firstState; ///< Layout before anything was restored.
    bool m_wasShown = false;
    bool m_isListKnown = false;
    bool m_isWelcomeAsked = false;
    bool m_isSwitching = false; ///< Docks are being shown for a page, not by the user.
    bool m_isSelectingNew = false; ///< The next new run is one that the user asked for.
    bool m_isQuitting = false;
    bool m_isForcedToClose = false; ///< The user does not wait for a folder that does not answer.
    std::chrono::milliseconds m_closingPatience{10'000};
    QElapsedTimer m_quittingSince;
    std::vector<run::RunId> m_toBeSaved; ///< Runs that "Stop and save" promised to save.
};

} // namespace lookback::ui
