// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What a training does when something is wrong: weights, files, settings, another trainer.
#include <cmath>
#include <cstring>
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint.h"
#include "core/run/run_lock.h"
#include "core/train/schedule.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;

namespace {

/// A run that was stopped after the last of `steps`, where each of these checkpoints has an infinite weight.
run::RunFolder brokenRun(const std::filesystem::path &root, const RunConfig &config,
                         const std::vector<std::int64_t> &steps)
{
    const run::RunFolder folder = makeRun(root, config);
    {
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        recorder.onStep = [&](std::int64_t step) {
            if (step == steps.back())
                trainer.requestStop();
        };
        trainer.start();
        trainer.wait();
    }
    for (const std::int64_t step : steps) {
        run::Checkpoint checkpoint = run::checkpointAt(folder, step);
        const float infinite = INFINITY;
        std::memcpy(checkpoint.weights.back().bytes.data(), &infinite, sizeof infinite);
        run::writeCheckpoint(folder.checkpointFile(step), checkpoint);
        std::filesystem::remove(folder.checkpointFile(step).parent_path() / "manifest.json");
    }
    return folder;
}

} // namespace

class TestTrainerFaults : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path root(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

private Q_SLOTS:
    /// The newest checkpoint holds an infinite weight: its steps are skipped, then the run goes back to the one before.
    void brokenWeightsAreLeftBehind()
    {
        const RunConfig config = smallConfig("hybrid_square", 25);
        const run::RunFolder whole = trainWhole(root("nan-whole"), config);
        const run::RunFolder folder = brokenRun(root("nan"), config, {10});
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        std::vector<std::int64_t> steps;
        for (const run::MetricsRecord &record : recorder.steps())
            steps.push_back(record.step);
        QCOMPARE((std::vector<std::int64_t>(steps.begin(), steps.begin() + 7)),
                 (std::vector<std::int64_t>{11, 12, 13, 14, 15, 9, 10}));
        QVERIFY(!std::isfinite(recorder.steps().front().loss.value()));
        QCOMPARE(recorder.notices().size(), std::size_t{2});
        QVERIFY(recorder.notices()[0].find("step 11") != std::string::npos);
        QVERIFY(recorder.notices()[1].find("went back to step 8") != std::string::npos);
        // With the rate unchanged it is the run that nothing happened to.
        QVERIFY(bitsOf(folder) == bitsOf(whole));
    }

    void rateIsLowerAfterGoingBackIfAskedFor()
    {
        RunConfig config = smallConfig("hybrid_square", 25);
        config.recovery_factor = 0.5;
        const run::RunFolder folder = brokenRun(root("nan-lower"), config, {10});
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        for (const run::MetricsRecord &record : recorder.steps()) {
            const bool isBefore = !std::isfinite(record.loss.value());
            QCOMPARE(record.learningRate.value(), train::learningRateAt(config, record.step) * (isBefore ? 1.0 : 0.5));
        }
        const run::Checkpoint last = run::checkpointAt(folder, 25);
        QVERIFY(last.hasGoneBack);
        QCOMPARE(last.rateFactor, 0.5);
    }

    void brokenLossEndsTheRunWhenGoingBackDoesNotHelp()
    {
        const RunConfig config = smallConfig("hybrid_square", 40);
        const run::RunFolder folder = brokenRun(root("nan-all"), config, {0, 1, 2, 4, 8, 10});
        const auto before = bitsOf(folder);
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Failed);
        const run::MetricsRecord last = folder.readMetricsLog().records.back();
        QVERIFY(!std::isfinite(last.loss.value()));
        QVERIFY(last.retrievalAcc.has_value());
        QVERIFY2(recorder.reason().find("5 steps in a row were skipped") != std::string::npos,
                 recorder.reason().c_str());
        QCOMPARE(folder.readRecord().state, RunState::Failed);
        QCOMPARE(folder.readRecord().endReason, recorder.reason());
        QCOMPARE(folder.checkpoints().back().step, 10); // nothing was saved over the old ones
    }

    void damagedCheckpointIsPassedOver()
    {
        const RunConfig config = smallConfig("hybrid_square", 25);
        const run::RunFolder folder = trainWhole(root("damaged"), config);
        const Bits whole = bitsOf(folder);
        std::filesystem::resize_file(folder.checkpointFile(25), 1000);
        std::string bytes = textOf(folder.checkpointFile(20));
        bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
        std::ofstream(folder.checkpointFile(20), std::ios::binary) << bytes;

        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        QCOMPARE(recorder.steps().front().step, 17);
        QCOMPARE(recorder.notices().size(), std::size_t{2});
        QVERIFY(bitsOf(folder) == whole);
    }

    void anotherSetUpIsRefused_data()
    {
        QTest::addColumn<QString>("setting");
        QTest::newRow("width") << QStringLiteral("ffn_hidden=32");
        QTest::newRow("steps") << QStringLiteral("steps=50");
        QTest::newRow("seed") << QStringLiteral("seed=9");
        QTest::newRow("rate") << QStringLiteral("learning_rate=0.1");
    }

    void anotherSetUpIsRefused()
    {
        QFETCH(QString, setting);
        const run::RunFolder folder = makeRun(root("other-set-up"), smallConfig("hybrid_square", 11));
        {
            Trainer trainer(folder, {"cpu", 1}, nullptr, false);
            trainer.start();
            trainer.wait();
        }
        run::RunRecord record = folder.readRecord();
        applySetting(record.config, setting.toStdString());
        folder.writeRecord(record);
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Failed);
        QCOMPARE(recorder.failures().size(), std::size_t{1});
        const std::string field = setting.section(QLatin1Char('='), 0, 0).toStdString();
        QVERIFY(recorder.failures().front().find(field) != std::string::npos);
        QVERIFY(recorder.steps().empty());
    }

    void aSecondTrainerIsRefused()
    {
        const run::RunFolder folder = makeRun(root("twice"), smallConfig("hybrid_square", 100000));
        Recorder recorder;
        Trainer first(folder, {"cpu", 1}, &recorder);
        first.start();
        recorder.waitForState(RunState::Running);
        Recorder other;
        Trainer second(folder, {"cpu", 1}, &other);
        second.start();
        second.wait();
        QCOMPARE(second.state(), RunState::Stopped);
        QVERIFY(other.failures().empty());
        QVERIFY(other.refusals().front().find(std::to_string(QCoreApplication::applicationPid())) != std::string::npos);
        QCOMPARE(first.state(), RunState::Running);
        QCOMPARE(folder.readRecord().state, RunState::Running);
        first.requestStop();
        first.wait();
        QCOMPARE(first.state(), RunState::Stopped);
    }

    void whatCannotStartSaysWhy()
    {
        RunConfig config = smallConfig("hybrid_square", 10);
        const run::RunFolder folder = makeRun(root("wrong"), config);
        run::RunRecord record = folder.readRecord();
        record.config.query_heads = 3; // 16 is not divisible by 3
        folder.writeRecord(record);
        Recorder recorder;
        {
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            trainer.start();
            trainer.wait();
            QCOMPARE(trainer.state(), RunState::Failed);
            QCOMPARE(recorder.failures().size(), std::size_t{1});
        }
        Recorder missing;
        Trainer trainer(run::RunFolder(root("nowhere")), {"cpu", 1}, &missing);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Failed);
        QCOMPARE(missing.failures().size(), std::size_t{1});
    }

    void checkpointThatCannotBeWrittenDoesNotEndTheRun()
    {
        const run::RunFolder folder = makeRun(root("no-space"), smallConfig("hybrid_square", 30));
        const std::filesystem::path checkpoints = folder.checkpointFile(0).parent_path();
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        recorder.onStep = [&](std::int64_t step) {
            // A file where the folder should be: root ignores permissions, this stops everybody.
            if (step == 8) {
                std::filesystem::remove_all(checkpoints);
                std::ofstream(checkpoints) << "in the way";
            } else if (step == 18) {
                std::filesystem::remove(checkpoints);
                std::filesystem::create_directory(checkpoints);
            }
        };
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        QCOMPARE(recorder.notices().size(), std::size_t{1});
        QCOMPARE(recorder.saved(), (std::vector<std::int64_t>{0, 1, 2, 4, 20, 30}));
    }

    void endingWithoutACheckpointIsAFailureThatSaysWhy()
    {
        const run::RunFolder folder = makeRun(root("no-space-at-end"), smallConfig("hybrid_square", 9));
        const std::filesystem::path checkpoints = folder.checkpointFile(0).parent_path();
        std::filesystem::remove_all(checkpoints);
        std::ofstream(checkpoints) << "in the way";
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Failed);
        QCOMPARE(folder.readRecord().state, RunState::Failed);
    }
};

QTEST_GUILESS_MAIN(TestTrainerFaults)
#include "test_trainer_faults_torch.moc"
