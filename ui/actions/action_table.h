// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>

#include <span>

namespace lookback::ui {

/// Every action of the window, in menu order.
enum class ActionId {
    NewExperiment,
    OpenFolder,
    AddReferenceRuns,
    OpenSetup,
    SaveSetup,
    ShowRunsFolder,
    Quit,
    Undo,
    Redo,
    FindRun,
    FindAction,
    Preferences,
    TrainingPage,
    AccuracyPage,
    AttentionPage,
    CircuitPage,
    NextPage,
    PreviousPage,
    GoBack,
    GoForward,
    ZoomIn,
    ZoomOut,
    ZoomToFit,
    ExperimentDock,
    RunsDock,
    FullScreen,
    ResetLayout,
    Train,
    TickAll,
    TickNone,
    PauseRun,
    ResumeRun,
    StopRun,
    StopAll,
    SaveCheckpoint,
    EvaluateRun,
    ToggleCurve,
    OpenRunFolder,
    CopyCommand,
    RemoveFromView,
    DeleteRun,
    RestoreRun,
    ExportFigure,
    CopyFigure,
    PerIndexFigure,
    VarianceFigure,
    Help,
    Shortcuts,
    Welcome,
    About,
};

/// What must hold for an action to be available.
enum class Condition {
    Always,
    CanUndo,
    CanRedo,
    CanTrain,
    CanPause,
    CanResume,
    CanStop,
    IsAnyActive,
    CanSave,
    CanEvaluate,
    IsRunSelected,
    IsIdleRunSelected,
    CanRestore,
    HasFigure,
    CanZoom,
    CanGoBack,
    CanGoForward,
};

enum class Menu { File, Edit, View, Experiment, Runs, Figure, Help };

/// One row: all that is known of an action but what it does. Texts are English source texts; translate() them in the
/// context "Actions".
struct ActionRow {
    ActionId id;
    const char *name; ///< Object name: "train", "export-figure".
    Menu menu;
    const char *text; ///< With a mnemonic.
    QList<QKeySequence> shortcuts; ///< The first is shown.
    const char *statusTip; ///< One sentence.
    const char *icon; ///< Of resources/icons.
    Condition condition;
    const char *whyNot; ///< Why it is not available while the condition does not hold; empty for Always.
    bool isCheckable = false;
    bool beginsGroup = false; ///< A separator stands before it in its menu.
};

/// The table, in menu order. Made once.
std::span<const ActionRow> actionTable();
const ActionRow &actionRow(ActionId id);

/// "&File", ...
const char *menuTitle(Menu menu);

} // namespace lookback::ui
