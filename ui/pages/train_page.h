// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>

#include <map>
#include <optional>
#include <vector>

#include "ui/charts/line_chart.h"
#include "ui/models/run_collection.h"
#include "ui/pages/page.h"
#include "ui/pages/training_bands.h"
#include "ui/pages/view_history.h"

class QComboBox;
class QLabel;
class QSlider;
class QSplitter;
class QStackedLayout;
class QToolButton;

namespace lookback::ui {

class ReadoutFrame;

/// Live loss above live accuracy of all shown runs over one step axis.
///
/// While hidden it only notes what changed; showing it catches up. Log lines are passed on as they arrive, never a
/// whole log again.
class TrainPage : public Page {
    Q_OBJECT

public:
    explicit TrainPage(RunCollection *runs, QWidget *parent = nullptr);
    ~TrainPage() override;

    std::unique_ptr<Figure> figure() const override;
    bool canZoom() const override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;
    bool canGoBack() const override { return m_history.canGoBack(); }
    bool canGoForward() const override { return m_history.canGoForward(); }
    void goBack() override;
    void goForward() override;
    QVariantMap viewState() const override;
    void restoreViewState(const QVariantMap &state) override;

    LineChart *lossChart() const { return m_loss; }
    LineChart *accuracyChart() const { return m_accuracy; }

protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    /// How far a run's log has been passed to the charts.
    struct Passed {
        std::size_t count = 0;
        std::optional<run::MetricsRecord> last;
        bool operator==(const Passed &) const = default;
    };
    struct View {
        bool isFollowing = true;
        Range steps;
        std::optional<Range> loss;
        std::optional<Range> accuracy;
        bool operator==(const View &) const = default;
    };

    QWidget *makeBar();
    void noteChange(const run::RunId &id);
    void updateCurves();
    void passMetrics(const run::RunId &id);
    void updateSteps();
    void updateStages();
    void updateReadout();
    /// How many seeds of each band learned, in the tooltip of the switch.
    void updateSeedWords();
    void placeReadout();
    QString labelOf(const run::RunId &id) const;
    void setLogSteps(bool isLog);
    void setSmoothing(int percent);
    void showNumbers();
    View currentView() const;
    void applyView(const View &view);

    RunCollection *m_runs;
    XView *m_view;
    LineChart *m_loss;
    LineChart *m_accuracy;
    ReadoutFrame *m_readout;
    QSplitter *m_splitter;
    QStackedLayout *m_stack;
    QToolButton *m_follow = nullptr;
    QToolButton *m_seeds = nullptr;
    QToolButton *m_numbers = nullptr;
    QToolButton *m_export = nullptr;
    QComboBox *m_steps = nullptr;
    QSlider *m_smoothing = nullptr;
    QLabel *m_smoothingText = nullptr;
    std::map<run::RunId, Passed> m_passed;
    TrainingBands m_bands; ///< Empty unless seeds are drawn as bands.
    int m_readoutCorner = 0; ///< Of the four of each plot, from 1.
    bool m_isStale = true; ///< Something changed while hidden.
    ViewHistory<View> m_history;
};

} // namespace lookback::ui
