// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that is full wherever the command line writes: exit code 1, a sentence, and nothing half-written.
#include <QDirIterator>
#include <QTemporaryDir>

#include <sys/resource.h>

#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;

class TestCliLimits : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    /// No file may grow beyond that many bytes.
    static CliProgram limited(const QString &folder, rlim_t bytes)
    {
        CliProgram program(folder);
        program.setChildModifier([bytes] {
            const rlimit limit{bytes, bytes};
            setrlimit(RLIMIT_FSIZE, &limit);
        });
        return program;
    }
    static QStringList filesBelow(const QString &folder)
    {
        QStringList files;
        QDirIterator walk(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (walk.hasNext())
            files << walk.next();
        files.sort();
        return files;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const CliOutcome training =
            CliProgram(m_folder.path())
                .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s} + kQuickSettings);
        QVERIFY2(training.code == 0, training.err.constData());
    }

    void everythingThatIsWritten_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const QString run = u"runs/rope-seed0"_s;
        QTest::newRow("figure") << QStringList{u"figure"_s, u"training"_s, run, u"--out"_s, u"a.png"_s};
        QTest::newRow("numbers of a figure") << QStringList{u"figure"_s, u"training"_s, run, u"--out"_s, u"a.csv"_s};
        QTest::newRow("attention") << QStringList{u"attention"_s, run, u"--out"_s, u"a.png"_s};
        QTest::newRow("table") << QStringList{u"export"_s, run, u"--format"_s, u"csv"_s, u"--out"_s, u"x"_s};
        QTest::newRow("events") << QStringList{u"export"_s, run, u"--format"_s, u"tensorboard"_s, u"--out"_s, u"x"_s};
        QTest::newRow("kvbench") << QStringList{u"export"_s, run, u"--format"_s, u"kvbench"_s, u"--out"_s, u"x"_s};
        QTest::newRow("evaluation") << QStringList{u"evaluate"_s, run, u"--n"_s, u"3"_s, u"--sequences"_s, u"4"_s};
    }
    void everythingThatIsWritten()
    {
        QFETCH(QStringList, arguments);
        const QTemporaryDir place;
        copyFolder(m_folder.filePath(u"runs"_s), place.filePath(u"runs"_s));
        const QStringList before = filesBelow(place.path());
        const QByteArray accuracy = contentOf(place.filePath(u"runs/rope-seed0/accuracy_vs_context.json"_s));
        const CliOutcome outcome = limited(place.path(), 200).run(arguments);
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.errorText().contains(u"error: "_s) && outcome.errorText().contains(u"cannot be written"_s),
                 outcome.err.constData());
        QCOMPARE(filesBelow(place.path()), before);
        QCOMPARE(contentOf(place.filePath(u"runs/rope-seed0/accuracy_vs_context.json"_s)), accuracy);
    }

    /// So few files may be open, or so little memory be used: the run trains, or one sentence says why not and nothing
    /// is left that could not be continued.
    void fewDescriptorsAndLittleMemory_data()
    {
        QTest::addColumn<int>("resource");
        QTest::addColumn<qulonglong>("limit");
        for (int descriptors = 4; descriptors <= 9; ++descriptors)
            QTest::addRow("%d descriptors", descriptors) << int(RLIMIT_NOFILE) << qulonglong(descriptors);
        for (int mebibytes = 500; mebibytes <= 1500; mebibytes += 100)
            QTest::addRow("%d MiB", mebibytes) << int(RLIMIT_AS) << qulonglong(mebibytes) * 1024 * 1024;
    }
    void fewDescriptorsAndLittleMemory()
    {
        QFETCH(int, resource);
        QFETCH(qulonglong, limit);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        if (resource == RLIMIT_AS)
            QSKIP("a sanitizer reserves terabytes of addresses");
#endif
        const QTemporaryDir place;
        CliProgram program(place.path());
        program.setChildModifier([resource, limit] {
            const rlimit value{limit, limit};
            setrlimit(resource, &value);
        });
        const CliOutcome outcome =
            program.run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s} + kQuickSettings);
        if (outcome.code == 0)
            return;
        if (outcome.code == 127) // the system cannot even load the program
            return;
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.errorText().contains(u"error: "_s) || outcome.out.contains("failed"), outcome.err.constData());
        QVERIFY2(!outcome.err.contains("terminate called"), outcome.err.constData());
        if (QFile::exists(place.filePath(u"runs/rope-seed0"_s))) {
            const CliOutcome resumed = CliProgram(place.path()).run({u"resume"_s, u"runs"_s});
            QVERIFY2(resumed.code == 0, resumed.err.constData());
            QVERIFY(resumed.out.contains("finished"));
        }
    }

    /// Room for run.json, none for a checkpoint: the run ends as failed and says so; with room it is continued.
    void training()
    {
        const QTemporaryDir place;
        const CliOutcome outcome =
            limited(place.path(), 4000)
                .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s} + kQuickSettings);
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains("note: "), outcome.err.constData());
        QVERIFY2(outcome.err.contains("error: ") && outcome.err.contains("step-00000040"), outcome.err.constData());
        QVERIFY(outcome.out.contains("failed"));
        QCOMPARE(filesBelow(place.filePath(u"runs/rope-seed0/checkpoints"_s)), QStringList());
        const CliOutcome resumed = CliProgram(place.path()).run({u"resume"_s, u"runs"_s});
        QVERIFY2(resumed.code == 0, resumed.err.constData());
        const auto stepsAndLosses = [](const QString &log) {
            QStringList values;
            for (const QByteArray &line : contentOf(log).split('\n')) {
                const QJsonObject record = QJsonDocument::fromJson(line).object();
                values << QString::number(record.value(u"step"_s).toInt()) + u' '
                        + QString::number(record.value(u"loss"_s).toDouble(), 'g', 17);
            }
            return values;
        };
        QCOMPARE(stepsAndLosses(place.filePath(u"runs/rope-seed0/metrics.jsonl"_s)),
                 stepsAndLosses(m_folder.filePath(u"runs/rope-seed0/metrics.jsonl"_s)));
    }
};

QTEST_GUILESS_MAIN(TestCliLimits)
#include "test_cli_limits.moc"
