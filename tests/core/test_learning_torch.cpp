// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;

/// Training really learns: some seconds on one core lead from chance (0.1) to retrieval, and twice to the same bits.
class TestLearning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (qEnvironmentVariableIsSet("LOOKBACK_SANITIZED"))
            QSKIP("learning takes minutes under a sanitizer, and test_trainer_torch takes the same paths");
    }

    void hybridSquareLearnsToRetrieve()
    {
        RunConfig config = presetConfig("tiny");
        config.variant = "hybrid_square";
        config.key_digits = 1;
        config.window = 5;
        config.steps = 360;
        config.checkpoint_every = 90;
        config.evaluation_n = {4, 8};
        const QTemporaryDir root;
        const std::filesystem::path parent = root.path().toStdString();
        const run::RunFolder first = makeRun(parent, config, "first");
        const run::RunFolder second = makeRun(parent, config, "second");
        {
            train::Trainer one(first, {"cpu", 1}, nullptr);
            Recorder recorder;
            train::Trainer other(second, {"cpu", 1}, &recorder);
            recorder.onStep = [&](std::int64_t step) {
                if (step == 128) // the same bits up to here are the same bits for ever
                    other.requestStop();
            };
            one.start();
            other.start();
            one.wait();
            other.wait();
            QCOMPARE(one.state(), run::RunState::Finished);
            QCOMPARE(other.state(), run::RunState::Stopped);
        }
        const std::vector<run::MetricsRecord> records = first.readMetricsLog().records;
        QVERIFY(records.front().retrievalAcc.value() < 0.25);
        double accuracy = 0.0;
        constexpr std::size_t kLast = 10;
        for (std::size_t i = records.size() - kLast; i < records.size(); ++i)
            accuracy += records[i].retrievalAcc.value() / static_cast<double>(kLast);
        QVERIFY2(accuracy > 0.95, qPrintable(QString::number(accuracy)));

        const eval::AccuracyCurve curve = first.readAccuracy().at(0);
        for (const eval::AccuracyPoint &point : curve.points) { // as trained, and on twice that length
            const double digits =
                static_cast<double>(point.digitsRight) / static_cast<double>(point.answers * config.value_digits);
            QVERIFY2(digits > 0.9, qPrintable(QString::number(digits)));
        }

        const run::Checkpoint a = run::checkpointAt(first, 128);
        const run::Checkpoint b = run::checkpointAt(second, 128);
        for (const auto part : {&run::Checkpoint::weights, &run::Checkpoint::moments}) {
            for (std::size_t i = 0; i < (a.*part).size(); ++i)
                QVERIFY2((a.*part)[i].bytes == (b.*part)[i].bytes, (a.*part)[i].name.c_str());
        }
        const std::vector<run::MetricsRecord> again = second.readMetricsLog().records;
        QCOMPARE(again.size(), std::size_t{13}); // step 1 and every tenth
        for (std::size_t i = 0; i < again.size(); ++i) {
            QCOMPARE(again[i].loss, records[i].loss);
            QCOMPARE(again[i].gradientNorm, records[i].gradientNorm);
        }
    }
};

QTEST_GUILESS_MAIN(TestLearning)
#include "test_learning_torch.moc"
