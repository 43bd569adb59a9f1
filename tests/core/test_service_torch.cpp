// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/run_lock.h"
#include "core/run/run_scan.h"
#include "core/run/run_service.h"
#include "tests/core/broken_run.h"
#include "tests/core/service_listener.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using namespace lookback::run;

namespace {

std::vector<std::int64_t> stepsOf(const std::vector<MetricsRecord> &records)
{
    std::vector<std::int64_t> steps;
    for (const MetricsRecord &record : records)
        steps.push_back(record.step);
    return steps;
}

} // namespace

class TestService : public QObject {
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
    void tellsOfTheMachineAndAnEmptyFolder()
    {
        const auto service = makeRunService(root("not there yet"));
        Listener listener(*service);
        listener.until([&] { return listener.machine && listener.wholeLists == 1; });
        QVERIFY(listener.machine->cores >= 1);
        QVERIFY(service->machine() == *listener.machine);
        QVERIFY(listener.runs.empty());
        QVERIFY(!service->isActive());
        QCOMPARE(service->folder(), root("not there yet"));
        QVERIFY(service->variants().size() >= 9); // the published ones, and what was added
        QVERIFY(service->parameterCount(presetConfig("paper")) == 2102400);
    }

    void trainsTwoRunsSideBySideToTheirCurves()
    {
        const auto folder = root("two");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        service->setParallelRuns(2);
        service->train({request(smallConfig("hybrid_square", 23), ""), request(smallConfig("rope", 23), "")});
        QVERIFY(service->isActive());
        const RunId a = idOf(folder, "hybrid_square-seed0");
        const RunId b = idOf(folder, "rope-seed0");
        const auto hasBoth = [&](const RunId &id) {
            return listener.accuracy[id].size() == 1 && listener.accuracy[id][0].points.size() == 2;
        };
        listener.untilQuiet();
        listener.until([&] { return hasBoth(a) && hasBoth(b); });
        for (const RunId &id : {a, b}) {
            const RunSnapshot run = listener.runs.at(id);
            QCOMPARE(run.state, RunState::Finished);
            QCOMPARE(run.step, 23);
            QCOMPARE(run.checkpointSteps, (std::vector<std::int64_t>{0, 1, 2, 4, 8, 16, 20, 23}));
            QCOMPARE(run.last->step, 23);
            QCOMPARE(run.record.state, RunState::Finished);
            QCOMPARE(run.record.device, std::string("cpu"));
            QVERIFY(!run.record.libtorchVersion.empty());
            QCOMPARE(stepsOf(listener.metrics[id]), (std::vector<std::int64_t>{1, 5, 10, 15, 20, 23}));
            QCOMPARE(listener.states[id].back(), RunState::Finished);
        }
        QCOMPARE(listener.evaluations.size(), std::size_t{2});
        for (const auto &[job, statuses] : listener.evaluations) {
            QVERIFY(statuses.back().isFinished);
            QVERIFY(statuses.back().failure.empty());
            QCOMPARE(statuses.back().progress.done, statuses.back().progress.total);
            QCOMPARE(std::count_if(statuses.begin(), statuses.end(), [](const auto &s) { return s.isFinished; }), 1);
        }
        QVERIFY(listener.notices.empty());
    }

    void surplusRunsWaitInLine()
    {
        const auto folder = root("line");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        service->setParallelRuns(1);
        const RunId a = idOf(folder, "a");
        const RunId b = idOf(folder, "b");
        const RunId c = idOf(folder, "c");
        service->train({request(longConfig(), "a"), request(longConfig(), "b"), request(longConfig(), "c")});
        listener.until([&] { return listener.runs.contains(c) && listener.runs.at(a).state == RunState::Running; });
        QCOMPARE(listener.runs.at(b).state, RunState::Queued);
        QCOMPARE(listener.runs.at(c).state, RunState::Queued);

        // A paused run makes room; continued, it waits for room.
        service->pause(a);
        listener.untilState(a, RunState::Paused);
        listener.untilState(b, RunState::Running);
        QCOMPARE(listener.runs.at(c).state, RunState::Queued);
        service->resume(a);
        listener.untilState(a, RunState::Queued);
        service->stop(c);
        listener.untilState(c, RunState::Stopped);
        service->stop(b);
        listener.untilState(b, RunState::Stopped);
        listener.until([&] { return listener.runs.at(a).state == RunState::Running && listener.runs.at(a).step > 0; });
        service->stop(a);
        listener.untilQuiet();
        QCOMPARE(listener.runs.at(a).state, RunState::Stopped);
        QVERIFY(!listener.runs.at(a).checkpointSteps.empty());
        QCOMPARE(RunFolder(c).readRecord().state, RunState::Stopped);
        QVERIFY(listener.states[a]
                    == (std::vector{RunState::Queued, RunState::Initialising, RunState::Running, RunState::Paused,
                                    RunState::Queued, RunState::Running, RunState::Stopping, RunState::Stopped})
                || listener.states[a].back() == RunState::Stopped); // merged events may skip states, never reorder them
        QCOMPARE(listener.states[b].back(), RunState::Stopped);
    }

    void stoppedRunIsContinued()
    {
        constexpr std::int64_t kSteps = 4000; // many, so that a busy machine stops it in time
        const auto folder = root("continue");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        const RunId id = idOf(folder, "run");
        service->train({request(smallConfig("hybrid_square", kSteps), "run")});
        listener.until([&] { return listener.runs.contains(id) && listener.runs.at(id).step >= 3; });
        service->stop(id);
        service->stop(id);
        listener.untilQuiet();
        QCOMPARE(listener.runs.at(id).state, RunState::Stopped);
        const std::int64_t stoppedAt = listener.runs.at(id).step;
        QVERIFY(stoppedAt < kSteps);
        QCOMPARE(listener.runs.at(id).checkpointSteps.back(), stoppedAt);
        service->resume(id);
        QVERIFY(service->isActive());
        listener.untilQuiet();
        listener.until([&] { return listener.accuracy[id].size() == 1; });
        QCOMPARE(listener.runs.at(id).state, RunState::Finished);
        const std::vector<std::int64_t> steps = stepsOf(listener.metrics[id]);
        QCOMPARE(steps.size(), static_cast<std::size_t>(1 + kSteps / 5));
        QVERIFY(std::is_sorted(steps.begin(), steps.end()));
        service->resume(id); // a finished run has nothing to continue
        listener.untilQuiet();
        QCOMPARE(listener.runs.at(id).state, RunState::Finished);
    }

    void wrongRequestsAreNotices()
    {
        const auto folder = root("wrong");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        RunConfig config = smallConfig("hybrid_square", 10);
        config.query_heads = 3;
        QVERIFY(!service->problemsOf(request(config, "x")).empty());
        service->train({request(config, "x")});
        listener.until([&] { return !listener.notices.empty(); });
        QVERIFY(!service->isActive());
        QVERIFY(!std::filesystem::exists(folder / "x")); // nothing was written

        config = smallConfig("no_such_variant", 10);
        QVERIFY(!service->problemsOf(request(config, "x")).empty());
        config = smallConfig("hybrid_square", 10);
        QVERIFY(service->problemsOf(request(config, "x")).empty());
        TrainRequest wrong = request(config, "x");
        wrong.threads = 0;
        QCOMPARE(service->problemsOf(wrong).front().field, std::string("threads"));
        wrong = request(config, "x");
        wrong.device = "tpu";
        QCOMPARE(service->problemsOf(wrong).front().field, std::string("device"));
        listener.until([&] { return listener.machine.has_value(); });
        wrong.device = "cuda";
        QCOMPARE(service->problemsOf(wrong).empty(), service->machine().hasCuda);
    }

    void equalNamesGetNumbers()
    {
        const auto folder = root("names");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        std::vector<TrainRequest> nine(9, request(smallConfig("hybrid_square", 5), ""));
        for (TrainRequest &one : nine) {
            one.config.warmup_steps = 1;
            one.evaluateAtEnd = false;
        }
        service->train(nine);
        listener.untilQuiet();
        QCOMPARE(listener.runs.size(), std::size_t{9});
        QVERIFY(listener.runs.contains(idOf(folder, "hybrid_square-seed0")));
        QVERIFY(listener.runs.contains(idOf(folder, "hybrid_square-seed0-9")));
        for (const auto &[id, run] : listener.runs)
            QCOMPARE(run.state, RunState::Finished);
    }

    void findsRunsAndHowTheyEnded()
    {
        const auto folder = root("found");
        {
            const auto service = makeRunService(folder);
            Listener listener(*service);
            service->train({request(smallConfig("hybrid_square", 12), "done"), request(longConfig(), "stopped")});
            const RunId stopped = idOf(folder, "stopped");
            listener.until([&] { return listener.runs.contains(stopped) && listener.runs.at(stopped).step > 0; });
            listener.untilState(idOf(folder, "done"), RunState::Finished);
        } // the service ends: the long run is stopped with a checkpoint
        const auto makeWithState = [&](const char *name, RunState state) {
            const RunFolder run = makeRun(folder, longConfig(), name);
            RunRecord record = run.readRecord();
            record.state = state;
            run.writeRecord(record);
            return run;
        };
        const RunFolder killed = makeWithState("killed", RunState::Running);
        std::ofstream(killed.metricsFile()) << metricsLine({.step = 40,
                                                            .n_keys = 2,
                                                            .loss = 1.5,
                                                            .retrievalAcc = {},
                                                            .learningRate = {},
                                                            .gradientNorm = {},
                                                            .tokensPerSecond = {},
                                                            .elapsedSeconds = 3.0})
                                            << "\n{\"step\": 41, \"lo";
        makeWithState("never", RunState::Queued);
        const RunFolder alive = makeWithState("alive", RunState::Running);
        const RunLock lock(alive.path());
        std::filesystem::create_directory(folder / "damaged");
        std::ofstream(folder / "damaged" / "run.json") << "{ not json";
        std::filesystem::create_directory(folder / "no run");

        const auto service = makeRunService(folder);
        Listener listener(*service);
        listener.until([&] { return listener.wholeLists == 1; });
        QCOMPARE(listener.runs.size(), std::size_t{6});
        const auto &runs = listener.runs;
        QCOMPARE(runs.at(idOf(folder, "done")).state, RunState::Finished);
        QCOMPARE(runs.at(idOf(folder, "done")).step, 12);
        QCOMPARE(runs.at(idOf(folder, "stopped")).state, RunState::Stopped);
        QVERIFY(!runs.at(idOf(folder, "stopped")).checkpointSteps.empty());
        QCOMPARE(runs.at(idOf(folder, "killed")).state, RunState::Interrupted);
        QCOMPARE(runs.at(idOf(folder, "killed")).step, 40);
        QCOMPARE(runs.at(idOf(folder, "killed")).last->loss.value(), 1.5);
        QVERIFY(runs.at(idOf(folder, "killed")).reason.find("step 40") != std::string::npos);
        QCOMPARE(runs.at(idOf(folder, "never")).state, RunState::Interrupted);
        QCOMPARE(runs.at(idOf(folder, "alive")).state, RunState::Running);
        QVERIFY(runs.at(idOf(folder, "alive")).reason.find("Trained by") != std::string::npos);
        QVERIFY(!runs.at(idOf(folder, "damaged")).isReadable);
        QVERIFY(!runs.at(idOf(folder, "damaged")).reason.empty());
        QVERIFY(!service->isActive());

        service->loadRun(idOf(folder, "done"));
        listener.until([&] { // the one does not wait for the other
            return !listener.accuracy[idOf(folder, "done")].empty() && !listener.metrics[idOf(folder, "done")].empty();
        });
        QCOMPARE(stepsOf(listener.metrics[idOf(folder, "done")]), (std::vector<std::int64_t>{1, 5, 10, 12}));

        // An interrupted run goes on; one that another trainer holds is refused.
        service->resume(idOf(folder, "killed"));
        listener.until([&] {
            return listener.runs.at(idOf(folder, "killed")).state == RunState::Running
                && listener.runs.at(idOf(folder, "killed")).step > 0
                && !listener.metrics[idOf(folder, "killed")].empty();
        });
        QCOMPARE(listener.metrics[idOf(folder, "killed")].front().step, 1); // it had no checkpoint
        service->stopAll();
        listener.untilQuiet();
        const std::string process = "process " + std::to_string(QCoreApplication::applicationPid());
        const auto namesTheOther = [&](const std::string &notice) {
            return notice.find("is being trained by") != std::string::npos && notice.find(process) != std::string::npos;
        };
        service->resume(idOf(folder, "alive"));
        listener.until([&] { return std::ranges::any_of(listener.notices, namesTheOther); });
        listener.untilQuiet();
        QCOMPARE(listener.runs.at(idOf(folder, "alive")).state, RunState::Running);
        QVERIFY(listener.runs.at(idOf(folder, "alive")).isForeign);
        QVERIFY(listener.runs.at(idOf(folder, "alive")).reason.find(process) != std::string::npos);
        QCOMPARE(alive.readRecord().state, RunState::Running);
    }

    void runsLeaveViewGoToTheTrashAndComeBack()
    {
        const auto folder = root("trash");
        const RunId a = idOf(folder, "a");
        const RunId b = idOf(folder, "b");
        makeRun(folder, longConfig(), "a");
        makeRun(folder, longConfig(), "b");
        const auto service = makeRunService(folder);
        Listener listener(*service);
        listener.until([&] { return listener.runs.size() == 2; });

        service->removeFromView(a);
        listener.until([&] { return !listener.runs.contains(a); });
        QVERIFY(std::filesystem::exists(a));
        service->openFolder(folder);
        listener.until([&] { return listener.wholeLists == 2; });
        QVERIFY(listener.runs.contains(a));

        service->deleteRun(a);
        listener.until([&] { return !listener.runs.contains(a); });
        QVERIFY(!std::filesystem::exists(a));
        QVERIFY(std::filesystem::exists(folder / ".trash" / "a" / "run.json"));
        service->restoreDeleted(b); // it was not deleted
        service->restoreDeleted(a);
        listener.until([&] { return listener.runs.contains(a); });
        QVERIFY(std::filesystem::exists(a));
        service->restoreDeleted(a); // nothing more to bring back

        service->train({request(longConfig(), "c")});
        const RunId c = idOf(folder, "c");
        listener.untilState(c, RunState::Running);
        service->deleteRun(c);
        service->removeFromView(c);
        listener.until([&] { return listener.notices.size() == 2; });
        QVERIFY(listener.runs.contains(c));
        service->openFolder(root("elsewhere")); // what trains goes on and stays listed
        listener.until([&] { return listener.wholeLists == 3; });
        QCOMPARE(listener.order, std::vector<RunId>{c});
        service->stopAll();
        listener.untilQuiet();
        QVERIFY(!listener.runs.contains(b));
    }

    /// A run that goes back while it is shown: what is shown is what its log and evaluations say, and it goes on so.
    void aRunThatWentBackIsShownAsItIs()
    {
        RunConfig config = smallConfig("hybrid_square", 25);
        config.log_every = 1;
        config.evaluate_every = 4;
        const auto folder = root("back");
        const RunFolder run = brokenRun(folder, config, {9});
        const auto service = makeRunService(folder);
        Listener listener(*service);
        const RunId id = idOf(folder, "run");
        listener.until([&] { return listener.runs.contains(id); });
        service->resume(id);
        listener.untilState(id, RunState::Finished);
        listener.untilQuiet();
        listener.until([&] {
            return listener.metrics[id].size() == 25 && !listener.accuracy[id].empty()
                && listener.accuracy[id].back().step == 25;
        });
        QVERIFY(listener.metrics[id] == run.readMetricsLog().records);
        QVERIFY(listener.accuracy[id] == run.readAccuracy());
        QCOMPARE(listener.runs.at(id).checkpointSteps, keptSteps(run));
    }
};

QTEST_GUILESS_MAIN(TestService)
#include "test_service_torch.moc"
