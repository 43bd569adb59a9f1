// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstring>
#include <filesystem>

#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "core/run/checkpoint.h"
#include "core/run/checkpoint_store.h"
#include "core/run/file.h"
#include "core/run/run_folder.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

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
        QVERIFY(record.kernels == Kernels::Reference); // not in the file: there were no others

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

    void wholeRunOfFormat1()
    {
        const RunFolder folder = RunFolder::open(LOOKBACK_TEST_SOURCE_DIR "/formats/run-1-whole");
        const RunRecord record = folder.readRecord();
        QCOMPARE(record.state, RunState::Finished);
        QCOMPARE(record.programVersion, std::string("0.1.0"));
        QCOMPARE(record.threads, 1);
        QCOMPARE(record.preset, std::string("tiny"));
        QCOMPARE(record.config.d_model, 4);
        QCOMPARE(record.config.learning_rate, 0.005);

        const MetricsLog log = folder.readMetricsLog();
        QVERIFY(log.notes.empty());
        QCOMPARE(log.records.size(), std::size_t{2});
        QCOMPARE(log.records[1].step, 3);
        QCOMPARE(log.records[1].loss.value(), 2.5960888862609863);
        QCOMPARE(log.records[1].elapsedSeconds.value(), 0.011031136);

        const auto curves = folder.readAccuracy();
        QCOMPARE(curves.size(), std::size_t{1});
        QCOMPARE(curves[0].step, 3);
        QCOMPARE(curves[0].points.size(), std::size_t{1});
        QCOMPARE(curves[0].points[0].answers, 4);

        const fs::path list = folder.checkpointFile(0).parent_path() / "manifest.json";
        const std::vector<ManifestEntry> entries = manifestFromJson(readFileWhole(list), list.string());
        QCOMPARE(entries.size(), std::size_t{4});
        QCOMPARE(entries[0].purpose, CheckpointPurpose::Early);
        QCOMPARE(entries[3].purpose, CheckpointPurpose::Final);
        for (const ManifestEntry &entry : entries) {
            const Checkpoint checkpoint = checkpointAt(folder, entry.step); // as large as the list says, and unchanged
            QCOMPARE(checkpoint.step, entry.step);
            QCOMPARE(checkpoint.checksum, entry.checksum);
            QVERIFY(checkpoint.config == record.config);
            QCOMPARE(checkpoint.moments.size(), 2 * checkpoint.weights.size());
            QCOMPARE(checkpoint.rateFactor, 1.0);
        }
    }

    void newerFilesAreRefusedAndLeftAlone_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("version");
        QTest::newRow("record") << QStringLiteral("run.json") << QByteArray("\"format_version\": 1");
        QTest::newRow("evaluations") << QStringLiteral("accuracy_vs_context.json")
                                     << QByteArray("\"format_version\": 1");
        QTest::newRow("list") << QStringLiteral("checkpoints/manifest.json") << QByteArray("\"format_version\": 1");
        QTest::newRow("checkpoint") << QStringLiteral("checkpoints/step-00000003.safetensors")
                                    << QByteArray("\"format_version\":\"1");
    }
    /// The sentence names file, both versions and what to do.
    void newerFilesAreRefusedAndLeftAlone()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, version);
        const QTemporaryDir place;
        const fs::path copy = fs::path(place.path().toStdString()) / "run";
        fs::copy(LOOKBACK_TEST_SOURCE_DIR "/formats/run-1-whole", copy, fs::copy_options::recursive);
        const fs::path file = copy / name.toStdString();
        QByteArray bytes = QByteArray::fromStdString(readFileWhole(file));
        QCOMPARE(bytes.count(version), 1);
        QByteArray newer = version;
        newer.back() = '7';
        bytes.replace(version, newer);
        writeFileWhole(file, std::string_view(bytes.constData(), std::size_t(bytes.size())));

        const RunFolder folder(copy);
        QString sentence;
        try {
            folder.readRecord();
            folder.readAccuracy();
            const fs::path list = folder.checkpointFile(0).parent_path() / "manifest.json";
            manifestFromJson(readFileWhole(list), list.string());
            readCheckpoint(folder.checkpointFile(3));
        } catch (const Error &error) {
            sentence = QString::fromStdString(error.sentence());
        }
        for (const QString &part : {name, QStringLiteral(" 7"), QStringLiteral(" 1"), QStringLiteral("Lookback")})
            QVERIFY2(sentence.contains(part), qPrintable(sentence));
        QCOMPARE(QByteArray::fromStdString(readFileWhole(file)), bytes);
        if (!name.contains(QLatin1String("run.json"))) { // the rest of the run is there all the same
            QVERIFY(folder.readRecord().state == RunState::Finished);
            QCOMPARE(newestCheckpoint(folder)->step, name.contains(QLatin1String("step")) ? 2 : 3);
        }
    }
};

QTEST_GUILESS_MAIN(TestFormats)
#include "test_formats.moc"
