// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

#include <vector>

#include "core/run/run_service.h"
#include "ui/actions/action_table.h"

class QLabel;
class QLineEdit;
class QMessageBox;
class QStackedWidget;
class QTableView;

namespace lookback::ui {

class ActionSet;
class MessageBar;
class RunBridge;
class RunCollection;
class RunsModel;
class RunsProxy;

/// The list of runs at the bottom, and what can be done with the selected ones. Tells the action set what is possible
/// with them; the window connects the actions to the slots here.
class RunsPanel : public QWidget {
    Q_OBJECT

public:
    RunsPanel(RunBridge *bridge, RunCollection *runs, ActionSet *actions, QWidget *parent = nullptr);

    QTableView *view() const { return m_view; }
    RunsModel *model() const { return m_model; }
    MessageBar *messages() const { return m_messages; }
    /// Selected runs, in the order of the list.
    std::vector<run::RunId> selectedRuns() const;
    void selectOnly(const run::RunId &id);

    /// Column widths, order, hidden columns and sorting; and back.
    QByteArray saveHeader() const;
    bool restoreHeader(const QByteArray &state);
    void resetHeader();

    /// Shows the field that filters the list, and gives it the focus.
    void openFilter();
    /// Shows all runs again.
    void closeFilter();
    QLineEdit *filter() const { return m_filter; }

    /// "5 in this folder"
    QString summary() const;

    void pauseSelected();
    void resumeSelected();
    void stopSelected();
    void saveSelected();
    void evaluateSelected();
    void toggleSelected();
    void openSelectedFolder();
    void copyCommand();
    void removeSelected();
    /// Asks, then moves the selected runs to the trash.
    void deleteSelected();
    /// Brings the newest deletion back, all runs of it.
    void restoreDeleted();
    /// Null unless it is open.
    QMessageBox *deleteQuestion() const;

Q_SIGNALS:
    void summaryChanged();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildFilter();
    void refreshAbilities();
    void refreshSummary();
    void followSelection();
    void showMenu(const QPoint &position);
    void hideColumnsThatDoNotFit();
    // Deleting.
    struct DeletedRun {
        run::RunId id;
        QString title;
    };
    static QString namesOf(const std::vector<DeletedRun> &runs);
    void deleteRuns(const std::vector<DeletedRun> &runs);
    void takeRemoved(const std::vector<run::RunId> &ids);
    void takeRefusal(const run::RunId &id);
    void settleDeletion();
    void showNewestDeletion();
    void refreshRestore();

    RunBridge *m_bridge;
    RunCollection *m_runs;
    ActionSet *m_actions;
    RunsModel *m_model;
    RunsProxy *m_proxy;
    QTableView *m_view;
    QStackedWidget *m_stack;
    QLabel *m_empty;
    QWidget *m_filterBar;
    QLineEdit *m_filter;
    MessageBar *m_messages;
    std::vector<DeletedRun> m_moving; ///< The service was asked to.
    std::vector<DeletedRun> m_moved; ///< Of the same deletion; done.
    std::vector<std::vector<DeletedRun>> m_deletions; ///< What can be taken back, newest last.
    QPointer<QMessageBox> m_deleteQuestion;
    int m_fittedWidth = 0; ///< For which the columns were chosen.
    bool m_isFollowing = false;
};

} // namespace lookback::ui
