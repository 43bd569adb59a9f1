// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/run/run_service.h"
#include "core/run/thinned_log.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

class RunBridge;

/// What the window knows of the runs: newest snapshots, whole logs, accuracy curves, and how each is drawn.
///
/// The one model behind the runs dock and all pages; lives on the GUI thread. A curve is its run id: it gets its style
/// when first shown and keeps it until it is removed, whatever is hidden, added or renamed.
class RunCollection : public QObject {
    Q_OBJECT

public:
    struct Run {
        run::RunSnapshot snapshot;
        run::ThinnedLog log; ///< Bounded, however long the run.
        const std::vector<run::MetricsRecord> &metrics() const { return log.records(); } ///< Strictly rising steps.
        /// Of the logged steps with the most unique keys the one with the highest digit accuracy, the earliest of
        /// equals. Values that are missing or not numbers never win.
        std::optional<run::MetricsRecord> best;
        std::vector<eval::AccuracyCurve> accuracy; ///< Evaluated checkpoints, ascending step.
        bool isShown = true; ///< Its curves are drawn.
        int styleIndex = 0; ///< Among runs of its variant.
        QString title; ///< "hybrid_square · seed 0", with a suffix if not unique.
        bool isLoaded = false; ///< Its log and accuracy were asked for.
        std::uint64_t arrival = 0; ///< Rises with each run that becomes known.
    };

    explicit RunCollection(RunBridge *bridge, QObject *parent = nullptr);

    /// Ids in list order (active first as started, then the others by name).
    const std::vector<run::RunId> &order() const { return m_order; }
    /// Null if unknown.
    const Run *find(const run::RunId &id) const;
    SeriesStyle styleOf(const run::RunId &id, const Theme &theme) const;
    const std::vector<model::VariantInfo> &variants() const { return m_variants; }
    /// Null if unknown.
    const model::VariantInfo *variant(const std::string &id) const;

    /// True while queued, initialising, running, paused or stopping.
    static bool isActive(run::RunState state);

    void setShown(const run::RunId &id, bool isShown);
    void select(const run::RunId &id);
    const run::RunId &selected() const { return m_selected; }

    /// Waiting and running evaluations, oldest first.
    const std::vector<run::EvaluationStatus> &evaluations() const { return m_evaluations; }

    /// Runs of a folder that was opened are drawn up to this many; further ones on request.
    static constexpr int kShownAtOpen = 12;

Q_SIGNALS:
    void orderChanged(); ///< Runs came or went.
    void runChanged(const lookback::run::RunId &id); ///< Its snapshot changed.
    void metricsChanged(const lookback::run::RunId &id);
    void accuracyChanged(const lookback::run::RunId &id);
    void shownChanged(const lookback::run::RunId &id);
    void selectionChanged(const lookback::run::RunId &id);
    void evaluationsChanged();
    void evaluationEnded(const lookback::run::EvaluationStatus &status); ///< Finished, cancelled or failed.

private:
    Run &insert(const run::RunSnapshot &snapshot);
    void load(Run &run);
    void replaceAll(const std::vector<run::RunSnapshot> &runs);
    void update(const std::vector<run::RunSnapshot> &runs);
    void remove(const std::vector<run::RunId> &runs);
    void addMetrics(const std::vector<run::MetricsUpdate> &updates);
    void addAccuracy(const std::vector<run::AccuracyUpdate> &updates);
    void updateEvaluations(const std::vector<run::EvaluationStatus> &evaluations);
    void sortOrder();
    /// Chosen once, when the run becomes known, so that no curve is renamed when another one goes.
    QString freeTitle(const run::RunSnapshot &snapshot) const;

    RunBridge *m_bridge;
    std::vector<model::VariantInfo> m_variants;
    std::vector<run::RunId> m_order;
    std::unordered_map<run::RunId, Run> m_runs;
    std::vector<run::EvaluationStatus> m_evaluations;
    run::RunId m_selected;
    std::uint64_t m_arrivals = 0;
};

} // namespace lookback::ui
