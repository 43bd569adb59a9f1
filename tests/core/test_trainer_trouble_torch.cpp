// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What happens around a training while it goes on: the disk fills up, its folder goes away or may not be written to any
// more, it does not learn.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <optional>

#include <sys/mount.h>

#include <QTemporaryDir>
#include <QTest>

#include "tests/core/file_size_limit.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"
#include "tests/core/unprivileged.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;
namespace fs = std::filesystem;

namespace {

/// Trains to the end; `atStep` is called on the trainer's thread.
RunState trained(const run::RunFolder &folder, Recorder &recorder, std::function<void(std::int64_t)> atStep = {})
{
    recorder.onStep = std::move(atStep);
    Trainer trainer(folder, {"cpu", 1}, &recorder);
    trainer.start();
    trainer.wait();
    return trainer.state();
}

bool isAny(const std::vector<std::string> &sentences, const char *part)
{
    return std::ranges::any_of(sentences, [&](const auto &each) { return each.find(part) != std::string::npos; });
}

QByteArray linesOf(const std::vector<std::string> &sentences)
{
    QByteArray text;
    for (const std::string &each : sentences)
        text += QByteArray::fromStdString(each) + "\n";
    return text;
}

} // namespace

class TestTrainerTrouble : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path root(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    /// Log, checkpoints, record and evaluation meet a limit for a while: the run and its bits are those of another day.
    void sizeLimitForAWhile()
    {
        RunConfig config = smallConfig("hybrid_square", 40);
        config.evaluate_every = 16;
        const run::RunFolder whole = trainWhole(root("full-whole"), config);
        const run::RunFolder folder = makeRun(root("full"), config);
        std::optional<test::FileSizeLimit> limit;
        Recorder recorder;
        const RunState state = trained(folder, recorder, [&](std::int64_t step) {
            if (step == 9)
                limit.emplace(100);
            else if (step == 27)
                limit.reset();
        });
        limit.reset();
        QCOMPARE(state, RunState::Finished);
        QVERIFY(loggedSteps(folder) == loggedSteps(whole));
        QVERIFY(bitsOf(folder) == bitsOf(whole)); // the points evaluated meanwhile, too
        QVERIFY2(isAny(recorder.notices(), "Since step 10 nothing can be written"),
                 linesOf(recorder.notices()).constData());
        QVERIFY2(isAny(recorder.notices(), "The evaluated points wait"), linesOf(recorder.notices()).constData());
        QCOMPARE(recorder.notices().size(), std::size_t{3}); // log, checkpoint, evaluation: each said once
    }

    /// The same on a file system that is really full.
    void diskFullForAWhile()
    {
        const fs::path place = root("small");
        fs::create_directory(place);
        if (mount("lookback", place.c_str(), "tmpfs", 0, "size=4m") != 0)
            QSKIP("a small file system cannot be mounted here");
        {
            const RunConfig config = smallConfig("hybrid_square", 40);
            const run::RunFolder whole = trainWhole(root("small-whole"), config);
            const run::RunFolder folder = makeRun(place, config);
            Recorder recorder;
            const RunState state = trained(folder, recorder, [&](std::int64_t step) {
                if (step == 9)
                    std::ofstream(place / "filler") << std::string(8U << 20U, 'x'); // as much as there is room for
                else if (step == 27)
                    fs::remove(place / "filler");
            });
            const bool isSame = bitsOf(folder) == bitsOf(whole) && loggedSteps(folder) == loggedSteps(whole);
            umount(place.c_str());
            QCOMPARE(state, RunState::Finished);
            QVERIFY(isSame);
            QVERIFY2(isAny(recorder.notices(), "the disk is full"), linesOf(recorder.notices()).constData());
        }
    }

    void folderRemoved()
    {
        const run::RunFolder folder = makeRun(root("removed"), smallConfig("hybrid_square", 40));
        Recorder recorder;
        const RunState state = trained(folder, recorder, [&](std::int64_t step) {
            if (step == 9)
                fs::remove_all(folder.path());
        });
        QCOMPARE(state, RunState::Failed);
        QVERIFY2(recorder.reason().find("step-00000040.safetensors: It cannot be written") != std::string::npos,
                 recorder.reason().c_str());
        QVERIFY2(isAny(recorder.notices(), "Since step 10 nothing can be written"),
                 linesOf(recorder.notices()).constData());
        QVERIFY(!fs::exists(folder.path()));
    }

    void folderMovedAwayAndBack()
    {
        const RunConfig config = smallConfig("hybrid_square", 40);
        const run::RunFolder whole = trainWhole(root("moved-whole"), config);
        const run::RunFolder folder = makeRun(root("moved"), config);
        Recorder recorder;
        const RunState state = trained(folder, recorder, [&](std::int64_t step) {
            if (step == 9)
                fs::rename(folder.path(), root("moved") / "elsewhere");
            else if (step == 27)
                fs::rename(root("moved") / "elsewhere", folder.path());
        });
        QCOMPARE(state, RunState::Finished);
        QVERIFY(bitsOf(folder) == bitsOf(whole));
        QVERIFY2(isAny(recorder.notices(), "step-00000010.safetensors: It cannot be written"),
                 linesOf(recorder.notices()).constData());
    }

    void folderReadOnlyForAWhile()
    {
        const test::Unprivileged user;
        if (!user.isInForce())
            QSKIP("permissions do not bind this user");
        const QTemporaryDir place;
        const RunConfig config = smallConfig("hybrid_square", 40);
        const run::RunFolder whole = trainWhole(fs::path(place.path().toStdString()) / "whole", config);
        const run::RunFolder folder = makeRun(place.path().toStdString(), config);
        const auto permit = [&](fs::perms permissions) {
            fs::permissions(folder.checkpointFile(0).parent_path(), permissions);
            fs::permissions(folder.path(), permissions);
        };
        Recorder recorder;
        const RunState state = trained(folder, recorder, [&](std::int64_t step) {
            if (step == 9)
                permit(fs::perms::owner_read | fs::perms::owner_exec);
            else if (step == 27)
                permit(fs::perms::owner_all);
        });
        QCOMPARE(state, RunState::Finished);
        QVERIFY(bitsOf(folder) == bitsOf(whole));
        QVERIFY2(isAny(recorder.notices(), "step-00000010.safetensors: It cannot be written"),
                 linesOf(recorder.notices()).constData());
    }

    /// Whatever is thrown inside a training ends that training; one beside it goes on with the same bits.
    void anExceptionEndsThatRunOnly()
    {
        const RunConfig config = smallConfig("hybrid_square", 23);
        const run::RunFolder whole = trainWhole(root("thrown-whole"), config);
        for (const bool isNamed : {true, false}) {
            const run::RunFolder thrown = makeRun(root("thrown"), config);
            const run::RunFolder beside = makeRun(root("thrown"), config);
            Recorder recorder;
            recorder.onStep = [&](std::int64_t step) {
                if (step == 11 && isNamed)
                    throw std::runtime_error("a fault of a library");
                if (step == 11)
                    throw step;
            };
            Trainer first(thrown, {"cpu", 1}, &recorder);
            Trainer second(beside, {"cpu", 1}, nullptr);
            first.start();
            second.start();
            first.wait();
            second.wait();
            QCOMPARE(first.state(), RunState::Failed);
            QCOMPARE(thrown.readRecord().state, RunState::Failed);
            QVERIFY2(thrown.readRecord().endReason.find("It ended early") != std::string::npos,
                     recorder.reason().c_str());
            QCOMPARE(second.state(), RunState::Finished);
            QVERIFY(bitsOf(beside) == bitsOf(whole));
            recorder.onStep = {};
            Trainer again(thrown, {"cpu", 1}, nullptr);
            again.start();
            again.wait();
            QVERIFY(bitsOf(thrown) == bitsOf(whole));
        }
    }

    /// Continued elsewhere, a run says what is not as it was.
    void anotherMachineIsSaid()
    {
        const run::RunFolder folder = makeRun(root("elsewhere"), smallConfig("hybrid_square", 23));
        {
            Recorder stopping;
            Trainer first(folder, {"cpu", 1}, &stopping);
            stopping.onStep = [&](std::int64_t step) {
                if (step == 11)
                    first.requestStop();
            };
            first.start();
            first.wait();
        }
        run::RunRecord record = folder.readRecord();
        record.processor = "Another processor";
        record.libtorchVersion = "1.0";
        folder.writeRecord(record);
        Recorder recorder;
        {
            Trainer trainer(folder, {"cpu", 2}, &recorder);
            trainer.start();
            trainer.wait();
            QCOMPARE(trainer.state(), RunState::Finished);
        }
        QCOMPARE(recorder.notices().size(), std::size_t{3});
        for (const char *what : {"another thread count (2 instead of 1)", "another processor (", "another LibTorch ("})
            QVERIFY2(isAny(recorder.notices(), what), linesOf(recorder.notices()).constData());
    }

    /// A run that does not get away from guessing is told of once, and goes on.
    void stuckAtChanceIsAHint()
    {
        RunConfig config = smallConfig("hybrid_square", 130);
        config.batch = 32;
        config.learning_rate = 1e-9;
        config.curriculum.clear();
        config.evaluation_sequences = 1;
        const run::RunFolder folder = makeRun(root("stuck"), config);
        Recorder recorder;
        QCOMPARE(trained(folder, recorder), RunState::Finished);
        QCOMPARE(recorder.notices().size(), std::size_t{1});
        QVERIFY2(recorder.notices()[0].find("At step 46 ") != std::string::npos,
                 linesOf(recorder.notices()).constData());
        QVERIFY(isAny(recorder.notices(), "no better than chance"));
        QVERIFY(isAny(recorder.notices(), "learning rate (now 1e-09)"));
        QCOMPARE(recorder.steps().size(), std::size_t{130});
    }
};

QTEST_GUILESS_MAIN(TestTrainerTrouble)
#include "test_trainer_trouble_torch.moc"
