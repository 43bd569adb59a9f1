// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint.h"
#include "core/run/run_lock.h"
#include "core/run/run_scan.h"
#include "core/train/schedule.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;

namespace {

/// What decides whether two trainings were the same, bit for bit.
struct Bits {
    std::vector<std::vector<std::byte>> tensors;
    std::vector<double> numbers;
    bool operator==(const Bits &) const = default;
};

Bits bitsOf(const run::RunFolder &folder)
{
    Bits bits;
    const run::Checkpoint checkpoint = run::checkpointAt(folder, -1);
    for (const auto *tensors : {&checkpoint.weights, &checkpoint.moments}) {
        for (const run::StoredTensor &tensor : *tensors)
            bits.tensors.push_back(tensor.bytes);
    }
    for (const run::MetricsRecord &record : folder.readMetricsLog().records) {
        for (const auto &value : {record.loss, record.retrievalAcc, record.learningRate, record.gradientNorm})
            bits.numbers.push_back(value.value());
        bits.numbers.push_back(static_cast<double>(record.step));
        bits.numbers.push_back(static_cast<double>(record.n_keys));
    }
    for (const eval::AccuracyCurve &curve : folder.readAccuracy()) {
        for (const eval::AccuracyPoint &point : curve.points) {
            bits.numbers.push_back(point.meanLoss);
            bits.numbers.push_back(point.accuracy);
        }
    }
    return bits;
}

std::string textOf(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::int64_t> loggedSteps(const run::RunFolder &folder)
{
    std::vector<std::int64_t> steps;
    for (const run::MetricsRecord &record : folder.readMetricsLog().records)
        steps.push_back(record.step);
    return steps;
}

std::vector<std::int64_t> keptSteps(const run::RunFolder &folder)
{
    std::vector<std::int64_t> steps;
    for (const run::CheckpointInfo &info : folder.checkpoints())
        steps.push_back(info.step);
    return steps;
}

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

class TestTrainer : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path root(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    /// Trains to the end in one go.
    static run::RunFolder trainWhole(const std::filesystem::path &parent, const RunConfig &config)
    {
        run::RunFolder folder = makeRun(parent, config);
        Trainer trainer(folder, {"cpu", 1}, nullptr);
        trainer.start();
        trainer.wait();
        return folder;
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
        for (const char *variant : {"hybrid_square", "rope", "partial_rope_square", "hybrid_square_kda"})
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
