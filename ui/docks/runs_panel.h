// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

#include "core/run/run_service.h"
#include "ui/actions/action_table.h"

class QLabel;
class QLineEdit;
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
    void deleteSelected();
    void restoreDeleted();

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
    int m_deletedCount = 0;
    int m_fittedWidth = 0; ///< For which the columns were chosen.
    bool m_isFollowing = false;
};

} // namespace lookback::ui
