// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include "core/error.h"
#include "core/run/export.h"
#include "core/run/kvbench.h"
#include "core/run/metrics_writer.h"
#include "core/run/run_scan.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

/// A pipe, a device or a folder in the place of any file of a run: each reader answers at once, with a sentence. (One
/// that waits for the other end of a pipe hangs, and the time limit of the test program ends it.)
class TestNoRegularFile : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    int m_number = 0;

    /// A copy of the sample run with something else in the place of `name`.
    fs::path runWith(const QString &kind, const fs::path &name)
    {
        const fs::path folder = fs::path(m_folder.path().toStdString()) / std::to_string(++m_number) / "run";
        fs::create_directories(folder.parent_path());
        fs::copy(fs::path(LOOKBACK_TEST_SOURCE_DIR "/formats/run-1"), folder, fs::copy_options::recursive);
        fs::remove(folder / name);
        if (kind == QLatin1String("pipe"))
            mkfifo((folder / name).c_str(), 0600);
        else if (kind == QLatin1String("device"))
            fs::create_symlink("/dev/zero", folder / name);
        else
            fs::create_directory(folder / name);
        return folder;
    }

    static std::string sentenceOf(const std::function<void()> &read)
    {
        try {
            read();
        } catch (const Error &error) {
            return error.sentence();
        }
        return {};
    }

    static bool saysWhat(const std::string &sentence)
    {
        const QString text = QString::fromStdString(sentence);
        return text.contains(QLatin1String("not a regular file")) || text.contains(QLatin1String("folder"));
    }

private Q_SLOTS:
    void everyReaderOfTheLogAnswers_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char *kind : {"pipe", "device", "folder"})
            QTest::newRow(kind) << QString::fromUtf8(kind);
    }
    void everyReaderOfTheLogAnswers()
    {
        QFETCH(QString, kind);
        const fs::path folder = runWith(kind, "metrics.jsonl");
        const RunFolder run(folder);
        QVERIFY(saysWhat(sentenceOf([&] { run.readMetricsLog(); })));
        QVERIFY(saysWhat(sentenceOf([&] { lastMetrics(run.metricsFile()); })));
        QVERIFY(saysWhat(sentenceOf([&] { scalarEvents(run); })));
        QVERIFY(saysWhat(sentenceOf([&] { cutMetrics(run.metricsFile(), 10); })));
        for (const ExportFormat format : {ExportFormat::Csv, ExportFormat::TensorBoard, ExportFormat::Kvbench})
            QVERIFY(saysWhat(sentenceOf([&] { exportRun(run, format, folder.parent_path() / "out"); })));
        // The run itself can be looked at.
        const RunSnapshot snapshot = scanRun(folder);
        QVERIFY(snapshot.isReadable);
        QVERIFY2(saysWhat(snapshot.reason), snapshot.reason.c_str());
        QCOMPARE(snapshot.checkpointSteps.size(), 1U);
    }

    void otherFilesAnswerToo_data() { everyReaderOfTheLogAnswers_data(); }
    void otherFilesAnswerToo()
    {
        QFETCH(QString, kind);
        const RunSnapshot record = scanRun(runWith(kind, "run.json"));
        QVERIFY(!record.isReadable);
        QVERIFY2(saysWhat(record.reason), record.reason.c_str());
        const RunFolder accuracy(runWith(kind, "accuracy_vs_context.json"));
        QVERIFY(saysWhat(sentenceOf([&] { accuracy.readAccuracy(); })));
        const RunFolder checkpoint(runWith(kind, fs::path("checkpoints") / "step-00001000.safetensors"));
        QVERIFY(saysWhat(sentenceOf([&] { readCheckpoint(checkpoint.checkpointFile(1000)); })));
        QVERIFY(saysWhat(sentenceOf([&] { readKvbenchCheckpoint(checkpoint.checkpointFile(1000)); })));
    }
};

QTEST_GUILESS_MAIN(TestNoRegularFile)
#include "test_no_regular_file.moc"
