// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about heads that nobody waits for any more.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/attention_probe.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/probe_desk.h"
#include "core/run/run_folder.h"
#include "model_helpers_torch.h"

using namespace lookback;
namespace fs = std::filesystem;

namespace {

/// Gathers the events of a desk on the desk's own thread, and reacts there: so what a test does "after the first block"
/// happens exactly there, however the threads run.
class Listener {
public:
    explicit Listener(run::EventQueue &events) : m_events(events)
    {
        events.setWakeFunction([this] { take(); });
    }

    std::function<void(const run::ProbeStatus &)> onProgress; ///< Set while nothing is under way.
    std::vector<run::HeadRowsAnswer> pieces; ///< In the order of their coming; read while nothing is under way.

    void take()
    {
        const run::ServiceEvents events = m_events.take();
        for (const run::ProbeStatus &status : events.probes) {
            if (onProgress)
                onProgress(status);
        }
        const std::scoped_lock lock(m_mutex);
        for (const run::ExampleAnswer &answer : events.examples) {
            m_answered.push_back(answer.job);
            m_examples[answer.job] = answer.example;
        }
        for (const run::HeadMapsAnswer &answer : events.headMaps)
            m_answered.push_back(answer.job);
        for (const run::HeadRowsAnswer &answer : events.headRows) {
            pieces.push_back(answer);
            if (answer.isLast)
                m_answered.push_back(answer.job);
        }
        m_changed.notify_all();
    }

    std::shared_ptr<const analysis::Example> example(run::JobId job)
    {
        const std::scoped_lock lock(m_mutex);
        return m_examples[job];
    }

    /// Waits for the answer to `job`; all answers so far.
    std::vector<run::JobId> until(run::JobId job)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return std::ranges::find(m_answered, job) != m_answered.end(); });
        return m_answered;
    }

private:
    run::EventQueue &m_events;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<run::JobId> m_answered;
    std::map<run::JobId, std::shared_ptr<const analysis::Example>> m_examples;
};

} // namespace

class TestProbeDesk : public QObject {
    Q_OBJECT

    QTemporaryDir m_parent;
    analysis::ExampleKey m_key;

private Q_SLOTS:
    void initTestCase()
    {
        RunConfig config = helpers::smallConfig("hybrid_square_kda");
        config.key_digits = 3;
        run::RunRecord record;
        record.config = config;
        const run::RunFolder folder = run::RunFolder::create(m_parent.path().toStdString(), "probe", record);
        run::Checkpoint checkpoint;
        checkpoint.config = config;
        checkpoint.step = 3;
        for (const auto &[name, tensor] : helpers::peakedModel(config, at::kFloat).parameters())
            checkpoint.weights.push_back(run::storedTensor(name, tensor));
        fs::create_directories(folder.checkpointFile(3).parent_path());
        run::writeCheckpoint(folder.checkpointFile(3), checkpoint);
        m_key.runFolder = folder.path().string();
        m_key.n_keys = 130; // several blocks of rows
    }

    /// The run was made again under the same name: what is in memory belongs to the old one.
    void anotherCheckpointOfThatNameIsReadAnew()
    {
        const RunConfig config = helpers::smallConfig("hybrid_square");
        run::RunRecord record;
        record.config = config;
        const run::RunFolder folder = run::RunFolder::create(m_parent.path().toStdString(), "again", record);
        fs::create_directories(folder.checkpointFile(3).parent_path());
        const auto write = [&](std::uint64_t seed) {
            model::Transformer model(config, at::kFloat, at::kCPU);
            model.initialise(seed);
            run::Checkpoint checkpoint;
            checkpoint.config = config;
            checkpoint.step = 3;
            for (const auto &[name, tensor] : model.parameters())
                checkpoint.weights.push_back(run::storedTensor(name, tensor));
            run::writeCheckpoint(folder.checkpointFile(3), checkpoint);
        };
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        const auto seen = [&](run::JobId job, std::int64_t step) {
            desk.requestExample(job, {.runFolder = folder.path().string(), .step = step, .n_keys = 4});
            listener.until(job);
            return listener.example(job);
        };
        write(1);
        const auto first = seen(1, 3);
        QVERIFY(first);
        QCOMPARE(seen(2, 3), first); // at hand
        write(2);
        const auto second = seen(3, 3);
        QVERIFY(second && second->answers != first->answers);
        QCOMPARE(seen(4, -1), second); // the newest is that one
        fs::remove(folder.checkpointFile(3)); // what was read stays of use
        QCOMPARE(seen(5, 3), second);
    }

    void cancelledMapsHaveNoAnswer_data()
    {
        QTest::addColumn<qint64>("layer");
        QTest::newRow("recurrence") << qint64{0};
        QTest::newRow("softmax") << qint64{1};
    }
    void cancelledMapsHaveNoAnswer()
    {
        QFETCH(qint64, layer);
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        desk.requestExample(1, m_key);
        listener.until(1);
        int told = 0;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job != 2)
                return;
            ++told; // after its first block
            desk.cancel(2);
            desk.requestHeadMaps(3, m_key, 2); // comes after it in any case
        };
        desk.requestHeadMaps(2, m_key, layer);
        QCOMPARE(listener.until(3), (std::vector<run::JobId>{1, 3}));
        QCOMPARE(told, 1);
    }

    void anotherExampleEndsWhatIsUnderWay()
    {
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        analysis::ExampleKey other = m_key;
        other.sequence = 1;
        bool isAsked = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job == 2 && !std::exchange(isAsked, true))
                desk.requestExample(3, other);
        };
        desk.requestExample(1, m_key);
        listener.until(1);
        desk.requestHeadMaps(2, m_key, 1);
        QCOMPARE(listener.until(3), (std::vector<run::JobId>{1, 3}));
    }

    void anotherLayerOfTheSameExampleDoesNot()
    {
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        bool isAsked = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job == 2 && !std::exchange(isAsked, true))
                desk.requestHeadMaps(3, m_key, 0);
        };
        desk.requestExample(1, m_key);
        listener.until(1);
        desk.requestHeadMaps(2, m_key, 1);
        QCOMPARE(listener.until(3), (std::vector<run::JobId>{1, 2, 3}));
    }

    // A cancelled example leaves nothing half-made behind.
    void cancelledExample()
    {
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job != 1)
                return;
            desk.cancel(1); // after its first layer
            desk.requestHeadMaps(2, m_key, 1);
        };
        desk.requestExample(1, m_key);
        QCOMPARE(listener.until(2), std::vector<run::JobId>{2});
        desk.requestExample(3, m_key);
        QCOMPARE(listener.until(3), (std::vector<run::JobId>{2, 3}));
    }

    // Two panes beside each other: the questions of one leave those of the other alone, under way or waiting.
    void otherPaneDropsNothing()
    {
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        analysis::ExampleKey other = m_key;
        other.pane = analysis::Pane::Second;
        other.intervention = {.heads = {{1, 0}}, .removal = circuit::Removal::Uniform};
        bool isAsked = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job == 2 && !std::exchange(isAsked, true)) {
                desk.requestHeadMaps(3, m_key, 0); // waits
                desk.requestExample(4, other); // comes first of the two, and ends neither
                desk.cancelAll(analysis::Pane::Second);
                desk.requestExample(5, other);
            }
        };
        desk.requestExample(1, m_key);
        listener.until(1);
        desk.requestHeadMaps(2, m_key, 1);
        QCOMPARE(listener.until(3), (std::vector<run::JobId>{1, 2, 5, 3}));
    }

    // Each pane keeps its example: going to and fro between the panes computes nothing again.
    void panesKeepTheirExamples()
    {
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        analysis::ExampleKey other = m_key;
        other.pane = analysis::Pane::Second;
        other.intervention = {.heads = {{1, 0}}, .removal = circuit::Removal::Zero};
        std::map<run::JobId, int> told;
        listener.onProgress = [&](const run::ProbeStatus &status) { ++told[status.job]; };
        run::JobId job = 0;
        for (const int round : {0, 1}) {
            for (const analysis::ExampleKey &key : {m_key, other}) {
                desk.requestExample(++job, key);
                listener.until(job);
                QCOMPARE(told.contains(job), round == 0); // of an example at hand no layer is counted
            }
        }
        desk.requestExample(5, m_key);
        listener.until(5);
        desk.requestExample(6, other);
        listener.until(6);
        const auto first = listener.example(5);
        const auto second = listener.example(6);
        QVERIFY(first == listener.example(1) && second == listener.example(2)); // the very same objects
        QVERIFY(first->answers != second->answers);
        QCOMPARE(second->key.pane, analysis::Pane::Second); // so its maps are asked for by that pane
        QCOMPARE(second->key.intervention, other.intervention);
    }

    // A head comes in pieces, those around the query first; a row that is asked for meanwhile waits for one of them
    // only.
    void headComesInPieces()
    {
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        desk.requestExample(1, m_key);
        listener.until(1);
        bool isAsked = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job == 2 && !std::exchange(isAsked, true))
                desk.requestRow(3, m_key, 1, 2, 1500);
        };
        desk.requestHead(2, m_key, 1, 2, 1500);
        QCOMPARE(listener.until(2), (std::vector<run::JobId>{1, 3, 2}));
        std::vector<std::int64_t> firsts;
        for (const run::HeadRowsAnswer &answer : listener.pieces) {
            QVERIFY(answer.rows && answer.failure.empty());
            if (answer.job == 2)
                firsts.push_back(answer.rows->firstQuery);
        }
        QCOMPARE(firsts, (std::vector<std::int64_t>{1280, 1536, 1792, 0, 256, 512, 768, 1024}));
        const analysis::HeadRows &row = *listener.pieces[1].rows;
        QCOMPARE(listener.pieces[1].job, run::JobId{3});
        QVERIFY(row.firstQuery == 1500 && row.rows == 1 && row.layer == 1 && row.head == 2);
        // The numbers are the probe's.
        analysis::AttentionProbe probe(m_key.runFolder, -1, {"cpu", 1});
        probe.example(m_key.n_keys, m_key.sequence);
        const std::vector<float> exact = probe.headRow(1, 2, 1500);
        for (std::int64_t key = 0; key <= 1500; ++key) {
            QVERIFY(row.at(1500, key) == exact[static_cast<std::size_t>(key)]);
            QVERIFY(std::abs(row.at(1500, key) - listener.pieces[0].rows->at(1500, key)) < 1e-6F);
        }
    }

    void cancelledHeadEndsBetweenPieces()
    {
        run::EventQueue events;
        Listener listener(events);
        run::ProbeDesk desk(events);
        desk.requestExample(1, m_key);
        listener.until(1);
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job == 2)
                desk.cancel(2);
        };
        desk.requestHead(2, m_key, 1, 2, 0);
        desk.requestRow(3, m_key, 0, 1, 9); // of a recurrence; newest first or between two pieces
        QCOMPARE(listener.until(3), (std::vector<run::JobId>{1, 3}));
        desk.requestHead(4, m_key, 9, 0, 0); // no such layer
        listener.until(4);
        QVERIFY(!listener.pieces.back().rows && !listener.pieces.back().failure.empty());
        QVERIFY(std::ranges::count(listener.pieces, run::JobId{2}, &run::HeadRowsAnswer::job) <= 1);
    }

    void endsWhileMapsAreUnderWay()
    {
        run::EventQueue events;
        Listener listener(events);
        std::mutex mutex;
        std::condition_variable changed;
        bool hasBegun = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            const std::scoped_lock lock(mutex);
            hasBegun = hasBegun || status.job == 2;
            changed.notify_all();
        };
        run::ProbeDesk desk(events);
        desk.requestHeadMaps(2, m_key, 1);
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return hasBegun; });
    }
};

QTEST_GUILESS_MAIN(TestProbeDesk)
#include "test_probe_desk_torch.moc"
