// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about circuits on a thread of their own: answers, what is taken back, and what makes way.
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint_torch.h"
#include "core/run/circuit_desk.h"
#include "core/run/run_folder.h"
#include "model_helpers_torch.h"

using namespace lookback;
namespace fs = std::filesystem;

namespace {

/// Gathers the events of a desk on the desk's own thread, and reacts there: so what a test does "after the first
/// progress" happens exactly there, however the threads run.
class Listener {
public:
    explicit Listener(run::EventQueue &events) : m_events(events)
    {
        events.setWakeFunction([this] { take(); });
    }

    std::function<void(const run::ProbeStatus &)> onProgress; ///< Set while nothing is under way.

    void take()
    {
        const run::ServiceEvents events = m_events.take();
        for (const run::ProbeStatus &status : events.probes) {
            if (onProgress)
                onProgress(status);
        }
        const std::scoped_lock lock(m_mutex);
        for (const run::CircuitAnswer &answer : events.circuit) {
            if (!answer.isComplete)
                continue;
            m_order.push_back(answer.job);
            m_answers[answer.job] = answer;
        }
        m_changed.notify_all();
    }

    run::CircuitAnswer answerTo(run::JobId job)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_answers.contains(job); });
        return m_answers[job];
    }
    /// Complete answers as they came.
    std::vector<run::JobId> order()
    {
        const std::scoped_lock lock(m_mutex);
        return m_order;
    }

private:
    run::EventQueue &m_events;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<run::JobId> m_order;
    std::map<run::JobId, run::CircuitAnswer> m_answers;
};

} // namespace

class TestCircuitDesk : public QObject {
    Q_OBJECT

    QTemporaryDir m_parent;
    run::RunId m_run;
    RunConfig m_config;

    run::CircuitQuestion question(run::CircuitTask task, std::int64_t step = -1) const
    {
        return {.run = m_run, .step = step, .task = std::move(task)};
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_config = helpers::smallConfig("hybrid_square");
        m_config.key_digits = 2;
        run::RunRecord record;
        record.config = m_config;
        const run::RunFolder folder = run::RunFolder::create(m_parent.path().toStdString(), "circuit", record);
        run::Checkpoint checkpoint;
        checkpoint.config = m_config;
        for (const auto &[name, tensor] : helpers::peakedModel(m_config, at::kFloat).parameters())
            checkpoint.weights.push_back(run::storedTensor(name, tensor));
        for (const std::int64_t step : {1, 2, 4}) {
            checkpoint.step = step;
            fs::create_directories(folder.checkpointFile(step).parent_path());
            run::writeCheckpoint(folder.checkpointFile(step), checkpoint);
        }
        m_run = folder.path().string();
    }

    /// The run was made again under the same name: what is in memory belongs to the old one.
    void anotherCheckpointOfThatNameIsReadAnew()
    {
        run::RunRecord record;
        record.config = m_config;
        const run::RunFolder folder = run::RunFolder::create(m_parent.path().toStdString(), "again", record);
        fs::create_directories(folder.checkpointFile(3).parent_path());
        run::EventQueue events;
        Listener listener(events);
        run::CircuitDesk desk(events, [] { return 1; });
        std::vector<circuit::ExampleUnder> seen;
        for (const std::uint64_t seed : {1, 2}) {
            model::Transformer model(m_config, at::kFloat, at::kCPU);
            model.initialise(seed);
            run::Checkpoint checkpoint;
            checkpoint.config = m_config;
            checkpoint.step = 3;
            for (const auto &[name, tensor] : model.parameters())
                checkpoint.weights.push_back(run::storedTensor(name, tensor));
            run::writeCheckpoint(folder.checkpointFile(3), checkpoint);
            desk.ask(seed,
                     {.run = folder.path().string(),
                      .step = 3,
                      .task = run::ExampleUnderRequest{.n_keys = 4, .sequence = 0, .intervention = {}}});
            const run::CircuitAnswer answer = listener.answerTo(seed);
            QVERIFY2(answer.result, answer.failure.c_str());
            seen.push_back(std::get<circuit::ExampleUnder>(*answer.result));
        }
        QVERIFY(seen.front().before.answers != seen.back().before.answers);
    }

    void answersEveryKind()
    {
        run::EventQueue events;
        Listener listener(events);
        run::CircuitDesk desk(events, [] { return 1; });
        const auto heads = static_cast<std::size_t>(m_config.pairs * m_config.query_heads);
        desk.ask(1, question(circuit::HeadRequest{.n_keys = 4, .sequences = 8}));
        const run::CircuitAnswer measured = listener.answerTo(1);
        QVERIFY2(measured.result, measured.failure.c_str());
        QCOMPARE(std::get<circuit::HeadTable>(*measured.result).heads.size(), heads);
        QCOMPARE(std::get<circuit::HeadTable>(*measured.result).step, 4);

        desk.ask(2, question(circuit::GridRequest{.n_keys = 4, .sequences = 8}, 2));
        const run::CircuitAnswer grid = listener.answerTo(2);
        QCOMPARE(std::get<circuit::KnockoutGrid>(*grid.result).heads.size(), heads);
        QCOMPARE(std::get<circuit::KnockoutGrid>(*grid.result).step, 2);

        const circuit::Intervention intervention{.heads = {{1, 0}}, .removal = circuit::Removal::Zero};
        desk.ask(3, question(circuit::KnockoutRequest{.intervention = intervention, .n_keys = {4}, .sequences = 8}, 2));
        const run::CircuitAnswer knockout = listener.answerTo(3);
        const auto &points = std::get<circuit::Knockout>(*knockout.result).points;
        QCOMPARE(points.size(), std::size_t(1));
        // One head alone has the numbers of the grid.
        const auto &each = std::get<circuit::KnockoutGrid>(*grid.result).heads;
        const auto same = std::ranges::find(each, circuit::HeadId{1, 0}, &circuit::HeadEffect::id);
        QCOMPARE(points.front().after.exact, same->point.after.exact);

        desk.ask(4, question(run::ExampleUnderRequest{.n_keys = 4, .sequence = 1, .intervention = intervention}));
        const run::CircuitAnswer example = listener.answerTo(4);
        QCOMPARE(std::get<circuit::ExampleUnder>(*example.result).after.key.sequence, 1);

        desk.ask(5, question(circuit::TimelineRequest{.heads = {.n_keys = 4, .sequences = 8}}));
        const run::CircuitAnswer timeline = listener.answerTo(5);
        QCOMPARE(std::get<std::vector<circuit::HeadTable>>(*timeline.result).size(), std::size_t(3));

        desk.ask(6, question(circuit::FailureRequest{.n_keys = 4, .sequences = 8}));
        const run::CircuitAnswer failures = listener.answerTo(6);
        QCOMPARE(std::get<circuit::Failures>(*failures.result).answers, 32);

        desk.ask(7, question(circuit::SearchRequest{.n_keys = 4, .sequences = 4}));
        QVERIFY(listener.answerTo(7).result);

        desk.ask(8,
                 question(circuit::ContextRequest{
                     .lengths = {{.n_keys = 8, .sequences = 4}, {.n_keys = 4, .sequences = 8}}}));
        const run::CircuitAnswer byContext = listener.answerTo(8);
        const auto &tables = std::get<circuit::ContextHeads>(*byContext.result).tables;
        QCOMPARE(tables.size(), std::size_t(2));
        QCOMPARE(tables.back().request.n_keys, 8);
        QVERIFY(tables.front() == std::get<circuit::HeadTable>(*measured.result)); // ascending n, the same numbers

        desk.ask(9, question(circuit::PatchRequest{.heads = {{1, 0}}, .n_keys = 4, .sequences = 4}));
        const run::CircuitAnswer patched = listener.answerTo(9);
        QCOMPARE(std::get<circuit::PatchResult>(*patched.result).effects.size(), std::size_t(1));

        desk.ask(10, question(run::ExampleMapRequest{.n_keys = 4, .sequence = 1, .head = {1, 0}}, 2));
        const run::CircuitAnswer map = listener.answerTo(10);
        QCOMPARE(std::get<analysis::HeadMap>(*map.result).queries, m_config.contextTokens(4) - 1);
        QCOMPARE(std::get<analysis::HeadMap>(*map.result).layer, 1);

        desk.ask(11, question(eval::PerIndexRequest{.n_keys = 4, .sequences = 8}));
        const run::CircuitAnswer entries = listener.answerTo(11);
        QCOMPARE(std::get<eval::PerIndexTable>(*entries.result).all.size(), std::size_t(8));
        QCOMPARE(std::get<eval::PerIndexTable>(*entries.result).step, 4);
    }

    void failuresAreSentences()
    {
        run::EventQueue events;
        Listener listener(events);
        run::CircuitDesk desk(events, [] { return 1; });
        run::CircuitQuestion nowhere = question(circuit::HeadRequest{.n_keys = 4, .sequences = 8});
        nowhere.run += "-gone";
        desk.ask(1, nowhere);
        const run::CircuitAnswer answer = listener.answerTo(1);
        QVERIFY(!answer.result);
        QVERIFY(!answer.failure.empty());
        const circuit::Intervention absent{.heads = {{99, 0}}, .removal = circuit::Removal::Zero};
        desk.ask(2, question(circuit::KnockoutRequest{.intervention = absent, .n_keys = {4}, .sequences = 8}));
        QVERIFY(listener.answerTo(2).failure.find("99") != std::string::npos);
        desk.ask(3, question(circuit::HeadRequest{.n_keys = 4, .sequences = 8})); // and it goes on
        QVERIFY(listener.answerTo(3).result);
    }

    void cancelledHasNoAnswer()
    {
        run::EventQueue events;
        Listener listener(events);
        run::CircuitDesk desk(events, [] { return 1; });
        bool isCancelled = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job != 1 || isCancelled)
                return;
            isCancelled = true;
            desk.cancel(1);
            desk.ask(2, question(circuit::HeadRequest{.n_keys = 4, .sequences = 8}));
        };
        desk.ask(1, question(circuit::GridRequest{.n_keys = 8, .sequences = 64}));
        QVERIFY(listener.answerTo(2).result);
        QVERIFY(isCancelled);
        QCOMPARE(listener.order(), std::vector<run::JobId>{2});
    }

    // A newer question of the same kind replaces the older one.
    void aNewerQuestionReplacesAnOlderOne()
    {
        run::EventQueue events;
        Listener listener(events);
        run::CircuitDesk desk(events, [] { return 1; });
        bool isAsked = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job != 1 || std::exchange(isAsked, true))
                return;
            desk.ask(2, question(circuit::GridRequest{.n_keys = 4, .sequences = 8}));
        };
        desk.ask(1, question(circuit::GridRequest{.n_keys = 8, .sequences = 64}));
        QVERIFY(listener.answerTo(2).result);
        QCOMPARE(listener.order(), std::vector<run::JobId>{2});
    }

    void whatIsKeptMakesWay_data()
    {
        QTest::addColumn<bool>("isTimeline");
        QTest::newRow("a timeline") << true;
        QTest::newRow("heads at several lengths") << false;
    }

    void whatIsKeptMakesWay()
    {
        QFETCH(bool, isTimeline);
        run::EventQueue events;
        Listener listener(events);
        run::CircuitDesk desk(events, [] { return 1; });
        bool isAsked = false;
        listener.onProgress = [&](const run::ProbeStatus &status) {
            if (status.job != 1 || std::exchange(isAsked, true))
                return;
            desk.ask(2, question(circuit::HeadRequest{.n_keys = 4, .sequences = isTimeline ? 9 : 10}));
        };
        if (isTimeline)
            desk.ask(1, question(circuit::TimelineRequest{.heads = {.n_keys = 8, .sequences = 64}}));
        else
            desk.ask(1,
                     question(circuit::ContextRequest{
                         .lengths = {{.n_keys = 8, .sequences = 63}, {.n_keys = 16, .sequences = 63}}}));
        const run::CircuitAnswer answer = listener.answerTo(1);
        QVERIFY2(answer.result, answer.failure.c_str());
        if (isTimeline)
            QCOMPARE(std::get<std::vector<circuit::HeadTable>>(*answer.result).size(), std::size_t(3));
        else
            QCOMPARE(std::get<circuit::ContextHeads>(*answer.result).tables.size(), std::size_t(2));
        QCOMPARE(listener.order(), (std::vector<run::JobId>{2, 1}));
    }
};

QTEST_GUILESS_MAIN(TestCircuitDesk)
#include "test_circuit_desk_torch.moc"
