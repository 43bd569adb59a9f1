// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

#include "ui/heatmap/head_score_grid.h"
#include "ui/models/head_words.h"
#include "ui/pages/circuit_loader.h"
#include "ui/pages/page.h"
#include "ui/pages/view_history.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QSpinBox;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace lookback::ui {

class BusyStrip;
class CircuitTimeline;
class ContextPanel;
class ElidedText;
class EmptyState;
class FailuresPanel;
class HeadTableModel;
class HeadTableView;
class PageBar;
class PatchDialog;
class RemovalPanel;
class RunBridge;
class RunCollection;
class SideArea;
class SmallestSetsDialog;
class ToggleButton;

/// The Circuit tab: what each head of a checkpoint does, whether it matters, and how it came about. Time at the left,
/// the grid of heads in the middle, one removal at the right, the table of heads or the wrong answers below. The chosen
/// heads are the same everywhere. Everything is asked from the run service; a hidden page asks for nothing.
class CircuitPage : public Page {
    Q_OBJECT

public:
    /// What Export writes.
    enum class FigureKind { Grid, Timeline, Strip, Table, Context };
    /// What stands below grid and chart.
    enum class Below { Heads, Context, Failures };

    /// Both must outlive the page.
    CircuitPage(RunBridge *bridge, RunCollection *collection, QWidget *parent = nullptr);
    ~CircuitPage() override;

    std::unique_ptr<Figure> figure() const override;
    bool canGoBack() const override { return m_history.canGoBack(); }
    bool canGoForward() const override { return m_history.canGoForward(); }
    void goBack() override;
    void goForward() override;
    QVariantMap viewState() const override;
    void restoreViewState(const QVariantMap &state) override;

    void setRun(const run::RunId &run);
    /// A checkpoint of the run.
    void setStep(std::int64_t step);
    void setKeys(std::int64_t n_keys);
    void setSequences(std::int64_t sequences);
    void setQuantity(GridQuantity quantity);
    /// The heads that are chosen and removed.
    void setChosen(const std::vector<circuit::HeadId> &chosen);
    const std::vector<circuit::HeadId> &chosen() const { return m_chosen; }
    void setFigureKind(FigureKind kind) { m_figureKind = kind; }
    void showBelow(Below below);

    const CircuitLoader &loader() const { return m_loader; }
    HeadScoreGrid *grid() const { return m_grid; }
    CircuitTimeline *timeline() const { return m_timeline; }
    RemovalPanel *removal() const { return m_removal; }
    HeadTableView *table() const { return m_table; }
    FailuresPanel *failures() const { return m_failures; }
    ContextPanel *context() const { return m_context; }
    QSize minimumSizeHint() const override;

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    /// A place in the view history.
    struct View {
        run::RunId run;
        std::int64_t step = -1;
        std::int64_t n_keys = 0;
        std::int64_t sequences = 0;
        GridQuantity quantity;
        circuit::Removal removal = circuit::Removal::Zero;
        std::vector<circuit::HeadId> chosen;
        bool isChosenByUser = false;
        std::int64_t example = 0;
        Below below = Below::Heads;
        circuit::HeadMeasure contextMeasure = circuit::HeadMeasure::SourceWeight;
        bool isContextOfChosen = false;
        bool operator==(const View &) const = default;
    };

    // circuit_page_layout.cpp
    void build();
    void buildBar();
    QWidget *buildGrid();
    QWidget *buildTable();
    void arrange();
    // circuit_page.cpp
    void connectAll();
    void refreshRuns();
    void runChanged(const run::RunId &id);
    void followNewest();
    void refreshRun();
    void reload();
    bool showEmptyStateIfNeeded();
    void pressEmptyButton();
    // circuit_page_state.cpp
    void take(CircuitPart part);
    /// The removals that the grid shows; null: none that fit these heads.
    std::shared_ptr<const circuit::KnockoutGrid> shownEffects() const;
    /// The same if they are of the very checkpoint, n and sequences of the heads; else null.
    std::shared_ptr<const circuit::KnockoutGrid> effectsOfHeads() const;
    void refreshHeads();
    void refreshTitles();
    void refreshRemoval();
    void refreshSelection();
    void chooseLargest();
    void chooseByUser(const std::vector<circuit::HeadId> &chosen);
    void takeTableSelection();
    /// What the grid shows now: while checkpoints are played it is a measure.
    GridQuantity shownQuantity() const;
    void refreshContext();
    void searchSets();
    void patch();
    void showPatched();
    // circuit_page_figures.cpp
    /// Whether there is something to draw of that kind.
    bool has(FigureKind kind) const;
    void showNumbers();
    // circuit_page_history.cpp
    View currentView() const;
    void goTo(const View &view);
    /// The user changed what is looked at: a step of the history.
    void noteView();
    /// It changed by itself: no step.
    void settleView();

    RunBridge *m_bridge;
    RunCollection *m_collection;
    CircuitLoader m_loader;
    QTimer m_logTimer; ///< A growing log is drawn now and then, not line by line:
    bool m_isLogStale = false; ///< it grew since it was drawn.

    run::RunId m_run;
    std::int64_t m_step = -1; ///< -1: there is none yet.
    std::vector<std::int64_t> m_knownSteps;
    std::optional<std::int64_t> m_keys; ///< Empty = the run's own.
    std::int64_t m_sequences = 256;
    GridQuantity m_quantity; ///< Empty: the change when removed.
    circuit::Removal m_removalKind = circuit::Removal::Zero;
    std::vector<circuit::HeadId> m_chosen;
    bool m_isChosenByUser = false;
    bool m_isStepChosen = false; ///< By the user; else the newest one when the page is shown.
    bool m_isWaitingForShow = false;
    bool m_isSelecting = false; ///< The table's selection is ours.
    FigureKind m_figureKind = FigureKind::Grid;

    PageBar *m_bar = nullptr;
    QComboBox *m_runs = nullptr;
    QSpinBox *m_keysField = nullptr;
    QSpinBox *m_sequencesField = nullptr;
    QComboBox *m_quantities = nullptr;
    QToolButton *m_again = nullptr;
    QToolButton *m_numbers = nullptr;
    QToolButton *m_export = nullptr;
    QStackedWidget *m_stack = nullptr;
    EmptyState *m_empty = nullptr;
    QSplitter *m_split = nullptr;
    CircuitTimeline *m_timeline = nullptr;
    HeadScoreGrid *m_grid = nullptr;
    QLabel *m_gridTitle = nullptr;
    ElidedText *m_gridNote = nullptr;
    QWidget *m_key = nullptr;
    RemovalPanel *m_removal = nullptr;
    SideArea *m_removalScroll = nullptr;
    ToggleButton *m_headsTab = nullptr;
    ToggleButton *m_contextTab = nullptr;
    ToggleButton *m_failuresTab = nullptr;
    ElidedText *m_tableNote = nullptr;
    BusyStrip *m_busy = nullptr;
    QLineEdit *m_filter = nullptr;
    QStackedWidget *m_below = nullptr;
    HeadTableModel *m_model = nullptr;
    QSortFilterProxyModel *m_proxy = nullptr;
    HeadTableView *m_table = nullptr;
    ContextPanel *m_context = nullptr;
    FailuresPanel *m_failures = nullptr;
    QPointer<SmallestSetsDialog> m_sets;
    QPointer<PatchDialog> m_patch;
    circuit::PatchRequest m_patchRequest{.part = circuit::PatchPart::Pattern,
                                         .difference = circuit::PatchDifference::Key}; ///< As asked for last.

    ViewHistory<View> m_history;
    View m_view; ///< Last noted or settled.
    bool m_isGoing = false; ///< Many things change at once: nothing is asked or noted until the end.
};

} // namespace lookback::ui
