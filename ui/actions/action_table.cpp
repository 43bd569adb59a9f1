// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/action_table.h"

#include <algorithm>
#include <vector>

#include <QtGlobal>

namespace lookback::ui {

namespace {

/// `first` shown, whatever the platform calls standard; further standard ones work too.
QList<QKeySequence> keys(const QKeySequence &first, QKeySequence::StandardKey also = QKeySequence::UnknownKey)
{
    QList<QKeySequence> all{first};
    for (const QKeySequence &key : QKeySequence::keyBindings(also)) {
        if (!all.contains(key))
            all.append(key);
    }
    return all;
}

std::vector<ActionRow> makeTable()
{
    using enum ActionId;
    using C = Condition;
    constexpr auto kNoRun = QT_TRANSLATE_NOOP("Actions", "No run is selected");
    constexpr bool kCheckable = true;
    constexpr bool kGroup = true;
    return {
        {NewExperiment, "new-experiment", Menu::File, QT_TRANSLATE_NOOP("Actions", "&New experiment"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_N)),
         QT_TRANSLATE_NOOP("Actions", "Puts the set-up back to its first values; runs are not touched"), "new",
         C::Always, ""},
        {OpenFolder, "open-folder", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Open runs folder…"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_O)),
         QT_TRANSLATE_NOOP("Actions", "Shows the runs of another folder; running ones go on"), "open", C::Always, ""},
        {AddReferenceRuns,
         "add-reference-runs",
         Menu::File,
         QT_TRANSLATE_NOOP("Actions", "Add the &reference runs"),
         {},
         QT_TRANSLATE_NOOP("Actions",
                           "Copies the finished runs that come with Lookback, one of each variant, into this folder"),
         "plus",
         C::Always,
         ""},
        {OpenSetup, "open-set-up", Menu::File, QT_TRANSLATE_NOOP("Actions", "Open se&t-up…"),
         keys(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)),
         QT_TRANSLATE_NOOP("Actions", "Reads variants, seeds and settings from a file"), "open", C::Always, "", false,
         kGroup},
        {SaveSetup, "save-set-up", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Save set-up…"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_S)),
         QT_TRANSLATE_NOOP("Actions", "Writes variants, seeds and settings to a file"), "save", C::Always, ""},
        {ShowRunsFolder,
         "show-runs-folder",
         Menu::File,
         QT_TRANSLATE_NOOP("Actions", "Show runs &folder"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Opens the runs folder in the file manager"),
         "folder",
         C::Always,
         "",
         false,
         kGroup},
        {Quit, "quit", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Quit"), keys(QKeySequence(Qt::CTRL | Qt::Key_Q)),
         QT_TRANSLATE_NOOP("Actions", "Closes Lookback; runs are stopped with a checkpoint"), "quit", C::Always, "",
         false, kGroup},

        {Undo, "undo", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Undo"), keys(QKeySequence(Qt::CTRL | Qt::Key_Z)),
         QT_TRANSLATE_NOOP("Actions", "Takes back the last change of the set-up"), "undo", C::CanUndo,
         QT_TRANSLATE_NOOP("Actions", "The set-up was not changed")},
        {Redo, "redo", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Redo"),
         keys(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence::Redo),
         QT_TRANSLATE_NOOP("Actions", "Makes the change again that was taken back"), "redo", C::CanRedo,
         QT_TRANSLATE_NOOP("Actions", "Nothing was taken back")},
        {FindRun, "find-run", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Fin&d a run"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_F)),
         QT_TRANSLATE_NOOP("Actions", "Shows only the runs of the list that hold the words typed"), "search", C::Always,
         "", false, kGroup},
        {FindAction, "find-action", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Find an action"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_K)),
         QT_TRANSLATE_NOOP("Actions", "Looks for an action by its name and does it"), "search", C::Always, ""},
        {Preferences, "preferences", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Preferences…"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_Comma)),
         QT_TRANSLATE_NOOP("Actions", "Runs folder, runs at once and other choices"), "settings", C::Always, "", false,
         kGroup},

        {TrainingPage, "training-page", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Training"),
         keys(QKeySequence(Qt::ALT | Qt::Key_1)),
         QT_TRANSLATE_NOOP("Actions", "Loss and accuracy while the runs train"), "chart", C::Always, "", kCheckable},
        {AccuracyPage, "accuracy-page", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Accuracy vs context"),
         keys(QKeySequence(Qt::ALT | Qt::Key_2)),
         QT_TRANSLATE_NOOP("Actions", "Exact match by context length, beside the published curves"), "evaluate",
         C::Always, "", kCheckable},
        {AttentionPage, "attention-page", Menu::View, QT_TRANSLATE_NOOP("Actions", "Atte&ntion"),
         keys(QKeySequence(Qt::ALT | Qt::Key_3)), QT_TRANSLATE_NOOP("Actions", "What each head looks at in an example"),
         "heads", C::Always, "", kCheckable},
        {CircuitPage, "circuit-page", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Circuit"),
         keys(QKeySequence(Qt::ALT | Qt::Key_4)),
         QT_TRANSLATE_NOOP("Actions", "What each head does, and what the model loses without it"), "circuit", C::Always,
         "", kCheckable},
        {NextPage, "next-page", Menu::View, QT_TRANSLATE_NOOP("Actions", "Ne&xt page"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_Tab)), QT_TRANSLATE_NOOP("Actions", "Goes to the next page"), "forward",
         C::Always, "", false, kGroup},
        {PreviousPage, "previous-page", Menu::View, QT_TRANSLATE_NOOP("Actions", "Pre&vious page"),
         keys(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab)),
         QT_TRANSLATE_NOOP("Actions", "Goes to the previous page"), "back", C::Always, ""},
        {GoBack, "go-back", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Back"),
         keys(QKeySequence(Qt::ALT | Qt::Key_Left)),
         QT_TRANSLATE_NOOP("Actions", "Returns to the previous view of this page"), "back", C::CanGoBack,
         QT_TRANSLATE_NOOP("Actions", "There is no earlier view"), false, kGroup},
        {GoForward, "go-forward", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Forward"),
         keys(QKeySequence(Qt::ALT | Qt::Key_Right)),
         QT_TRANSLATE_NOOP("Actions", "Goes to the next view of this page again"), "forward", C::CanGoForward,
         QT_TRANSLATE_NOOP("Actions", "There is no later view")},
        {ZoomIn, "zoom-in", Menu::View, QT_TRANSLATE_NOOP("Actions", "Zoom &in"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence::ZoomIn),
         QT_TRANSLATE_NOOP("Actions", "Shows less, larger"), "zoom-in", C::CanZoom,
         QT_TRANSLATE_NOOP("Actions", "There is nothing to zoom here"), false, kGroup},
        {ZoomOut, "zoom-out", Menu::View, QT_TRANSLATE_NOOP("Actions", "Zoom &out"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_Minus), QKeySequence::ZoomOut),
         QT_TRANSLATE_NOOP("Actions", "Shows more, smaller"), "zoom-out", C::CanZoom,
         QT_TRANSLATE_NOOP("Actions", "There is nothing to zoom here")},
        {ZoomToFit, "zoom-to-fit", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Show everything"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_0)),
         QT_TRANSLATE_NOOP("Actions", "Shows the whole figure and follows the training again"), "zoom-fit", C::CanZoom,
         QT_TRANSLATE_NOOP("Actions", "There is nothing to zoom here")},
        {ExperimentDock, "experiment-dock", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Experiment panel"),
         keys(QKeySequence(Qt::Key_F8)), QT_TRANSLATE_NOOP("Actions", "Shows or hides the set-up at the left"),
         "dock-left", C::Always, "", kCheckable, kGroup},
        {RunsDock, "runs-dock", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Runs panel"), keys(QKeySequence(Qt::Key_F9)),
         QT_TRANSLATE_NOOP("Actions", "Shows or hides the list of runs at the bottom"), "dock-bottom", C::Always, "",
         kCheckable},
        {FullScreen, "full-screen", Menu::View, QT_TRANSLATE_NOOP("Actions", "F&ull screen"),
         keys(QKeySequence(Qt::Key_F11)), QT_TRANSLATE_NOOP("Actions", "Uses the whole screen, or returns from it"),
         "full-screen", C::Always, "", kCheckable, kGroup},
        {ResetLayout,
         "reset-layout",
         Menu::View,
         QT_TRANSLATE_NOOP("Actions", "Reset &layout"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Puts panels and columns back to their first places"),
         "restore",
         C::Always,
         ""},

        {Train, "train", Menu::Experiment, QT_TRANSLATE_NOOP("Actions", "&Train"), keys(QKeySequence(Qt::Key_F5)),
         QT_TRANSLATE_NOOP("Actions", "Trains every ticked variant with every seed"), "play", C::CanTrain,
         QT_TRANSLATE_NOOP("Actions", "The set-up cannot be trained")},
        {TickAll,
         "tick-all",
         Menu::Experiment,
         QT_TRANSLATE_NOOP("Actions", "Tick &all variants"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Ticks every variant of the list"),
         "check",
         C::Always,
         "",
         false,
         kGroup},
        {TickNone,
         "tick-none",
         Menu::Experiment,
         QT_TRANSLATE_NOOP("Actions", "Tick &no variant"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Takes all ticks off the list of variants"),
         "minus",
         C::Always,
         ""},

        {PauseRun, "pause-run", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "&Pause"), keys(QKeySequence(Qt::Key_F6)),
         QT_TRANSLATE_NOOP("Actions", "Pauses the selected runs; they keep their place"), "pause", C::CanPause,
         QT_TRANSLATE_NOOP("Actions", "No selected run is training")},
        {ResumeRun, "resume-run", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "&Continue"),
         keys(QKeySequence(Qt::SHIFT | Qt::Key_F6)),
         QT_TRANSLATE_NOOP("Actions", "Continues the selected runs, stopped ones from their newest checkpoint"), "play",
         C::CanResume, QT_TRANSLATE_NOOP("Actions", "No selected run is paused, stopped or interrupted")},
        {StopRun, "stop-run", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "&Stop"),
         keys(QKeySequence(Qt::SHIFT | Qt::Key_F5)),
         QT_TRANSLATE_NOOP("Actions", "Stops the selected runs after the present step, with a checkpoint"), "stop",
         C::CanStop, QT_TRANSLATE_NOOP("Actions", "No selected run is active")},
        {StopAll, "stop-all", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "Stop &all"),
         keys(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F5)),
         QT_TRANSLATE_NOOP("Actions", "Stops all runs with a checkpoint and cancels evaluations"), "stop",
         C::IsAnyActive, QT_TRANSLATE_NOOP("Actions", "Nothing is training")},
        {SaveCheckpoint, "save-checkpoint", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "Save c&heckpoint now"),
         keys(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)),
         QT_TRANSLATE_NOOP("Actions", "Writes a checkpoint of the selected runs after the present step"), "save",
         C::CanSave, QT_TRANSLATE_NOOP("Actions", "No selected run is training"), false, kGroup},
        {EvaluateRun, "evaluate-run", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "E&valuate"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_Return)),
         QT_TRANSLATE_NOOP("Actions", "Measures accuracy by context length at the newest checkpoint"), "evaluate",
         C::CanEvaluate, QT_TRANSLATE_NOOP("Actions", "No selected run has a checkpoint")},
        {ToggleCurve,
         "toggle-curve",
         Menu::Runs,
         QT_TRANSLATE_NOOP("Actions", "Show or hide c&urve"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Draws the curves of the selected runs, or leaves them out"),
         "eye",
         C::IsRunSelected,
         kNoRun},
        {OpenRunFolder,
         "open-run-folder",
         Menu::Runs,
         QT_TRANSLATE_NOOP("Actions", "Open &folder"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Opens the folder of the selected run in the file manager"),
         "folder",
         C::IsRunSelected,
         kNoRun,
         false,
         kGroup},
        {CopyCommand, "copy-command", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "Copy co&mmand"),
         keys(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)),
         QT_TRANSLATE_NOOP("Actions", "Copies the command line that trains the selected runs again"), "copy",
         C::IsRunSelected, kNoRun},
        {RemoveFromView,
         "remove-from-view",
         Menu::Runs,
         QT_TRANSLATE_NOOP("Actions", "&Remove from view"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Takes the selected runs out of the list; their files stay"),
         "remove",
         C::IsIdleRunSelected,
         QT_TRANSLATE_NOOP("Actions", "No run is selected, or stop it first"),
         false,
         kGroup},
        {DeleteRun, "delete-run", Menu::Runs, QT_TRANSLATE_NOOP("Actions", "&Delete…"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_Delete)),
         QT_TRANSLATE_NOOP("Actions",
                           "Asks, then moves the folders of the selected runs to the trash of the runs folder"),
         "trash", C::IsIdleRunSelected, QT_TRANSLATE_NOOP("Actions", "No run is selected, or stop it first")},
        {RestoreRun,
         "restore-run",
         Menu::Runs,
         QT_TRANSLATE_NOOP("Actions", "Undo de&lete"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Brings back the runs that were deleted last"),
         "restore",
         C::CanRestore,
         QT_TRANSLATE_NOOP("Actions", "No run was deleted")},

        {ExportFigure, "export-figure", Menu::Figure, QT_TRANSLATE_NOOP("Actions", "&Export figure…"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_E)),
         QT_TRANSLATE_NOOP("Actions", "Writes the figure on view as PNG, SVG or PDF, or its numbers as CSV or .npy"),
         "export", C::HasFigure, QT_TRANSLATE_NOOP("Actions", "There is no figure to export yet")},
        {CopyFigure, "copy-figure", Menu::Figure, QT_TRANSLATE_NOOP("Actions", "&Copy figure"),
         keys(QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_C)),
         QT_TRANSLATE_NOOP("Actions", "Puts the figure on view on the clipboard, as a picture"), "copy", C::HasFigure,
         QT_TRANSLATE_NOOP("Actions", "There is no figure to copy yet")},
        {PerIndexFigure,
         "per-index-figure",
         Menu::Figure,
         QT_TRANSLATE_NOOP("Actions", "&Loss by entry…"),
         {},
         QT_TRANSLATE_NOOP("Actions",
                           "Measures the loss at every place of a sequence, of the runs whose curves are shown"),
         "chart",
         C::Always,
         "",
         false,
         kGroup},
        {VarianceFigure,
         "variance-figure",
         Menu::Figure,
         QT_TRANSLATE_NOOP("Actions", "&Variance by length…"),
         {},
         QT_TRANSLATE_NOOP("Actions",
                           "Computes why squared logits keep a signal: variance by number of keys and power"),
         "chart",
         C::Always,
         ""},

        {Help, "help", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Guide"), keys(QKeySequence(Qt::Key_F1)),
         QT_TRANSLATE_NOOP("Actions", "Explains the experiment and the window"), "help", C::Always, ""},
        {Shortcuts, "shortcuts", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"),
         keys(QKeySequence(Qt::CTRL | Qt::Key_Question)), QT_TRANSLATE_NOOP("Actions", "Lists every key"), "keyboard",
         C::Always, ""},
        {Welcome,
         "welcome",
         Menu::Help,
         QT_TRANSLATE_NOOP("Actions", "&Welcome"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Shows the page of the first start"),
         "welcome",
         C::Always,
         ""},
        {About,
         "about",
         Menu::Help,
         QT_TRANSLATE_NOOP("Actions", "&About Lookback"),
         {},
         QT_TRANSLATE_NOOP("Actions", "Version, licence and libraries"),
         "info",
         C::Always,
         "",
         false,
         kGroup},
    };
}

} // namespace

std::span<const ActionRow> actionTable()
{
    static const std::vector<ActionRow> table = makeTable();
    return table;
}

const ActionRow &actionRow(ActionId id)
{
    return *std::ranges::find(actionTable(), id, &ActionRow::id);
}

const char *menuTitle(Menu menu)
{
    switch (menu) {
    case Menu::File:
        return QT_TRANSLATE_NOOP("Actions", "&File");
    case Menu::Edit:
        return QT_TRANSLATE_NOOP("Actions", "&Edit");
    case Menu::View:
        return QT_TRANSLATE_NOOP("Actions", "&View");
    case Menu::Experiment:
        return QT_TRANSLATE_NOOP("Actions", "E&xperiment");
    case Menu::Runs:
        return QT_TRANSLATE_NOOP("Actions", "&Runs");
    case Menu::Figure:
        return QT_TRANSLATE_NOOP("Actions", "Fi&gure");
    case Menu::Help:
        return QT_TRANSLATE_NOOP("Actions", "&Help");
    }
    return "";
}

} // namespace lookback::ui
