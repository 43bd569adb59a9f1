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
#include "ui/pages/attention_head_cache.h"

namespace lookback::ui {

class RunBridge;

/// Fetches what the attention page shows: first the example, then its maps. Answers to older questions are dropped by
/// their job number. Lives on the GUI thread.
///
/// Maps of up to kMostPositions positions come by layers, exact, the wanted layer before the others. Larger ones come
/// one head at a time, the wanted one only, in pieces from the wanted query on; they are kept in half precision within
/// kKeptBytes, and a picture is shown before all of its rows are there.
class AttentionLoader : public QObject {
    Q_OBJECT

public:
    /// Beyond, heads are asked for one at a time: 64 keys of the paper's task.
    static constexpr std::int64_t kMostPositions = 1024;
    /// All layers are kept below this, beyond, only the layer that is looked at; and heads that come one at a time.
    static constexpr std::int64_t kKeptBytes = 384LL * 1024 * 1024;
    /// One head beyond this is refused before it is asked for: with each row divided by its maximum it is needed twice.
    static constexpr std::int64_t kLargestHeadBytes = kKeptBytes / 2;

    explicit AttentionLoader(RunBridge *bridge, QObject *parent = nullptr);

    /// Asks for an example; what is known of the former one is kept until the answer comes. `wanted` comes first.
    void load(const analysis::ExampleKey &key, HeadChoice wanted);
    /// Forgets everything; answers under way are dropped.
    void clear();
    /// This head, or its layer, next, if it is not there yet. One that was cancelled is left alone until another was
    /// wanted or tryAgain() called.
    void want(HeadChoice head);
    /// The rows around this query come first when a head comes in pieces.
    void setQuery(std::int64_t query) { m_query = query; }
    void tryAgain();
    /// Takes back what is under way, in the service too; what has come stays. cancelled() follows.
    void cancel();

    std::shared_ptr<const analysis::Example> example() const { return m_example; }
    /// Maps come one head at a time, in pieces.
    bool isByHead() const { return m_example && m_example->positions > kMostPositions; }
    /// Empty if that layer is not there (yet), or heads come one at a time.
    const std::vector<PyramidPointer> &layer(std::int64_t layer) const;
    /// Null if it is not there (yet); not complete while pieces are missing.
    PyramidPointer head(HeadChoice head);
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
    /// The heads that come one at a time.
    const HeadCache &heads() const { return m_heads; }

Q_SIGNALS:
    void exampleReady(); ///< example() is new; its layers follow.
    void layerReady(qint64 layer);
    void headGrew(lookback::ui::HeadChoice head); ///< More rows of it are there.
    void headDropped(lookback::ui::HeadChoice head); ///< It left for others.
    void busyChanged();
    void failed(const QString &sentence);
    void cancelled();

private:
    void takeExample(const run::ExampleAnswer &answer);
    void takeMaps(const run::HeadMapsAnswer &answer);
    void takePyramids(quint64 job, const std::vector<PyramidPointer> &pyramids);
    void takePreparerFailure(quint64 job, const QString &sentence);
    void takeProgress(const run::ProbeStatus &status);
    void requestNext();
    void requestNextLayer();
    void requestHead(HeadChoice head);
    void takeRows(const run::HeadRowsAnswer &answer);
    void takeStrip(quint64 job, const StripPointer &strip);
    /// Why a head cannot be held; empty if it can.
    QString refusal(HeadChoice head) const;
    /// Takes all questions back; answers that come all the same are dropped.
    void dropQuestions();
    void fail(const QString &sentence);

    RunBridge *m_bridge;
    MapPreparer m_preparer;
    std::shared_ptr<const analysis::Example> m_example;
    std::vector<std::vector<PyramidPointer>> m_layers;
    HeadCache m_heads{kKeptBytes};
    HeadChoice m_wanted;
    std::int64_t m_query = 0;
    std::optional<run::JobId> m_exampleJob;
    std::map<run::JobId, std::int64_t> m_mapJobs; // job -> layer
    std::optional<run::JobId> m_newestMapJob;
    std::map<quint64, std::int64_t> m_preparing; // preparer's job -> layer
    struct HeadJob {
        run::JobId job = 0;
        HeadChoice head;
    };
    std::optional<HeadJob> m_headJob;
    std::map<quint64, HeadChoice> m_strips; // preparer's job -> head
    std::optional<HeadChoice> m_cancelledHead;
    std::optional<double> m_fraction; // of the question at hand
    QString m_failure;
    bool m_isCancelled = false;
    bool m_isExampleCurrent = false;
};

} // namespace lookback::ui
