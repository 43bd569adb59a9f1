// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/run_service.h"
#include "ui/heatmap/map_preparer.h"

namespace lookback::ui {

class RunBridge;

/// Fetches what the attention page shows: first the example, then the maps of its layers one after another, the wanted
/// layer before the others. Answers to older questions are dropped by their job number. Lives on the GUI thread.
class AttentionLoader : public QObject {
    Q_OBJECT

public:
    /// All layers are kept below this; beyond, only the layer that is looked at.
    static constexpr std::int64_t kKeptBytes = 384LL * 1024 * 1024;
    /// One layer beyond this is refused before it is asked for.
    static constexpr std::int64_t kLargestLayerBytes = 1536LL * 1024 * 1024;

    explicit AttentionLoader(RunBridge *bridge, QObject *parent = nullptr);

    /// Asks for an example; what is known of the former one is kept until the answer comes. `wantedLayer` comes first.
    void load(const analysis::ExampleKey &key, std::int64_t wantedLayer);
    /// Forgets everything; answers under way are dropped.
    void clear();
    /// This layer next, if it is not there yet.
    void want(std::int64_t layer);
    /// Takes back what is under way, in the service too; what has come stays. cancelled() follows.
    void cancel();

    std::shared_ptr<const analysis::Example> example() const { return m_example; }
    /// Empty if that layer is not there (yet).
    const std::vector<PyramidPointer> &layer(std::int64_t layer) const;
    bool isExamplePending() const { return m_exampleJob.has_value(); }
    /// example() answers the last question; false while it is pending, and after it failed or was cancelled.
    bool isExampleCurrent() const { return m_isExampleCurrent; }
    /// A question is under way.
    bool isBusy() const;
    /// What is under way, in words; empty if nothing is.
    QString busyText() const;
    /// How far the question at hand is, 0..1; empty while not known.
    std::optional<double> busyFraction() const;
    /// The last question was taken back by cancel().
    bool isCancelled() const { return m_isCancelled; }
    /// Why the last question has no answer; empty if it has, or was cancelled.
    const QString &failure() const { return m_failure; }

    /// The maps of all layers of the example are kept; else only those of the layer that is looked at.
    bool keepsAllLayers() const;
    /// Bytes of one layer's maps at `positions` query-key positions, pyramids included.
    static std::int64_t layerBytes(std::int64_t positions, std::int64_t heads);

Q_SIGNALS:
    void exampleReady(); ///< example() is new; its layers follow.
    void layerReady(qint64 layer);
    void busyChanged();
    void failed(const QString &sentence);
    void cancelled();

private:
    void takeExample(const run::ExampleAnswer &answer);
    void takeMaps(const run::HeadMapsAnswer &answer);
    void takePyramids(quint64 job, const std::vector<PyramidPointer> &pyramids);
    void takePreparerFailure(quint64 job, const QString &sentence);
    void takeProgress(const run::ProbeStatus &status);
    void requestNextLayer();
    /// Why no layer of the example can be held; empty if one can.
    QString refusal() const;
    /// Takes all questions back; answers that come all the same are dropped.
    void dropQuestions();
    void fail(const QString &sentence);

    RunBridge *m_bridge;
    MapPreparer m_preparer;
    std::shared_ptr<const analysis::Example> m_example;
    std::vector<std::vector<PyramidPointer>> m_layers;
    std::int64_t m_wanted = 0;
    std::optional<run::JobId> m_exampleJob;
    std::map<run::JobId, std::int64_t> m_mapJobs; // job -> layer
    std::optional<run::JobId> m_newestMapJob;
    std::map<quint64, std::int64_t> m_preparing; // preparer's job -> layer
    std::optional<double> m_fraction; // of the question at hand
    QString m_failure;
    bool m_isCancelled = false;
    bool m_isExampleCurrent = false;
};

} // namespace lookback::ui
