// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What a training does when something is wrong: weights, files, settings, another trainer.
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint_store.h"
#include "core/run/run_lock.h"
#include "core/train/schedule.h"
#include "tests/core/broken_run.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;

namespace {

float lastWeight(const run::Checkpoint &checkpoint)
{
    float value = 0;
    std::memcpy(&value, checkpoint.weights.back().bytes.data(), sizeof value);
    return value;
}

} // namespace

class TestTrainerFaults : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    int m_count = 0;
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

    /// Logged, saved and evaluated after the step that the run went back to: it belongs to weights that never became
    /// part of the run, and goes with them. No checkpoint is deleted.
    void whatFollowedGoesWithTheWeights_data()
    {
        QTest::addColumn<int>("brokenAt");
        QTest::newRow("where a checkpoint is due") << 10;
        QTest::newRow("where none is due again") << 9;
    }
    void whatFollowedGoesWithTheWeights()
    {
        QFETCH(int, brokenAt);
        RunConfig config = smallConfig("hybrid_square", 25);
        config.evaluate_every = 4;
        const std::string name = "nan-evaluated-" + std::to_string(brokenAt);
        const run::RunFolder whole = trainWhole(root((name + "-whole").c_str()), config);
        const run::RunFolder folder = brokenRun(root(name.c_str()), config, {brokenAt});
        eval::AccuracyCurve curve = folder.readAccuracy().back();
        QCOMPARE(curve.step, 8);
        curve.step = brokenAt;
        folder.writeAccuracy(curve);
        {
            Recorder recorder;
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            recorder.onStep = [&](std::int64_t step) { // after it went back
                if (step == 9)
                    trainer.requestStop();
            };
            trainer.start();
            trainer.wait();
            QCOMPARE(recorder.goneBackTo(), (std::vector<std::int64_t>{8}));
        }
        QCOMPARE(folder.readAccuracy().back().step, 8);
        QCOMPARE(keptSteps(folder), (std::vector<std::int64_t>{0, 1, 2, 4, 8, 9}));
        QCOMPARE(run::CheckpointStore(folder).entries().back().step, 9);
        const auto abandoned = folder.checkpointFile(0).parent_path()
            / (brokenAt == 9 ? "abandoned-00000009.safetensors" : "abandoned-00000010.safetensors");
        QVERIFY(!std::isfinite(lastWeight(run::readCheckpoint(abandoned))));
        QVERIFY(run::checkpointAt(folder, 8).hasGoneBack); // so that a kill before the next checkpoint changes nothing
        Trainer trainer(folder, {"cpu", 1}, nullptr);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        QVERIFY(bitsOf(folder) == bitsOf(whole));
    }

    /// A kill between the moment at which the run went back and its next checkpoint: the rate stays the lower one, and
    /// is not lowered twice.
    void killedAfterGoingBack_data()
    {
        QTest::addColumn<bool>("isAbandonedStill");
        QTest::newRow("before the later checkpoint went") << true;
        QTest::newRow("after it") << false;
    }
    void killedAfterGoingBack()
    {
        QFETCH(bool, isAbandonedStill);
        RunConfig config = smallConfig("hybrid_square", 25);
        config.recovery_factor = 0.5;
        const char *const name = isAbandonedStill ? "nan-killed" : "nan-killed-later";
        const run::RunFolder folder = brokenRun(root(name), config, {10});
        run::RunFolder copy(root(name) / "copy");
        {
            Recorder recorder;
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            recorder.onStep = [&](std::int64_t step) {
                if (step != 9 || std::filesystem::exists(copy.path()))
                    return;
                std::filesystem::copy(folder.path(), copy.path(), std::filesystem::copy_options::recursive);
            };
            trainer.start();
            trainer.wait();
        }
        if (isAbandonedStill) {
            const auto abandoned = copy.checkpointFile(0).parent_path() / "abandoned-00000010.safetensors";
            std::filesystem::rename(abandoned, copy.checkpointFile(10));
        }
        Trainer trainer(copy, {"cpu", 1}, nullptr);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Finished);
        QCOMPARE(run::checkpointAt(copy, 25).rateFactor, 0.5);
        QVERIFY(bitsOf(copy) == bitsOf(folder));
    }

    /// Whichever file of a run a newer program wrote: the run is refused with a sentence, and no byte of it changes.
    void filesOfANewerProgramAreLeftAlone_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("version");
        QTest::newRow("record") << QStringLiteral("run.json") << QByteArray("\"format_version\": 1");
        QTest::newRow("evaluations") << QStringLiteral("accuracy_vs_context.json")
                                     << QByteArray("\"format_version\": 1");
        QTest::newRow("list") << QStringLiteral("checkpoints/manifest.json") << QByteArray("\"format_version\": 1");
        QTest::newRow("newest checkpoint")
            << QStringLiteral("checkpoints/step-00000009.safetensors") << QByteArray("\"format_version\":\"1");
    }
    void filesOfANewerProgramAreLeftAlone()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, version);
        RunConfig config = smallConfig("hybrid_square", 25);
        config.evaluate_every = 4;
        const std::string place = "newer-" + std::to_string(++m_count);
        const run::RunFolder folder = makeRun(root(place.c_str()), config);
        {
            Recorder recorder;
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            recorder.onStep = [&](std::int64_t step) {
                if (step == 9)
                    trainer.requestStop();
            };
            trainer.start();
            trainer.wait();
        }
        const std::filesystem::path file = folder.path() / name.toStdString();
        QByteArray bytes = QByteArray::fromStdString(textOf(file));
        QByteArray newer = version;
        newer.back() = '7';
        QCOMPARE(bytes.count(version), 1);
        bytes.replace(version, newer);
        std::ofstream(file, std::ios::binary) << bytes.toStdString();
        const auto content = [&] {
            std::map<std::string, std::string> texts;
            for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.path())) {
                if (entry.is_regular_file() && entry.path().filename() != "run.lock")
                    texts[entry.path().string()] = textOf(entry.path());
            }
            return texts;
        };
        const auto before = content();
        Recorder recorder;
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QCOMPARE(trainer.state(), RunState::Failed);
        QCOMPARE(recorder.failures().size(), std::size_t{1});
        const QString sentence = QString::fromStdString(recorder.failures().front());
        for (const QString &part : {name, QStringLiteral(" 7"), QStringLiteral(" 1"), QStringLiteral("Lookback")})
            QVERIFY2(sentence.contains(part), qPrintable(sentence));
        QVERIFY(recorder.steps().empty());
        QVERIFY(content() == before);
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
        QCOMPARE(keptSteps(folder), (std::vector<std::int64_t>{0, 1, 2, 4, 8})); // 10 came after where it went back to
        QVERIFY(std::filesystem::exists(folder.checkpointFile(0).parent_path() / "abandoned-00000010.safetensors"));
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
