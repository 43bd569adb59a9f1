// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <thread>

#include <QTest>

#include "core/run/event_queue.h"
#include "core/run/task_thread.h"

using namespace lookback;
using namespace lookback::run;

namespace {

RunSnapshot snapshot(const char *id, std::int64_t step = 0)
{
    RunSnapshot run;
    run.id = std::string(id);
    run.step = step;
    return run;
}

MetricsRecord record(std::int64_t step)
{
    MetricsRecord result;
    result.step = step;
    return result;
}

} // namespace

class TestEventQueue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wakesOncePerFilling()
    {
        EventQueue queue;
        int wakes = 0;
        queue.changed(snapshot("a"));
        queue.wakeIfNeeded(); // nobody listens yet
        queue.setWakeFunction([&] { ++wakes; });
        queue.wakeIfNeeded();
        QCOMPARE(wakes, 1);
        queue.changed(snapshot("b"));
        queue.wakeIfNeeded();
        QCOMPARE(wakes, 1);
        QVERIFY(!queue.take().isEmpty());
        QVERIFY(queue.take().isEmpty());
        queue.wakeIfNeeded();
        QCOMPARE(wakes, 1);
        queue.noticed({});
        queue.wakeIfNeeded();
        QCOMPARE(wakes, 2);
    }

    // What is known so far gives way to what is known later; answers to other questions stay.
    void theNewestCircuitAnswerCounts()
    {
        EventQueue queue;
        queue.answered(CircuitAnswer{.job = 1, .result = {}, .isComplete = false, .notes = {}, .failure = {}});
        queue.answered(CircuitAnswer{.job = 2, .result = {}, .isComplete = true, .notes = {}, .failure = "No."});
        queue.answered(CircuitAnswer{.job = 1, .result = {}, .isComplete = true, .notes = {"A note."}, .failure = {}});
        const ServiceEvents events = queue.take();
        QCOMPARE(events.circuit.size(), std::size_t(2));
        QVERIFY(events.circuit.front().isComplete);
        QCOMPARE(events.circuit.front().notes.size(), std::size_t(1));
        QVERIFY(!events.isEmpty());
    }

    void theListenerMayCallBack()
    {
        EventQueue queue;
        ServiceEvents taken;
        queue.setWakeFunction([&] { taken = queue.take(); });
        queue.changed(snapshot("a"));
        queue.wakeIfNeeded();
        QCOMPARE(taken.runs.size(), std::size_t{1});
    }

    /// A listener may go as soon as it has taken its function back.
    void noFormerFunctionRunsOnceItIsReplaced()
    {
        EventQueue queue;
        std::binary_semaphore entered(0);
        std::binary_semaphore mayEnd(0);
        std::binary_semaphore isReplacing(0);
        std::atomic<bool> hasEnded = false;
        queue.setWakeFunction([&] {
            entered.release();
            mayEnd.acquire();
            hasEnded = true;
        });
        queue.changed(snapshot("a"));
        std::jthread worker([&] { queue.wakeIfNeeded(); });
        entered.acquire();
        bool hadEnded = false;
        {
            std::jthread listener([&] {
                isReplacing.release();
                queue.setWakeFunction({});
                hadEnded = hasEnded;
            });
            isReplacing.acquire();
            mayEnd.release();
        }
        QVERIFY(hadEnded);
    }

    void newestSnapshotInOrderOfFirstChange()
    {
        EventQueue queue;
        queue.changed(snapshot("a", 1));
        queue.changed(snapshot("b", 1));
        queue.changed(snapshot("a", 7));
        const ServiceEvents events = queue.take();
        QCOMPARE(events.runs, (std::vector{snapshot("a", 7), snapshot("b", 1)}));
    }

    void logLinesOfARunAreOneUpdate()
    {
        EventQueue queue;
        queue.metricsLogged("a", record(1));
        queue.metricsLogged("b", record(1));
        queue.metricsLogged("a", record(2));
        ServiceEvents events = queue.take();
        QCOMPARE(events.metrics.size(), std::size_t{2});
        QVERIFY(!events.metrics[0].isWhole);
        QCOMPARE(events.metrics[0].records, (std::vector{record(1), record(2)}));

        queue.metricsLogged("a", record(3));
        queue.metricsRead("a", std::vector{record(1), record(2), record(3)}, true);
        queue.metricsLogged("a", record(4));
        events = queue.take();
        QCOMPARE(events.metrics.size(), std::size_t{1});
        QVERIFY(events.metrics[0].isWhole);
        QCOMPARE(events.metrics[0].records.back().step, 4);
        QCOMPARE(events.metrics[0].records.size(), std::size_t{4});
    }

    void removedRunsLeaveNothingBehind()
    {
        EventQueue queue;
        queue.changed(snapshot("a", 1));
        queue.metricsLogged("a", record(1));
        queue.accuracyLoaded("a", {});
        queue.removed("a");
        ServiceEvents events = queue.take();
        QVERIFY(events.runs.empty() && events.metrics.empty() && events.accuracy.empty());
        QCOMPARE(events.removed, std::vector<RunId>{"a"});

        queue.removed("a");
        queue.changed(snapshot("a", 2)); // brought back
        events = queue.take();
        QVERIFY(events.removed.empty());
        QCOMPARE(events.runs.size(), std::size_t{1});

        queue.changed(snapshot("b"));
        queue.removed("c");
        queue.listReplaced({snapshot("d")});
        queue.changed(snapshot("e"));
        events = queue.take();
        QVERIFY(events.isListWhole && events.removed.empty());
        QCOMPARE(events.runs, (std::vector{snapshot("d"), snapshot("e")}));
    }

    void lastStatusOfAJob()
    {
        EventQueue queue;
        EvaluationStatus status;
        status.job = 3;
        queue.evaluationChanged(status);
        status.isFinished = true;
        queue.evaluationChanged(status);
        QCOMPARE(queue.take().evaluations, std::vector{status});
    }

    void tasksAreDoneInOrderAndToTheEnd()
    {
        std::vector<int> done;
        {
            TaskThread thread([&] { done.push_back(0); });
            for (int i = 1; i < 5; ++i)
                thread.post([&, i] {
                    done.push_back(i);
                    if (i == 4)
                        thread.post([&] { done.push_back(5); });
                });
            std::mutex mutex;
            std::condition_variable changed;
            bool isLast = false;
            thread.post([&] {
                thread.post([&] {
                    const std::scoped_lock lock(mutex);
                    isLast = true;
                    changed.notify_one();
                });
            });
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return isLast; });
        }
        QCOMPARE(done, (std::vector{0, 1, 2, 3, 4, 5}));
    }

    void idleWorkIsDoneBetweenTasks()
    {
        std::mutex mutex;
        std::condition_variable changed;
        int idle = 0;
        TaskThread thread(
            {},
            [&] {
                const std::scoped_lock lock(mutex);
                ++idle;
                changed.notify_one();
            },
            std::chrono::milliseconds(1));
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return idle >= 3; });
        lock.unlock();
        thread.close();
        thread.post([] { QFAIL("a task ran after the end"); });
    }
};

QTEST_GUILESS_MAIN(TestEventQueue)
#include "test_event_queue.moc"
