// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// An allocation that fails, in LibTorch or elsewhere, ends the run or the job that asked for it, and nothing else.
#include <algorithm>
#include <limits>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/run_scan.h"
#include "core/run/run_service.h"
#include "tests/core/failing_memory.h"
#include "tests/core/service_listener.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;
namespace fs = std::filesystem;

class TestTooLittleMemory : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path root(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }
    run::RunFolder m_whole{fs::path()};

private Q_SLOTS:
    void initTestCase() { m_whole = trainWhole(root("whole"), smallConfig("hybrid_square", 23)); }

    void aStepEndsThatRunOnly_data()
    {
        QTest::addColumn<qint64>("at");
        QTest::addColumn<bool>("isOnwards");
        for (const qint64 at : {0, 1, 5, 30, 100, 200}) {
            QTest::addRow("number %d", int(at)) << at << false;
            QTest::addRow("from number %d on", int(at)) << at << true;
        }
    }
    /// Two runs side by side; in one of them an allocation fails after step 10. It can be continued later.
    void aStepEndsThatRunOnly()
    {
        QFETCH(qint64, at);
        QFETCH(bool, isOnwards);
        const fs::path place = root(QTest::currentDataTag());
        const RunConfig config = smallConfig("hybrid_square", 23);
        const run::RunFolder poor = makeRun(place, config, "poor");
        const run::RunFolder rich = makeRun(place, config, "rich");
        Recorder recorder;
        {
            Trainer other(rich, {"cpu", 1}, nullptr);
            recorder.onStep = [&](std::int64_t step) {
                if (step == 10)
                    failingMemory = {.isOn = true, .leastBytes = 4096, .isOnwards = isOnwards, .at = at};
            };
            Trainer trainer(poor, {"cpu", 1}, &recorder);
            other.start();
            trainer.start();
            trainer.wait();
            other.wait();
            QCOMPARE(other.state(), RunState::Finished);
            if (trainer.state() == RunState::Failed) {
                QCOMPARE(recorder.failures().size(), std::size_t{1});
                QVERIFY2(recorder.failures()[0].find("too little free memory") != std::string::npos,
                         recorder.failures()[0].c_str());
                QVERIFY(recorder.failures()[0].find("Use a smaller batch") != std::string::npos);
            } else {
                QCOMPARE(trainer.state(), RunState::Finished); // what could not be saved was tried again
                QVERIFY(!isOnwards && !recorder.notices().empty());
            }
        }
        QVERIFY(bitsOf(rich) == bitsOf(m_whole));
        Trainer again(poor, {"cpu", 1}, nullptr);
        again.start();
        again.wait();
        QCOMPARE(again.state(), RunState::Finished);
        QVERIFY(bitsOf(poor) == bitsOf(m_whole));
    }

    /// Evaluations and questions about heads: a sentence, and the next one is answered.
    void aJobEndsThatJobOnly()
    {
        const auto service = run::makeRunService(root("whole"));
        Listener listener(*service);
        const run::RunId id = run::runIdOf(m_whole.path());
        listener.until([&] { return listener.runs.contains(id) && listener.machine; });
        run::EvaluationRequest ask;
        ask.run = id;
        ask.step = 8;
        ask.n_keys = {3};
        ask.sequences = 4;
        analysis::ExampleKey key;
        key.runFolder = id;
        key.n_keys = 3;
        for (const bool isFailing : {true, false, true, false}) {
            listener.examples.clear();
            listener.headMaps.clear();
            isTensorMemoryFailing = isFailing;
            const run::JobId job = service->evaluate(ask);
            service->requestExample(key);
            service->requestHeadMaps(key, 0);
            listener.until([&] {
                return !listener.examples.empty() && !listener.headMaps.empty() && listener.evaluations.contains(job)
                    && listener.evaluations[job].back().isFinished;
            });
            isTensorMemoryFailing = false;
            for (const std::string &failure : {listener.evaluations[job].back().failure,
                                               listener.examples.back().failure, listener.headMaps.back().failure}) {
                QCOMPARE(failure.find("too little free memory") != std::string::npos, isFailing);
                QCOMPARE(failure.empty(), !isFailing);
            }
            ask.step = ask.step == 8 ? 16 : 20; // another one, so that there is something to compute
            key.sequence += 1;
        }
        QCOMPARE(listener.runs.at(id).state, RunState::Finished);
    }
};

QTEST_GUILESS_MAIN(TestTooLittleMemory)
#include "test_too_little_memory_torch.moc"
