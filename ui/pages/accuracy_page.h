// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>

#include <map>
#include <memory>
#include <set>

#include "ui/bridge/run_bridge.h"
#include "ui/charts/line_chart.h"
#include "ui/models/accuracy_model.h"
#include "ui/models/run_collection.h"
#include "ui/pages/page.h"
#include "ui/pages/view_history.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QSplitter;
class QToolButton;
class QTreeView;

namespace lookback::ui {

class ComparisonPanel;
class EvaluationPanel;

/// Accuracy by context length of own runs and published ones: the list at the left is legend, switch and table at the
/// pointer in one; below it evaluations are asked for and two curves are compared.
class AccuracyPage : public Page {
    Q_OBJECT

public:
    AccuracyPage(RunBridge *bridge, RunCollection *runs, QWidget *parent = nullptr);
    ~AccuracyPage() override;

    std::unique_ptr<Figure> figure() const override;
    bool canZoom() const override { return true; }
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;
    bool canGoBack() const override { return m_history.canGoBack(); }
    bool canGoForward() const override { return m_history.canGoForward(); }
    void goBack() override;
    void goForward() override;
    QVariantMap viewState() const override;
    void restoreViewState(const QVariantMap &state) override;

    /// Opens the dialog that asks what to evaluate, with that run chosen (empty: the selected one).
    void askForEvaluation(const run::RunId &id = {});

    LineChart *chart() const { return m_chart; }
    const AccuracyModel *model() const { return m_model; }

protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    struct View {
        bool isFollowing = true;
        Range tokens;
        std::optional<Range> share;
        bool operator==(const View &) const = default;
    };
    /// What the axes above and below are made from; shared with the chart's functions.
    struct AxisFacts {
        std::vector<std::int64_t> n_keys;
        std::int64_t tokensPerKey = 16;
    };

    QWidget *makeList();
    QWidget *makeBar();
    LineChart::Abscissa abscissa() const;
    LineChart::Quantity quantity() const;

    void noteChange();
    void rebuild();
    std::vector<AccuracyModel::Entry> ownEntries() const;
    std::vector<AccuracyModel::Entry> publishedEntries() const;
    /// Own rows with one more before each group of shown seeds, whose curves become hair lines.
    std::vector<AccuracyModel::Entry> withBands(std::vector<AccuracyModel::Entry> own) const;
    void drawEntries();
    std::vector<AccuracyFigureCurve> shownCurves() const;
    void showValuesAt();
    void showEvaluations();
    void setShown(const QString &key, bool isShown);
    void setAllPublished(bool isShown);
    void setErrorRate(bool isErrorRate);
    void selectKey(const QString &key);
    void showNumbers();
    View currentView() const;
    void applyView(const View &view);

    RunBridge *m_bridge;
    RunCollection *m_runs;
    XView *m_view;
    std::shared_ptr<AxisFacts> m_facts;
    LineChart *m_chart;
    AccuracyModel *m_model;
    QTreeView *m_list = nullptr;
    QLabel *m_pointerText = nullptr;
    QLabel *m_caption = nullptr;
    QPushButton *m_evaluate = nullptr;
    QPushButton *m_seeds = nullptr;
    QPushButton *m_allPublished = nullptr;
    ComparisonPanel *m_comparison = nullptr;
    EvaluationPanel *m_evaluation = nullptr;
    QToolButton *m_exact = nullptr;
    QToolButton *m_error = nullptr;
    QCheckBox *m_intervals = nullptr;
    QCheckBox *m_labels = nullptr;
    QToolButton *m_numbers = nullptr;
    QToolButton *m_export = nullptr;
    QSplitter *m_splitter = nullptr;
    std::map<QString, bool> m_switched; ///< Curves that the user switched; others are on by default.
    std::map<run::JobId, std::vector<std::int64_t>> m_requested; ///< Lengths that were asked for here.
    std::set<run::JobId> m_drawnJobs; ///< Evaluations that the axes know of.
    QString m_selectedKey;
    bool m_isErrorRate = false;
    bool m_isStale = true;
    ViewHistory<View> m_history;
};

} // namespace lookback::ui
