// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <iostream>
#include <string_view>

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint.h"
#include "core/run/run_lock.h"
#include "core/run/run_scan.h"
#include "core/train/schedule.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;

class TestTrainer : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path root(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

private Q_SLOTS:
    void trainsWritesAndFinishes()
    {
        const RunConfig config = smallConfig("hybrid_square", 23);
        const run::RunFolder folder = makeRun(root("whole"), config);
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        QCOMPARE(trainer.state(), RunState::Queued);
        trainer.start();
        trainer.start(); // a second call changes nothing
        trainer.wait();

        QCOMPARE(trainer.state(), RunState::Finished);
        QCOMPARE(recorder.states(), (std::vector{RunState::Initialising, RunState::Running, RunState::Finished}));
        QCOMPARE(recorder.failures(), std::vector<std::string>());
        QCOMPARE(recorder.notices(), std::vector<std::string>());
        QCOMPARE(recorder.saved(), (std::vector<std::int64_t>{0, 1, 2, 4, 8, 10, 16, 20, 23}));
        // Of those for progress the last one before the end stays.
        QCOMPARE(keptSteps(folder), (std::vector<std::int64_t>{0, 1, 2, 4, 8, 16, 20, 23}));
        QCOMPARE(loggedSteps(folder), (std::vector<std::int64_t>{1, 5, 10, 15, 20, 23}));
        QCOMPARE(recorder.steps().size(), std::size_t{23});
        for (const run::MetricsRecord &record : recorder.steps()) {
            QCOMPARE(record.n_keys, record.step <= 12 ? 2 : 3);
            QCOMPARE(record.learningRate.value(), train::learningRateAt(config, record.step));
            QVERIFY(record.loss.value() > 0.0 && record.loss.value() < 5.0);
            QVERIFY(record.retrievalAcc.value() >= 0.0 && record.retrievalAcc.value() <= 1.0);
            QVERIFY(record.gradientNorm.value() > 0.0);
            QVERIFY(record.tokensPerSecond.value() > 0.0);
        }
        QCOMPARE(recorder.steps().back().learningRate.value(), 0.0);

        const run::RunRecord record = folder.readRecord();
        QCOMPARE(record.state, RunState::Finished);
        QCOMPARE(record.step, 23);
        QVERIFY(!record.started.empty() && !record.ended.empty() && !record.processor.empty());
        QVERIFY(!record.libtorchVersion.empty());

        const std::vector<eval::AccuracyCurve> curves = folder.readAccuracy();
        QCOMPARE(curves.size(), std::size_t{1});
        QCOMPARE(curves[0].step, 23);
        QCOMPARE(curves[0].points.size(), std::size_t{2});
        QCOMPARE(curves[0].points[1].n_keys, 4);
        QCOMPARE(curves[0].points[1].answers, 24);
        QVERIFY(!run::RunLock::owner(folder.path()));
    }

    void sameSeedSameBits_data()
    {
        QTest::addColumn<QString>("variant");
        for (const char *variant : {"rope", "rope_square", "partial_rope", "partial_rope_square", "hybrid",
                                    "hybrid_square", "hybrid_nowindow", "hybrid_square_nowindow", "hybrid_square_kda"})
            QTest::newRow(variant) << QString::fromLatin1(variant);
    }
    void sameSeedSameBits()
    {
        QFETCH(QString, variant);
        RunConfig config = smallConfig(variant.toStdString(), 25);
        const std::string name = variant.toStdString();
        const Bits first = bitsOf(trainWhole(root(("bits-a-" + name).c_str()), config));
        QVERIFY(!first.tensors.empty());

        // Again, beside another run.
        {
            const run::RunFolder folder = makeRun(root(("bits-b-" + name).c_str()), config);
            const run::RunFolder other = makeRun(root("bits-beside"), smallConfig("rope", 100000));
            Trainer beside(other, {"cpu", 2}, nullptr);
            Trainer trainer(folder, {"cpu", 1}, nullptr);
            beside.start();
            trainer.start();
            trainer.wait();
            beside.abort();
            QVERIFY(bitsOf(folder) == first);
        }

        // Stopped twice, and once with an evaluation in between.
        {
            config.evaluate_every = 7;
            const run::RunFolder folder = makeRun(root(("bits-c-" + name).c_str()), config);
            for (const std::int64_t stopAt : {6, 13}) {
                Recorder recorder;
                Trainer trainer(folder, {"cpu", 1}, &recorder);
                recorder.onStep = [&](std::int64_t step) {
                    if (step == stopAt)
                        trainer.requestStop();
                };
                trainer.start();
                trainer.wait();
                QCOMPARE(trainer.state(), RunState::Stopped);
                QCOMPARE(recorder.steps().back().step, stopAt);
                QCOMPARE(folder.checkpoints().back().step, stopAt);
            }
            Trainer trainer(folder, {"cpu", 1}, nullptr);
            trainer.start();
            trainer.wait();
            Bits bits = bitsOf(folder);
            QVERIFY(bits.tensors == first.tensors);
            QCOMPARE(loggedSteps(folder), (std::vector<std::int64_t>{1, 5, 10, 15, 20, 25}));
            bits.numbers.resize(36); // the log without the evaluations, of which this run has more
            QVERIFY(std::equal(bits.numbers.begin(), bits.numbers.end(), first.numbers.begin()));
        }

        // Aborted at step 18, as a kill would: back to step 16, the log too.
        {
            config.evaluate_every = 0;
            const run::RunFolder folder = makeRun(root(("bits-d-" + name).c_str()), config);
            {
                Recorder recorder;
                Trainer trainer(folder, {"cpu", 1}, &recorder);
                recorder.onStep = [&](std::int64_t step) {
                    if (step == 18)
                        trainer.abort();
                };
                trainer.start();
                trainer.wait();
                QCOMPARE(trainer.state(), RunState::Stopped);
            }
            QCOMPARE(loggedSteps(folder).back(), 15);
            std::ofstream(folder.metricsFile(), std::ios::app) << "{\"step\": 17, \"lo"; // half a line
            Recorder recorder;
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            trainer.start();
            trainer.wait();
            QCOMPARE(recorder.steps().front().step, 17);
            QVERIFY(bitsOf(folder) == first);
        }
    }

    /// Several threads share the sums of a step; with a fixed count they do so the same way each time.
    void sameBitsWithTwoThreads()
    {
        RunConfig config = smallConfig("hybrid_square", 8);
        config.d_model = 32;
        config.ffn_hidden = 64;
        config.batch = 64; // enough work for a step to be shared
        std::vector<Bits> bits;
        for (const char *name : {"threads-a", "threads-b"}) {
            const run::RunFolder folder = makeRun(root(name), config);
            Trainer trainer(folder, {"cpu", 2}, nullptr, false);
            trainer.start();
            trainer.wait();
            QCOMPARE(trainer.state(), RunState::Finished);
            bits.push_back(bitsOf(folder));
        }
        QVERIFY(bits[0] == bits[1]);
    }

    /// Softmax variants with fused kernels: the whole training does not depend on the number of threads.
    void sameBitsForAnyNumberOfThreads_data()
    {
        QTest::addColumn<std::string>("variant");
        for (const char *variant : {"hybrid_square", "partial_rope", "hybrid_square_kda"})
            QTest::addRow("%s", variant) << std::string(variant);
    }
    void sameBitsForAnyNumberOfThreads()
    {
        QFETCH(std::string, variant);
        RunConfig config = smallConfig(variant, 8);
        config.d_model = 32;
        config.ffn_hidden = 64;
        config.batch = 64;
        std::vector<Bits> bits;
        for (const int threads : {1, 2, 3}) {
            const run::RunFolder folder = makeRun(root((variant + "-any-" + std::to_string(threads)).c_str()), config);
            Trainer trainer(folder, {"cpu", threads}, nullptr, false);
            trainer.start();
            trainer.wait();
            QCOMPARE(trainer.state(), RunState::Finished);
            bits.push_back(bitsOf(folder));
        }
        QVERIFY(bits[0] == bits[1]);
        QVERIFY(bits[0] == bits[2]);
    }

    /// The process dies in the middle of a step, a log line or a checkpoint: nothing but time is lost.
    void killedProcessIsContinued_data()
    {
        QTest::addColumn<int>("killAt");
        for (const int step : {4, 10, 17, 20})
            QTest::addRow("step %d", step) << step;
    }
    void killedProcessIsContinued()
    {
        QFETCH(int, killAt);
        const RunConfig config = smallConfig("hybrid_square", 25);
        const std::string name = "killed-" + std::to_string(killAt);
        const run::RunFolder folder = makeRun(root(name.c_str()), config);
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(QCoreApplication::applicationFilePath(),
                      {QStringLiteral("train"), QString::fromStdString(folder.path().string())});
        QByteArray said;
        while (!said.contains(QByteArray("step " + QByteArray::number(killAt) + "\n"))) {
            QVERIFY2(process.waitForReadyRead(120000), said.constData());
            said += process.readAllStandardOutput();
        }
        process.kill();
        QVERIFY(process.waitForFinished(120000));

        const run::RunSnapshot found = run::scanRun(folder.path());
        if (found.state == RunState::Finished)
            QSKIP("the process was done before it could be killed");
        QCOMPARE(found.state, RunState::Interrupted);
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        QVERIFY(recorder.notices().empty());
        QVERIFY(bitsOf(folder) == bitsOf(trainWhole(root((name + "-twin").c_str()), config)));
        for (const auto &item : std::filesystem::recursive_directory_iterator(folder.path()))
            QVERIFY2(item.path().extension() != ".tmp", item.path().c_str()); // nothing is left lying about
    }

    void anotherSeedOtherBits()
    {
        RunConfig config = smallConfig("hybrid_square", 6);
        const Bits first = bitsOf(trainWhole(root("seed-0"), config));
        config.seed = 1;
        QVERIFY(!(bitsOf(trainWhole(root("seed-1"), config)) == first));
    }

    void pausesAndGoesOn()
    {
        const run::RunFolder folder = makeRun(root("pause"), smallConfig("hybrid_square", 20));
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        recorder.onStep = [&](std::int64_t step) {
            if (step == 7)
                trainer.pause();
        };
        trainer.start();
        recorder.waitForState(RunState::Paused);
        QCOMPARE(recorder.steps().back().step, 7);
        QCOMPARE(folder.readRecord().state, RunState::Paused);
        QVERIFY(run::RunLock::owner(folder.path()));
        trainer.resume();
        trainer.wait();
        QCOMPARE(recorder.states(),
                 (std::vector{RunState::Initialising, RunState::Running, RunState::Paused, RunState::Running,
                              RunState::Finished}));
        const RunConfig config = smallConfig("hybrid_square", 20);
        QVERIFY(bitsOf(folder) == bitsOf(trainWhole(root("not-paused"), config)));
    }

    void stopsWhilePausedWithACheckpoint()
    {
        const run::RunFolder folder = makeRun(root("stop-paused"), smallConfig("hybrid_square", 20));
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        recorder.onStep = [&](std::int64_t step) {
            if (step == 3)
                trainer.pause();
        };
        trainer.start();
        recorder.waitForState(RunState::Paused);
        trainer.requestStop();
        trainer.requestStop();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Stopped);
        QCOMPARE(folder.checkpoints().back().step, 3);
    }

    void savesOnRequest()
    {
        const run::RunFolder folder = makeRun(root("save-now"), smallConfig("hybrid_square", 9));
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        recorder.onStep = [&](std::int64_t step) {
            if (step == 3)
                trainer.saveNow();
        };
        trainer.start();
        trainer.wait();
        QCOMPARE(recorder.saved(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 8, 9}));
    }

    void stoppedEvaluationIsContinued()
    {
        const run::RunFolder folder = makeRun(root("stop-evaluation"), smallConfig("hybrid_square", 6));
        {
            Recorder recorder;
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            recorder.onEvaluationProgress = [&](const Progress &progress) {
                if (progress.what.starts_with("n = 4: 0"))
                    trainer.requestStop();
            };
            trainer.start();
            trainer.wait();
            QCOMPARE(trainer.state(), RunState::Stopped);
            QCOMPARE(folder.readAccuracy().at(0).points.size(), std::size_t{1});
        }
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        QVERIFY(recorder.steps().empty());
        QCOMPARE(folder.readAccuracy().at(0).points.size(), std::size_t{2});
        QCOMPARE(recorder.curves().size(), std::size_t{1}); // only what was missing
    }

    void cancelledEvaluationLeavesTheRunFinished()
    {
        const run::RunFolder folder = makeRun(root("cancel-evaluation"), smallConfig("hybrid_square", 6));
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        recorder.onEvaluationProgress = [&](const Progress &) { trainer.cancelEvaluation(); };
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        QVERIFY(recorder.reason().find("evaluation") != std::string::npos);
        QVERIFY(folder.readAccuracy().empty());
    }

    void destructorEndsATraining()
    {
        const run::RunFolder folder = makeRun(root("destroy"), smallConfig("hybrid_square", 100000));
        Recorder recorder;
        {
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            trainer.start();
            recorder.waitForState(RunState::Running);
        }
        QCOMPARE(recorder.states().back(), RunState::Stopped);
        QVERIFY(!run::RunLock::owner(folder.path()));
        {
            Trainer never(folder, {"cpu", 1}, &recorder);
        }
    }
};

namespace {

/// "train <folder>": trains that run and says each finished step; for the test that kills it.
int trainAlone(const std::filesystem::path &folder)
{
    Recorder recorder;
    recorder.onStep = [](std::int64_t step) { std::cout << "step " << step << std::endl; };
    Trainer trainer(run::RunFolder(folder), {"cpu", 1}, &recorder);
    trainer.start();
    trainer.wait();
    return trainer.state() == RunState::Finished ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    if (argc == 3 && std::string_view(argv[1]) == "train")
        return trainAlone(argv[2]);
    TestTrainer test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_trainer_torch.moc"
