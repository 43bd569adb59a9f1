// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstring>

#include <QTest>

#include "core/run/checkpoint.h"
#include "core/run/run_folder.h"

using namespace lookback;
using namespace lookback::run;

// Whatever the program writes today, it reads what it ever wrote.
class TestFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runOfFormat1()
    {
        const RunFolder folder = RunFolder::open(LOOKBACK_TEST_SOURCE_DIR "/formats/run-1");
        const RunRecord record = folder.readRecord();
        QCOMPARE(record.config.variant, std::string("hybrid_square"));
        QCOMPARE(record.config.kv_heads, std::int64_t{2});
        QCOMPARE(record.config.learning_rate, 0.001);
        QCOMPARE(record.config.seed, ~std::uint64_t{0});
        QVERIFY((record.config.curriculum == std::vector<CurriculumStage>{{2, 500}, {4, 1000}}));
        QVERIFY((record.config.evaluation_n == std::vector<std::int64_t>{8, 16, 32}));
        QCOMPARE(record.state, RunState::Stopped);
        QCOMPARE(record.step, std::int64_t{1240});

        const MetricsLog log = folder.readMetricsLog();
        QVERIFY(log.notes.empty());
        QCOMPARE(log.records.size(), std::size_t{2});
        QCOMPARE(log.records[0].loss.value(), 2.6123);
        QVERIFY(std::isnan(log.records[1].loss.value()));
        QVERIFY(std::isinf(log.records[1].gradientNorm.value()));
        QVERIFY(!log.records[1].tokensPerSecond.has_value());

        const auto curves = folder.readAccuracy();
        QCOMPARE(curves.size(), std::size_t{1});
        QCOMPARE(curves[0].points[0].exact, std::int64_t{15});
        QVERIFY((curves[0].points[0].exactBySequence == std::vector<std::int64_t>{8, 7}));

        QCOMPARE(folder.checkpoints().size(), std::size_t{1});
        const Checkpoint checkpoint = checkpointAt(folder, -1);
        QCOMPARE(checkpoint.step, std::int64_t{1000});
        QCOMPARE(checkpoint.elapsedSeconds, 250.5);
        QVERIFY(checkpoint.config == record.config);
        QCOMPARE(checkpoint.weights.size(), std::size_t{1});
        float numbers[2] = {};
        QCOMPARE(checkpoint.weights[0].bytes.size(), sizeof numbers);
        std::memcpy(numbers, checkpoint.weights[0].bytes.data(), sizeof numbers);
        QCOMPARE(numbers[0], 1.5F);
        QCOMPARE(numbers[1], -2.25F);
        QCOMPARE(checkpoint.moments.size(), std::size_t{2});
    }
};

QTEST_GUILESS_MAIN(TestFormats)
#include "test_formats.moc"
