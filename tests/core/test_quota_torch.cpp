// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The quota of a user is used up while a run trains: every call that writes says so, for a while or to the end.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include <sys/mount.h>

#include <QTemporaryDir>
#include <QTest>

#include "tests/core/failing_calls.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"
#include "tests/core/unprivileged.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;
namespace fs = std::filesystem;

namespace {

RunConfig config()
{
    RunConfig config = smallConfig("hybrid_square", 40);
    config.evaluate_every = 16;
    return config;
}

/// Trains to the end; `atStep` is called on the trainer's thread.
RunState trained(const run::RunFolder &folder, Recorder &recorder, std::function<void(std::int64_t)> atStep)
{
    recorder.onStep = std::move(atStep);
    Trainer trainer(folder, {"cpu", 1}, &recorder);
    trainer.start();
    trainer.wait();
    return trainer.state();
}

/// Each names the quota, never a full disk.
void checkSentences(const std::vector<std::string> &sentences)
{
    for (const std::string &sentence : sentences) {
        QVERIFY2(sentence.find("quota") != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find("full") == std::string::npos, sentence.c_str());
    }
}

} // namespace

class TestQuota : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path root(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    /// Log, checkpoints, record and evaluation meet it: the run and its bits are those of another day.
    void usedUpForAWhile()
    {
        const run::RunFolder whole = trainWhole(root("whole"), config());
        const run::RunFolder folder = makeRun(root("while"), config());
        std::optional<CallFaults> quota; // made and ended on the trainer's thread, whose calls fail
        Recorder recorder;
        const RunState state = trained(folder, recorder, [&](std::int64_t step) {
            if (step == 9)
                quota.emplace(FailingCalls::Onwards, 0, EDQUOT);
            else if (step == 27)
                quota.reset();
        });
        QCOMPARE(state, RunState::Finished);
        QVERIFY(loggedSteps(folder) == loggedSteps(whole));
        QVERIFY(bitsOf(folder) == bitsOf(whole));
        QCOMPARE(recorder.notices().size(), std::size_t{3}); // log, checkpoint, evaluation: each said once
        checkSentences(recorder.notices());
    }

    /// No room for the last checkpoint: the run fails, says what helps, and goes on when there is room.
    void usedUpToTheEnd()
    {
        const run::RunFolder whole = trainWhole(root("end-whole"), config());
        const run::RunFolder folder = makeRun(root("end"), config());
        std::optional<CallFaults> quota;
        Recorder recorder;
        const RunState state = trained(folder, recorder, [&](std::int64_t step) {
            if (step == 33)
                quota.emplace(FailingCalls::Onwards, 0, EDQUOT);
        });
        QCOMPARE(state, RunState::Failed);
        QCOMPARE(recorder.failures().size(), std::size_t{1});
        checkSentences(recorder.failures());
        QVERIFY2(recorder.reason().find("ask for a larger quota") != std::string::npos, recorder.reason().c_str());
        QCOMPARE(folder.checkpoints().back().step, 32);
        Recorder again;
        QCOMPARE(trained(folder, again, {}), RunState::Finished);
        QCOMPARE(again.steps().front().step, 33);
        QVERIFY(bitsOf(folder) == bitsOf(whole));
    }

    /// The same on a file system with a real quota.
    void realQuota()
    {
        const fs::path place = root("small");
        fs::create_directory(place);
        if (mount("lookback", place.c_str(), "tmpfs", 0, "mode=0777,usrquota,usrquota_block_hardlimit=2m") != 0)
            QSKIP("no file system with a quota can be mounted here (needs root and CONFIG_TMPFS_QUOTA)");
        RunState state = RunState::Queued;
        Recorder recorder;
        bool isSame = false;
        {
            const run::RunFolder whole = trainWhole(root("small-whole"), config());
            const test::Unprivileged somebody; // a quota does not bind root
            const run::RunFolder folder = makeRun(place, config());
            state = trained(folder, recorder, [&](std::int64_t step) {
                if (step == 9)
                    std::ofstream(place / "filler") << std::string(8U << 20U, 'x'); // as much as there is room for
                else if (step == 27)
                    fs::remove(place / "filler");
            });
            isSame = bitsOf(folder) == bitsOf(whole) && loggedSteps(folder) == loggedSteps(whole);
        }
        umount(place.c_str());
        QCOMPARE(state, RunState::Finished);
        QVERIFY(isSame);
        QVERIFY(!recorder.notices().empty());
        checkSentences(recorder.notices());
    }
};

QTEST_GUILESS_MAIN(TestQuota)
#include "test_quota_torch.moc"
