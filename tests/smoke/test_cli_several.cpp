// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <filesystem>
#include <set>
#include <string>

#include <sys/stat.h>

#include "core/run/record_stamp.h"
#include "core/run/run_folder.h"
#include "core/run/run_scan.h"
#include "tests/patience.h"
#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using lookback::run::newRunRecord;
using lookback::run::RunFolder;
using lookback::run::RunRecord;
using lookback::run::RunSnapshot;
using lookback::run::RunState;
using lookback::run::scanRun;

/// Several runs at once: what is wrong with one costs only that one, is told, and shows in the exit code.
class TestCliSeveral : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_source;

    /// "a" and "b" (whole runs) in a folder of their own.
    void copyRuns(const QString &folder) const
    {
        for (const QString &name : {u"a"_s, u"b"_s})
            copyFolder(m_source.filePath(u"runs/rope-seed0"_s), folder + u'/' + name);
    }

    static RunFolder unfinished(const QString &parent, const char *name, int steps = 6)
    {
        RunConfig config = presetConfig("tiny");
        config.variant = "rope";
        config.steps = steps;
        config.warmup_steps = 1;
        config.batch = 4;
        config.evaluation_n = {2};
        config.evaluation_sequences = 2;
        RunRecord record = newRunRecord(config, "", "cpu", 1);
        record.state = RunState::Stopped;
        return RunFolder::create(parent.toStdString(), name, record);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const CliOutcome outcome =
            CliProgram(m_source.path())
                .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s} + kQuickSettings);
        QVERIFY2(outcome.code == 0, outcome.err.constData());
    }

    /// Their steps take longest, and the last run has the machine to itself.
    void recurrentDesignsBeginFirst()
    {
        const QTemporaryDir folder;
        const CliOutcome outcome =
            CliProgram(folder.path())
                .run({u"train"_s, u"--variant"_s, u"rope"_s, u"hybrid_square_kda"_s, u"--preset"_s, u"tiny"_s,
                      u"--steps"_s, u"2"_s, u"--jobs"_s, u"1"_s, u"--no-evaluation"_s, u"--out"_s, u"runs"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        const qsizetype first = outcome.err.indexOf("hybrid_square_kda-seed0: finished");
        QVERIFY2(first >= 0 && first < outcome.err.indexOf("rope-seed0: finished"), outcome.err.constData());
        QVERIFY(outcome.out.indexOf("runs/rope-seed0")
                < outcome.out.indexOf("runs/hybrid_square_kda-seed0")); // as asked
    }

    void oneFaultyAmongSeveral_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("faulty");
        for (const QString &faulty : {u"missing"_s, u"broken"_s, u"empty"_s}) {
            QTest::addRow("evaluate, %s", qPrintable(faulty))
                << u"evaluate a %1 b --n 2 --sequences 2 --json"_s << faulty;
            QTest::addRow("training, %s", qPrintable(faulty)) << u"figure training a %1 b --out t.png"_s << faulty;
            QTest::addRow("accuracy, %s", qPrintable(faulty)) << u"figure accuracy %1 a b --out t.png"_s << faulty;
            QTest::addRow("export, %s", qPrintable(faulty)) << u"export a b %1 --format csv --out csv"_s << faulty;
        }
    }
    void oneFaultyAmongSeveral()
    {
        QFETCH(QString, arguments);
        QFETCH(QString, faulty);
        QTemporaryDir folder;
        copyRuns(folder.path());
        QDir(folder.path()).mkpath(u"empty"_s);
        copyFolder(folder.filePath(u"a"_s), folder.filePath(u"broken"_s));
        writeContent(folder.filePath(u"broken/run.json"_s), "{");
        const CliOutcome outcome = CliProgram(folder.path()).run(arguments.arg(faulty).split(u' '));
        QCOMPARE(outcome.code, 1);
        QCOMPARE(outcome.err.count("error: "), 1);
        QVERIFY2(outcome.err.contains(faulty.toUtf8()), outcome.err.constData());
        if (arguments.startsWith(u"evaluate"_s))
            QCOMPARE(outcome.jsonLines().size(), 2);
        else
            QVERIFY2(outcome.out.count("Wrote") >= 1, outcome.out.constData());
    }

    void aFolderOfOnlyDamagedRunsIsAFailure_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::newRow("training") << u"figure training runs --out t.png"_s;
        QTest::newRow("accuracy") << u"figure accuracy runs --out t.png"_s;
        QTest::newRow("evaluate") << u"evaluate runs"_s;
        QTest::newRow("export") << u"export runs --format csv --out csv"_s;
        QTest::newRow("resume") << u"resume runs"_s;
        QTest::newRow("attention") << u"attention runs"_s;
    }
    void aFolderOfOnlyDamagedRunsIsAFailure()
    {
        QFETCH(QString, arguments);
        QTemporaryDir folder;
        copyRuns(folder.filePath(u"runs"_s));
        for (const char *name : {"runs/a/run.json", "runs/b/run.json"})
            writeContent(folder.filePath(QLatin1StringView(name)), "{");
        const CliOutcome outcome = CliProgram(folder.path()).run(arguments.split(u' '));
        QCOMPARE(outcome.code, 1);
        QCOMPARE(outcome.err.count("error: runs/"), 2);
        QVERIFY2(outcome.out.isEmpty(), outcome.out.constData());
        QVERIFY(!QFile::exists(folder.filePath(u"t.png"_s)));
    }

    /// A damaged log or accuracy file costs its run its place in the figure.
    void whatCannotBeDrawnIsLeftOut_data()
    {
        QTest::addColumn<QString>("figure");
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("isPipe");
        QTest::newRow("damaged accuracy") << u"accuracy"_s << u"accuracy_vs_context.json"_s << false;
        QTest::newRow("accuracy is a pipe") << u"accuracy"_s << u"accuracy_vs_context.json"_s << true;
        QTest::newRow("log is a pipe") << u"training"_s << u"metrics.jsonl"_s << true;
    }
    void whatCannotBeDrawnIsLeftOut()
    {
        QFETCH(QString, figure);
        QFETCH(QString, file);
        QFETCH(bool, isPipe);
        QTemporaryDir folder;
        copyRuns(folder.path());
        const QString path = folder.filePath(u"b/"_s + file);
        QVERIFY(QFile::remove(path));
        if (isPipe)
            QCOMPARE(mkfifo(QFile::encodeName(path).constData(), 0600), 0);
        else
            writeContent(path, "{\"format\": 7}");
        CliProgram program(folder.path());
        const CliOutcome both = program.run({u"figure"_s, figure, u"a"_s, u"b"_s, u"--out"_s, u"t.csv"_s});
        QCOMPARE(both.code, 1);
        QVERIFY2(both.err.startsWith("error: b/") && both.err.contains("It is left out of the figure."),
                 both.err.constData());
        QVERIFY(contentOf(folder.filePath(u"t.csv"_s)).count('\n') > 1);
        const CliOutcome alone = program.run({u"figure"_s, figure, u"b"_s, u"--out"_s, u"none.csv"_s});
        QCOMPARE(alone.code, 1);
        QVERIFY(!QFile::exists(folder.filePath(u"none.csv"_s)));
    }

    void resumeLooksAnywhereBelow()
    {
        QTemporaryDir folder;
        const QString root = folder.filePath(u"studies"_s);
        unfinished(root + u"/one/rope"_s, "seed0");
        unfinished(root + u"/two"_s, "seed1");
        unfinished(root, "seed2");
        const RunFolder thrown = unfinished(root + u"/.trash"_s, "seed3");
        const RunFolder deep = unfinished(root + u"/1/2/3/4/5/6/7/8"_s, "seed4");
        std::filesystem::create_directory_symlink("..", QString(root + u"/one/circle"_s).toStdString());
        const CliOutcome outcome = CliProgram(folder.path()).run({u"resume"_s, u"studies"_s, u"--json"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QStringList names;
        for (const QJsonObject &line : outcome.jsonLines())
            names << line.value(u"run"_s).toString();
        QCOMPARE(names, (QStringList{u"studies/one/rope/seed0"_s, u"studies/seed2"_s, u"studies/two/seed1"_s}));
        QCOMPARE(thrown.readRecord().state, RunState::Stopped);
        QCOMPARE(deep.readRecord().state, RunState::Stopped);
        const CliOutcome again = CliProgram(folder.path()).run({u"resume"_s, u"studies/one"_s});
        QCOMPARE(again.code, 0);
        QVERIFY(again.out.contains("all these runs are finished"));
    }

    /// Two programs: what waits in the queue of one is not taken by the other.
    void queuedRunsBelongToTheirProgram()
    {
        QTemporaryDir folder;
        CliProgram program(folder.path());
        QProcess first;
        program.start(first,
                      {u"train"_s, u"--variant"_s, u"rope"_s, u"--seeds"_s, u"0-1"_s, u"--jobs"_s, u"1"_s,
                       u"--preset"_s, u"tiny"_s, u"--steps"_s, u"1000000"_s, u"--out"_s, u"runs"_s});
        const auto stateOf = [&](const QString &name) {
            return scanRun(folder.filePath(u"runs/"_s + name).toStdString());
        };
        const auto isBegun = [&] {
            const RunSnapshot running = stateOf(u"rope-seed0"_s);
            return running.isForeign && running.state == RunState::Running && stateOf(u"rope-seed1"_s).isForeign;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isBegun(), lookback::testing::kLongPatience);
        const QByteArray process = "process " + QByteArray::number(first.processId()) + " on ";
        QCOMPARE(stateOf(u"rope-seed1"_s).state, RunState::Queued);
        const CliOutcome second = program.run({u"resume"_s, u"runs"_s});
        QCOMPARE(second.code, 1);
        QVERIFY2(second.err.contains(QByteArray("runs/rope-seed0: This run is being trained by " + process)),
                 second.err.constData());
        QVERIFY2(second.err.contains(QByteArray("runs/rope-seed1: This run waits in the queue of " + process)),
                 second.err.constData());
        first.kill(); // both can be continued now
        first.waitForFinished();
        QCOMPARE(stateOf(u"rope-seed1"_s).state, RunState::Interrupted);
        QVERIFY(!stateOf(u"rope-seed1"_s).isForeign);
    }

    void aLostEvaluationIsAFailure()
    {
        QTemporaryDir folder;
        const RunFolder run = unfinished(folder.path(), "lost");
        std::filesystem::create_directory(run.path() / "accuracy_vs_context.json");
        const CliOutcome outcome = CliProgram(folder.path()).run({u"resume"_s, u"lost"_s, u"--json"_s});
        QCOMPARE(outcome.code, 1);
        const QJsonObject line = outcome.jsonLines().at(0);
        QCOMPARE(line.value(u"state"_s).toString(), u"finished"_s);
        QVERIFY(line.value(u"failure"_s).toString().contains(u"the evaluation is not complete"_s));
    }

    void aFaultOfTheRecordIsNotTheCommandLines()
    {
        QTemporaryDir folder;
        const RunFolder run = unfinished(folder.path(), "elsewhere");
        RunRecord record = run.readRecord();
        record.device = "tpu";
        run.writeRecord(record);
        const CliOutcome outcome = CliProgram(folder.path()).run({u"resume"_s, u"elsewhere"_s});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.startsWith("error: elsewhere: Its run.json says that it was trained on \"tpu\"."),
                 outcome.err.constData());
        QCOMPARE(CliProgram(folder.path()).run({u"resume"_s, u"elsewhere"_s, u"--device"_s, u"cpu"_s}).code, 0);
    }

    void errorsNameTheirRun()
    {
        QTemporaryDir folder;
        copyRuns(folder.path());
        const CliOutcome outcome = CliProgram(folder.path()).run({u"evaluate"_s, u"a"_s, u"b"_s, u"--n"_s, u"101"_s});
        QCOMPARE(outcome.code, 1);
        for (const char *name : {"error: a: n = 101", "error: b: n = 101"})
            QVERIFY2(outcome.err.count(name) == 1, outcome.err.constData());
        QVERIFY2(outcome.err.contains("This run was trained with keys of 2 digits"), outcome.err.constData());

        // Also where the trouble comes from a checkpoint that was given to the model.
        for (const char *name : {"a", "b"}) {
            const RunFolder run = RunFolder::open(folder.filePath(QLatin1StringView(name)).toStdString());
            RunRecord record = run.readRecord();
            record.state = RunState::Stopped;
            record.config.steps += 1;
            run.writeRecord(record);
        }
        const CliOutcome resumed = CliProgram(folder.path()).run({u"resume"_s, u"a"_s, u"b"_s, u"--quiet"_s});
        QCOMPARE(resumed.code, 1);
        for (const char *name : {"error: a: ", "error: b: "})
            QVERIFY2(resumed.err.count(name) == 1, resumed.err.constData());
    }

    void kvbenchWithoutCheckpointsIsNotToldToTrain()
    {
        QTemporaryDir folder;
        const QString run = folder.filePath(u"rope"_s);
        QVERIFY(QDir().mkpath(run));
        writeContent(run + u"/metrics.jsonl"_s,
                     "{\"step\": 1, \"n_keys\": 2, \"loss\": 2.0, \"retrieval_acc\": 0.1}\n");
        const CliOutcome outcome = CliProgram(folder.path()).run({u"evaluate"_s, u"rope"_s});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains("holds no checkpoint") && !outcome.err.contains("train until"),
                 outcome.err.constData());
    }

    void namesCannotDrawOnTheTerminal()
    {
        QTemporaryDir folder;
        const QString name = u"a\u001b[2J\u202eb\nc"_s;
        copyFolder(m_source.filePath(u"runs/rope-seed0"_s), folder.filePath(name));
        CliProgram program(folder.path());
        for (const QStringList &arguments :
             {QStringList{u"evaluate"_s, name, u"--n"_s, u"2"_s, u"--sequences"_s, u"2"_s},
              QStringList{u"evaluate"_s, name, u"--n"_s, u"101"_s}, QStringList{u"resume"_s, name},
              QStringList{u"export"_s, name, u"--format"_s, u"csv"_s, u"--out"_s, u"csv"_s},
              QStringList{u"evaluate"_s, name + u"-missing"_s}}) {
            const CliOutcome outcome = program.run(arguments);
            const QByteArray all = outcome.out + outcome.err;
            QVERIFY2(!all.contains('\x1b') && !all.contains("\u202e") && !all.contains("b\nc"),
                     all.toPercentEncoding().constData());
            QVERIFY2(all.contains("\\x1b[2J") || all.contains("csv"), all.constData());
        }
    }

    void aMissingFolderIsNamed()
    {
        QTemporaryDir folder;
        const CliOutcome outcome =
            CliProgram(folder.path()).run({u"figure"_s, u"accuracy"_s, u"--out"_s, u"nowhere/a.png"_s});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains("there is no folder") && outcome.err.contains("nowhere\""),
                 outcome.err.constData());
        QVERIFY(outcome.err.contains("Make that folder first"));
    }

    void theExportNamesEveryFile()
    {
        QTemporaryDir folder;
        copyRuns(folder.path());
        const CliOutcome outcome =
            CliProgram(folder.path()).run({u"export"_s, u"a"_s, u"--format"_s, u"kvbench"_s, u"--out"_s, u"kv"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.out, QByteArray("Wrote kv/rope\nWrote kv/accuracy_vs_context.json\n"));
    }

    /// A run without a curve is drawn as an empty line of the legend, and that is said.
    void whatHasNoCurveIsSaid()
    {
        QTemporaryDir folder;
        copyRuns(folder.path());
        QVERIFY(QFile::remove(folder.filePath(u"b/accuracy_vs_context.json"_s)));
        writeContent(folder.filePath(u"b/metrics.jsonl"_s), "");
        CliProgram program(folder.path());
        for (const QString &figure : {u"training"_s, u"accuracy"_s}) {
            const CliOutcome outcome = program.run({u"figure"_s, figure, u"a"_s, u"b"_s, u"--out"_s, u"t.csv"_s});
            QCOMPARE(outcome.code, 0);
            QVERIFY2(outcome.err.startsWith("note: \"b\" ") && outcome.err.count("has no curve") == 1,
                     outcome.err.constData());
        }
    }

    /// Whatever bytes a name is made of, what is written has that name and no other.
    void namesThatAreNotUtf8()
    {
        QTemporaryDir folder;
        copyRuns(folder.path());
        const std::filesystem::path root = folder.path().toStdString();
        std::filesystem::rename(root / "b", root / "b\xff");
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(u"/bin/bash"_s,
                      {u"-ec"_s,
                       u"cli='%1'; $cli figure training $'b\\xff' --out $'t\\xff.svg' --out $'u\\xe9.png'; "
                       "$cli figure accuracy a $'b\\xff' --out $'v\\xff.csv'; "
                       "$cli attention $'b\\xff' --out $'w\\xff.png' > /dev/null; "
                       "$cli export $'b\\xff' --format csv --out $'x\\xff'; "
                       "$cli evaluate $'b\\xff' --n 2 --sequences 2 > /dev/null"_s.arg(
                           QStringLiteral(LOOKBACK_BIN_DIR "/lookback-cli"))});
        const CliOutcome outcome = CliProgram::outcomeOf(process);
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        const std::set<std::string> expected{"a", "b\xff", "t\xff.svg", "u\xe9.png", "v\xff.csv", "w\xff.png", "x\xff"};
        std::set<std::string> present;
        for (const auto &item : std::filesystem::directory_iterator(root))
            present.insert(item.path().filename().string());
        QVERIFY(present == expected);
        QVERIFY(std::filesystem::exists(root / "x\xff" / "b\xff.metrics.csv"));
        std::filesystem::remove_all(root); // QTemporaryDir would not find them
    }

    void aReaderThatHasSeenEnoughIsNoFailure()
    {
        CliProgram program(m_source.path());
        QProcess process;
        process.setProcessChannelMode(QProcess::SeparateChannels);
        process.setWorkingDirectory(m_source.path());
        process.start(u"/bin/bash"_s,
                      {u"-c"_s,
                       u"set -o pipefail; '%1' settings --json | head -c 1"_s.arg(
                           QStringLiteral(LOOKBACK_BIN_DIR "/lookback-cli"))});
        const CliOutcome outcome = CliProgram::outcomeOf(process);
        QCOMPARE(outcome.code, 0);
        QCOMPARE(outcome.err, QByteArray());
    }

    void theDryRunEstimates()
    {
        const CliOutcome outcome =
            CliProgram().run({u"train"_s, u"--variant"_s, u"rope,hybrid"_s, u"--preset"_s, u"tiny"_s, u"--dry-run"_s});
        QCOMPARE(outcome.code, 0);
        QCOMPARE(outcome.out.count(", about "), 2);
        QVERIFY2(outcome.out.contains("an estimate from three short steps"), outcome.out.constData());
        const CliOutcome json = CliProgram().run(
            {u"train"_s, u"--variant"_s, u"rope"_s, u"--preset"_s, u"tiny"_s, u"--dry-run"_s, u"--json"_s});
        QVERIFY(json.jsonLines().at(0).value(u"estimated_seconds"_s).toDouble() > 0.0);
    }
};

QTEST_GUILESS_MAIN(TestCliSeveral)
#include "test_cli_several.moc"
