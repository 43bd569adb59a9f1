// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "core/run/run_lock.h"
#include "core/run/run_scan.h"
#include "tests/core/service_listener.h"
#include "tests/core/training_helpers.h"
#include "tests/patience.h"

using namespace lookback;
using namespace lookback::run;
using namespace lookback::testing;

namespace {

RunConfig longConfig()
{
    RunConfig config = smallConfig("rope", 1'000'000);
    config.checkpoint_every = 1000;
    return config;
}

} // namespace

/// A run that waits in a program's queue belongs to that program until it is trained, taken out, or the program ends.
class TestQueueLock : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::filesystem::path root(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    static std::string refusalOf(const RunId &run)
    {
        try {
            const RunLock lock{std::filesystem::path(run)};
        } catch (const RunOccupied &error) {
            return error.sentence();
        }
        return {};
    }

private Q_SLOTS:
    void aWaitingRunIsHeld()
    {
        const auto folder = root("held");
        const std::string process = "process " + std::to_string(QCoreApplication::applicationPid());
        {
            const auto service = makeRunService(folder);
            service->setParallelRuns(1);
            Listener listener(*service);
            service->train({request(longConfig(), "first"), request(longConfig(), "second")});
            const RunId first = runIdOf(folder / "first");
            const RunId second = runIdOf(folder / "second");
            listener.untilState(first, RunState::Running);
            listener.untilState(second, RunState::Queued);
            QVERIFY(refusalOf(second).find("This run waits in the queue of this program (" + process)
                    != std::string::npos);
            QVERIFY(refusalOf(first).find("This run is being trained by this program (" + process)
                    != std::string::npos);

            // As another program sees it.
            const RunSnapshot seen = scanRun(second);
            QCOMPARE(seen.state, RunState::Queued);
            QVERIFY(seen.isForeign);
            QVERIFY(seen.reason.find("Waits in the queue of") != std::string::npos);
            const auto other = makeRunService(folder);
            Listener otherListener(*other);
            otherListener.until([&] { return otherListener.runs.size() == 2; });
            other->resume(second);
            otherListener.until([&] { return !otherListener.notices.empty(); });
            QVERIFY2(otherListener.notices.back().find("waits in the queue of") != std::string::npos,
                     otherListener.notices.back().c_str());
            otherListener.untilQuiet();

            // A pause keeps it, a stop gives it back, a continuation takes it again.
            service->pause(second);
            listener.untilState(second, RunState::Paused);
            QVERIFY(!refusalOf(second).empty());
            service->stop(second);
            QTRY_COMPARE(refusalOf(second), std::string());
            service->resume(second);
            listener.untilState(second, RunState::Queued);
            QVERIFY(!refusalOf(second).empty());
            // Its turn comes.
            service->stop(first);
            listener.untilState(second, RunState::Running);
            QVERIFY(RunLock::owner(second) && !RunLock::owner(second)->isWaiting);
        }
        QCOMPARE(refusalOf(runIdOf(folder / "second")), std::string());
    }

    /// However the owner dies.
    void theLockDiesWithItsOwner()
    {
        const RunFolder run = makeRun(root("dies"), longConfig());
        int pipes[2] = {};
        QCOMPARE(pipe(pipes), 0);
        const pid_t child = fork();
        if (child == 0) {
            const auto lock = RunLock::forQueue(run.path());
            const char byte = lock ? 'l' : 'n';
            if (write(pipes[1], &byte, 1) == 1)
                pause();
            _exit(0);
        }
        char byte = 0;
        QCOMPARE(read(pipes[0], &byte, 1), 1);
        QCOMPARE(byte, 'l');
        const auto owner = RunLock::owner(run.path());
        QVERIFY(owner && owner->isWaiting && owner->process == child && !owner->isThisProcess);
        QCOMPARE(scanRun(run.path()).state, RunState::Queued);
        QVERIFY(refusalOf(run.path().string()).find("waits in the queue of process " + std::to_string(child))
                != std::string::npos);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        close(pipes[0]);
        close(pipes[1]);
        QVERIFY(!RunLock::owner(run.path()));
        QCOMPARE(scanRun(run.path()).state, RunState::Interrupted);
        QCOMPARE(refusalOf(run.path().string()), std::string());
    }
};

QTEST_GUILESS_MAIN(TestQueueLock)
#include "test_queue_lock_torch.moc"
