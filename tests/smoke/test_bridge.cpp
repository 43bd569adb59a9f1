// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The real service behind the bridge without a window: runs, evaluations and questions about heads at once, everything
// arrives on the GUI thread, in order, and at most 20 times a second.
#include <QCoreApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <map>
#include <memory>

#include "core/run/run_service.h"
#include "tests/core/training_helpers.h"
#include "tests/patience.h"
#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"

using namespace lookback;
using namespace lookback::ui;

namespace {

run::TrainRequest requestOf(const std::string &variant, std::int64_t steps)
{
    run::TrainRequest request;
    request.config = lookback::testing::smallConfig(variant, steps);
    request.device = "cpu";
    return request;
}

} // namespace

class TestBridge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allArrivesInOrderOnTheGuiThread()
    {
        QTemporaryDir folder;
        const std::unique_ptr<run::RunService> service = run::makeRunService(folder.path().toStdString());
        RunBridge bridge(service.get());
        RunCollection runs(&bridge);
        bool isElsewhere = false;
        std::map<run::RunId, std::int64_t> steps;
        bool isInOrder = true;
        connect(&bridge, &RunBridge::metricsArrived, this, [&](const std::vector<run::MetricsUpdate> &updates) {
            isElsewhere |= QThread::currentThread() != QCoreApplication::instance()->thread();
            for (const run::MetricsUpdate &update : updates) {
                if (update.isWhole)
                    steps[update.run] = 0;
                for (const run::MetricsRecord &record : update.records) {
                    isInOrder &= record.step > steps[update.run];
                    steps[update.run] = record.step;
                }
            }
        });
        service->openFolder(folder.path().toStdString());
        service->setParallelRuns(2);
        service->train({requestOf("hybrid_square", 400), requestOf("rope", 400), requestOf("hybrid_square_kda", 60)});
        QTRY_COMPARE_WITH_TIMEOUT(runs.order().size(), std::size_t{3}, testing::kLongPatience);

        // While they train: pause and go on, evaluate, and look into heads.
        const run::RunId first = runs.order().front();
        QTRY_VERIFY_WITH_TIMEOUT(runs.find(first)->metrics().size() > 3, testing::kLongPatience);
        service->pause(first);
        QTRY_COMPARE_WITH_TIMEOUT(runs.find(first)->snapshot.state, run::RunState::Paused, testing::kLongPatience);
        QSignalSpy ended(&runs, &RunCollection::evaluationEnded);
        service->evaluate({.run = first, .step = -1, .n_keys = {3}, .sequences = 4});
        QSignalSpy examples(&bridge, &RunBridge::exampleReady);
        QSignalSpy maps(&bridge, &RunBridge::headMapsReady);
        const analysis::ExampleKey key{.runFolder = first, .step = -1, .n_keys = 3, .sequence = 0};
        service->requestExample(key);
        service->requestHeadMaps(key, 1);
        QTRY_VERIFY_WITH_TIMEOUT(!ended.isEmpty() && !examples.isEmpty() && !maps.isEmpty(), testing::kLongPatience);
        service->resume(first);
        QTRY_VERIFY_WITH_TIMEOUT(!service->isActive(), testing::kLongPatience);
        QTRY_VERIFY_WITH_TIMEOUT(std::ranges::all_of(runs.order(),
                                                     [&](const run::RunId &id) {
                                                         return runs.find(id)->snapshot.state == run::RunState::Finished
                                                             && !runs.find(id)->accuracy.empty();
                                                     }),
                                 testing::kLongPatience);
        QVERIFY(isInOrder);
        QVERIFY(!isElsewhere);
        for (const run::RunId &id : runs.order())
            QCOMPARE(runs.find(id)->metrics().back().step, runs.find(id)->snapshot.record.config.steps);
    }

    void theServiceEndsWhileAllIsUnderWay()
    {
        QTemporaryDir folder;
        std::unique_ptr<run::RunService> service = run::makeRunService(folder.path().toStdString());
        {
            RunBridge bridge(service.get());
            RunCollection runs(&bridge);
            service->openFolder(folder.path().toStdString());
            service->setParallelRuns(2);
            service->train({requestOf("hybrid_square", 100'000), requestOf("rope", 100'000)});
            QTRY_VERIFY_WITH_TIMEOUT(runs.order().size() == 2 && !runs.find(runs.order().back())->metrics().empty(),
                                     testing::kLongPatience);
        }
        service.reset(); // after the bridge: its wake function is still called by threads that end
        QCOMPARE(run::findRuns(folder.path().toStdString()).size(), std::size_t{2});
        for (const run::FoundRun &found : run::findRuns(folder.path().toStdString()))
            QCOMPARE(found.record->state, run::RunState::Stopped);
    }
};

QTEST_GUILESS_MAIN(TestBridge)
#include "test_bridge.moc"
