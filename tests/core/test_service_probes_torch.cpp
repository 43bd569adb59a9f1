// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The service beside training: evaluation on request, heads, estimates, and the end while all of it runs.
#include <algorithm>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/run_lock.h"
#include "core/run/run_scan.h"
#include "core/run/run_service.h"
#include "tests/core/service_listener.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using namespace lookback::run;

class TestServiceProbes : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path root(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    static RunId idOf(const std::filesystem::path &folder, const char *name) { return runIdOf(folder / name); }
    /// A run that goes on until it is stopped.
    static RunConfig longConfig() { return smallConfig("hybrid_square", 1000000); }

private Q_SLOTS:
    void evaluatesOnRequestAndCancels()
    {
        const auto folder = root("evaluate");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        const RunId id = idOf(folder, "run");
        TrainRequest train = request(smallConfig("hybrid_square", 25), "run");
        train.evaluateAtEnd = false;
        service->train({train});
        listener.untilQuiet();
        QVERIFY(listener.evaluations.empty());

        EvaluationRequest ask;
        ask.run = id;
        ask.step = 8;
        ask.n_keys = {3, 5};
        ask.sequences = 4;
        const JobId first = service->evaluate(ask);
        QVERIFY(service->isActive());
        const auto isFinished = [&](JobId job) {
            return listener.evaluations.contains(job) && listener.evaluations[job].back().isFinished;
        };
        listener.until([&] {
            return isFinished(first) && !listener.accuracy[id].empty() && listener.accuracy[id][0].points.size() == 2;
        });
        QCOMPARE(listener.evaluations[first].back().failure, std::string());
        QCOMPARE(listener.accuracy[id][0].step, 8);
        QCOMPARE(listener.accuracy[id][0].points[1].n_keys, 5);
        QCOMPARE(listener.accuracy[id][0].points[1].sequences, 4);

        ask.step = -1; // the newest
        const JobId newest = service->evaluate(ask);
        listener.until([&] { return isFinished(newest) && listener.accuracy[id].size() == 2; });
        QCOMPARE(listener.evaluations[newest].back().step, 25);

        ask.n_keys = {101}; // two digits allow 100 keys
        const JobId impossible = service->evaluate(ask);
        listener.until([&] { return isFinished(impossible); });
        const std::string &refusal = listener.evaluations[impossible].back().failure;
        QVERIFY2(refusal.find("100") != std::string::npos && refusal.find("101") != std::string::npos, refusal.c_str());
        ask.n_keys = {3};
        ask.step = 17;
        const JobId missing = service->evaluate(ask);
        listener.until([&] { return isFinished(missing); });
        QVERIFY(listener.evaluations[missing].back().failure.find("no checkpoint of step 17") != std::string::npos);

        ask.step = 20;
        ask.n_keys = {4, 100};
        ask.sequences = 100000; // nobody waits for this
        const JobId endless = service->evaluate(ask);
        const JobId behind = service->evaluate(ask);
        listener.until([&] {
            return listener.evaluations.contains(endless) && listener.evaluations[endless].back().progress.done > 0;
        });
        service->cancelEvaluation(behind);
        service->cancelEvaluation(endless);
        listener.until([&] { return isFinished(endless) && isFinished(behind); });
        QCOMPARE(listener.evaluations[endless].back().failure, std::string());
        QVERIFY(!service->isActive());
    }

    void looksIntoHeads()
    {
        const auto folder = root("heads");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        const RunId id = idOf(folder, "run");
        TrainRequest train = request(smallConfig("hybrid_square", 12), "run");
        train.evaluateAtEnd = false;
        service->train({train});
        listener.untilQuiet();

        analysis::ExampleKey key;
        key.runFolder = id;
        key.n_keys = 3;
        const auto hasExample = [&](JobId job) {
            return std::any_of(listener.examples.begin(), listener.examples.end(),
                               [&](const ExampleAnswer &answer) { return answer.job == job; });
        };
        const JobId first = service->requestExample(key);
        listener.until([&] { return hasExample(first); });
        const ExampleAnswer answer = listener.examples.back();
        QVERIFY(answer.example && answer.failure.empty());
        QCOMPARE(answer.example->key.step, 12); // the newest
        QCOMPARE(answer.example->answers.size(), std::size_t{3});
        QVERIFY(answer.example->sequence == task::evaluationSequence({2, 2}, 3, 1, 0));

        // All layers of the grid are answered, whichever comes first.
        key.step = 10;
        const JobId atTen = service->requestExample(key);
        for (std::int64_t layer = 0; layer < 2; ++layer)
            service->requestHeadMaps(key, layer);
        listener.until([&] { return hasExample(atTen) && listener.headMaps.size() == 2; });
        for (const HeadMapsAnswer &maps : listener.headMaps) {
            QVERIFY(maps.maps && maps.maps->size() == 2);
            QCOMPARE(maps.maps->front().layer, maps.layer);
            QCOMPARE(maps.maps->front().queries, answer.example->positions);
        }
        QVERIFY(listener.headMaps[0].layer != listener.headMaps[1].layer);

        // What was asked of an older example is dropped, the newest is answered.
        JobId last = 0;
        for (std::int64_t sequence = 1; sequence <= 30; ++sequence) {
            key.sequence = sequence;
            last = service->requestExample(key);
        }
        listener.until([&] { return hasExample(last); });
        QVERIFY(listener.examples.size() < 32);
        QCOMPARE(listener.examples.back().example->key.sequence, 30);

        // Faults are answers too.
        key.n_keys = 101;
        const JobId impossible = service->requestExample(key);
        listener.until([&] { return hasExample(impossible); });
        QVERIFY(!listener.examples.back().example && !listener.examples.back().failure.empty());
        key.n_keys = 3;
        listener.headMaps.clear();
        service->requestHeadMaps(key, 9);
        listener.until([&] { return !listener.headMaps.empty(); });
        QVERIFY(!listener.headMaps.back().maps && !listener.headMaps.back().failure.empty());
        key.step = 11;
        const JobId missing = service->requestExample(key);
        listener.until([&] { return hasExample(missing); });
        QVERIFY(listener.examples.back().failure.find("step 11") != std::string::npos);
        key.step = 10;
        const JobId again = service->requestExample(key); // the model is gone from memory after a fault, not the desk
        listener.until([&] { return hasExample(again); });
        QVERIFY(listener.examples.back().example != nullptr);
    }

    void estimatesFromMeasurements()
    {
        const auto service = makeRunService(root("estimate"));
        Listener listener(*service);
        const TrainRequest tiny = request(smallConfig("hybrid_square", 1000), "x");
        QVERIFY(!service->estimatedSeconds(tiny));
        listener.until([&] { return service->estimatedSeconds(tiny).has_value(); });
        const double seconds = service->estimatedSeconds(tiny).value();
        QVERIFY(seconds > 0.1 && seconds < 1000.0);
        TrainRequest twice = tiny;
        twice.config.steps = 2000;
        QVERIFY(service->estimatedSeconds(twice).value() > 1.9 * seconds);
        TrainRequest wrong = tiny;
        wrong.config.query_heads = 3;
        QVERIFY(!service->estimatedSeconds(wrong));
    }

    void endsWhileEverythingIsUnderWay()
    {
        const auto folder = root("end");
        RunId id;
        {
            const auto service = makeRunService(folder);
            Listener listener(*service);
            service->setParallelRuns(1);
            service->train({request(longConfig(), "a"), request(longConfig(), "b")});
            id = idOf(folder, "a");
            listener.until([&] { return listener.runs.contains(id) && listener.runs.at(id).step > 11; });
            EvaluationRequest ask;
            ask.run = id;
            ask.sequences = 100000;
            service->evaluate(ask);
            service->estimatedSeconds(request(longConfig(), "c"));
            service->loadRun(id);
        }
        QCOMPARE(RunFolder(id).readRecord().state, RunState::Stopped);
        QVERIFY(RunFolder(id).checkpoints().back().step >= 11);
        QVERIFY(!RunLock::owner(id));
        QCOMPARE(RunFolder(idOf(folder, "b")).readRecord().state, RunState::Stopped);
    }
};

QTEST_GUILESS_MAIN(TestServiceProbes)
#include "test_service_probes_torch.moc"
