// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

#include "ui/heatmap/head_grid.h"
#include "ui/heatmap/head_map_view.h"
#include "ui/heatmap/map_preparer.h"
#include "ui/pages/attention_page_bar.h"
#include "ui/pages/attention_page_exact.h"
#include "ui/pages/attention_page_loader.h"
#include "ui/pages/attention_page_rows.h"
#include "ui/pages/page.h"

class QHBoxLayout;
class QLabel;
class QScrollArea;
class QStackedWidget;

namespace lookback::ui {

class AttentionComparison;
class BusyStrip;
class CompareMenu;
class ComparePanel;
class ComparePanes;
class ElidedText;
class EmptyState;
class ExamplePanel;
class PredictionPanel;
class RowBars;
class RunBridge;
class RunCollection;

/// The Attention tab: the heads of one checkpoint on one evaluation sequence. Choose at the left, look in the middle,
/// read at the right and below. Everything is asked from the run service; a hidden page asks for nothing.
class AttentionPage : public Page {
    Q_OBJECT

public:
    /// Both must outlive the page.
    AttentionPage(RunBridge *bridge, RunCollection *collection, QWidget *parent = nullptr);
    ~AttentionPage() override;

    std::unique_ptr<Figure> figure() const override;
    bool canZoom() const override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;
    bool canGoBack() const override;
    bool canGoForward() const override;
    void goBack() override;
    void goForward() override;
    QVariantMap viewState() const override;
    void restoreViewState(const QVariantMap &state) override;

    HeadMapView *view() const { return m_view; }
    HeadGrid *grid() const;
    /// The reading of the pointer cell, as it stands under the map.
    QString sentence() const;
    /// Picture and readings belong to the current choice; nothing is under way.
    bool isUpToDate() const;

    void setRun(const run::RunId &run);
    void setCheckpoint(std::int64_t step);
    void setKeys(std::int64_t n_keys);
    void setSequence(std::int64_t sequence);
    /// Index among the example's answers, and the value digit.
    void chooseAnswer(int answer, std::int64_t digit);
    void chooseHead(HeadChoice choice);
    void showExample(const ExampleTarget &target) override;
    void takeCircuitHeads(const circuit::Intervention &heads) override;
    AttentionComparison *comparison() const { return m_comparison; }
    ComparePanes *panes() const { return m_panes; }

    QSize minimumSizeHint() const override;

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    /// A place in the view history.
    struct Place {
        HeadChoice head;
        MapCell cell;
        bool operator==(const Place &) const = default;
    };

    void build();
    void connectAll();
    // What is asked for.
    void refreshRuns();
    void runChanged(const run::RunId &id);
    void reload(bool isForced = false);
    bool showEmptyStateIfNeeded();
    void pressEmptyButton();
    // What has come.
    void takeExample();
    void takeLayer(std::int64_t layer);
    void takeHead(HeadChoice head);
    void beginShowing();
    void takeFailure(const QString &sentence);
    void takeCancel();
    /// The picture, if any, is of the sequence that was asked for last.
    bool isShownCurrent() const;
    void showHead();
    void chooseLookingBackHead();
    void chooseWantedEntry();
    void showValues(PyramidPointer values);
    void applyColours();
    void refreshScale();
    void setStale(bool isStale);
    void dim();
    // What is read.
    void cellMoved(MapCell cell);
    void refreshReading();
    /// The exact row of a query of the map on view: from the map in memory, or one that was asked for; null if neither.
    RowPointer exactRow(std::int64_t query) const;
    /// Asks for the rows that are read, where the map is in half precision.
    void wantRows();
    /// The cell that the sentence is about.
    MapCell readCell() const;
    QString sentenceAt(MapCell cell) const;
    QString valueWords(MapCell cell) const;
    void stepAnswer(int step);
    void stepHead(int step);
    void nextWrong();
    void remember();
    void goTo(const Place &place);
    void refreshTitle();
    // Beside another map (attention_page_compare.cpp).
    void buildComparison();
    void connectComparison();
    void tellComparison();
    std::unique_ptr<Figure> comparisonFigure() const;
    std::unique_ptr<Figure> figureOf(std::shared_ptr<const analysis::HeadMap> map, PyramidPointer values) const;
    void showNumbers();
    void refreshBusy();
    void saveNumbers(std::shared_ptr<const Figure> figure);
    void arrange();

    RunBridge *m_bridge;
    RunCollection *m_collection;
    AttentionLoader m_loader;
    ExactRows m_rows;
    ExactMapFetch m_exactMap; // for the numbers of a large map
    MapCell m_paneCell; // under the pointer in one of the panes beside each other
    MapPreparer m_preparer; // row-normalised maps
    quint64 m_normaliseJob = 0;
    QTimer m_dimTimer;
    QTimer m_sentenceTimer; // the sentence turns grey when its own row takes longer than this

    // the question
    run::RunId m_run;
    std::int64_t m_step = -1;
    std::optional<std::int64_t> m_keys; // empty = the run's own
    std::int64_t m_sequence = 0;
    std::optional<analysis::ExampleKey> m_asked; // with the step that -1 stood for
    bool m_isWaitingForShow = false;

    // the answer
    std::shared_ptr<const analysis::Example> m_shown; // what map, bars and grid show
    int m_answer = 0;
    std::int64_t m_digit = 0;
    std::optional<std::int64_t> m_wantedEntry; // whose answer to choose, until its example is there
    std::optional<HeadChoice> m_wantedHead; // remembered, until there is an example
    bool m_isHeadChosen = false; // by the user, now or in the session before
    bool m_isChoosingItself = false; // a change of head is ours, not the user's
    run::RunId m_headFoundFor; // the run whose retrieving head was chosen by itself
    bool m_isUpToDate = false;
    std::vector<Place> m_places;
    std::size_t m_place = 0;
    bool m_isRemembering = true;
    std::vector<std::int64_t> m_knownSteps;

    ExamplePanel *m_examplePanel = nullptr;
    QScrollArea *m_exampleScroll = nullptr;
    MapBar *m_bar = nullptr;
    QStackedWidget *m_stack = nullptr;
    EmptyState *m_empty = nullptr;
    QHBoxLayout *m_titleRow = nullptr;
    QLabel *m_headTitle = nullptr;
    ElidedText *m_headWords = nullptr;
    BusyStrip *m_busy = nullptr;
    HeadMapView *m_view = nullptr;
    ComparePanel *m_comparePanel = nullptr;
    ComparePanes *m_panes = nullptr;
    CompareMenu *m_compareMenu = nullptr;
    AttentionComparison *m_comparison = nullptr;
    RowBars *m_bars = nullptr;
    QLabel *m_sentence = nullptr;
    PredictionPanel *m_prediction = nullptr;
    QScrollArea *m_predictionScroll = nullptr;
    bool m_isPredictionWanted = false; // in a narrow window
};

} // namespace lookback::ui
