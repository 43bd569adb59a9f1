// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QTemporaryDir>

#include <csignal>
#include <fstream>

#include <sys/prctl.h>
#include <unistd.h>

#include "core/run/record_stamp.h"
#include "core/run/run_folder.h"
#include "core/run/run_lock.h"
#include "tests/patience.h"
#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;

/// What goes wrong with runs on disk, and signals: one sentence, the right exit code, and nothing is lost.
class TestCliFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void refusesWhatIsNoRun_data();
    void refusesWhatIsNoRun();
    void oneDamagedRunIsPassedOver();
    void damagedMetricsLineCostsOnlyItself();
    void damagedCheckpointIsOneSentence();
    void readOnlyFolderIsRefused();
    void noGpuIsOneSentence();
    void impossibleLengthsAreRefused();
    void interruptSavesAndResumes_data();
    void interruptSavesAndResumes();
    void secondInterruptStopsAtOnce();
    void resumeTakesEveryUnfinishedRun();

private:
    QString runFolder(const QString &variant) const { return m_folder.filePath(u"runs/"_s + variant + u"-seed0"_s); }
    /// A copy of the trained rope run that a test may damage.
    QString copyOfRun(const QString &parent) const;

    QTemporaryDir m_folder;
};

QString TestCliFaults::copyOfRun(const QString &parent) const
{
    const QString copy = parent + u"/rope-seed0"_s;
    copyFolder(runFolder(u"rope"_s), copy);
    return copy;
}

void TestCliFaults::initTestCase()
{
    QVERIFY(m_folder.isValid());
    const CliOutcome training =
        CliProgram(m_folder.path())
            .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s, u"--no-evaluation"_s}
                 + kQuickSettings);
    QVERIFY2(training.code == 0, training.err.constData());
}

void TestCliFaults::refusesWhatIsNoRun_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << u"nowhere"_s << u"no such folder"_s;
    QTest::newRow("a file") << u"file"_s << u"file"_s;
    QTest::newRow("a name too long") << QString(300, u'a') << u"too long"_s;
    QTest::newRow("an empty folder") << u"empty"_s << u"run"_s;
    QTest::newRow("newer format") << u"newer"_s << u"newer"_s;
    QTest::newRow("damaged") << u"damaged"_s << u"run.json"_s;
}

void TestCliFaults::refusesWhatIsNoRun()
{
    QFETCH(QString, name);
    QFETCH(QString, says);
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath(u"empty"_s));
    writeContent(folder.filePath(u"file"_s), "hello");
    for (const QString &each : {u"newer"_s, u"damaged"_s})
        copyFolder(runFolder(u"rope"_s), folder.filePath(each));
    QByteArray record = contentOf(folder.filePath(u"newer/run.json"_s));
    const QByteArray version("\"format_version\": 1");
    QVERIFY(record.contains(version));
    writeContent(folder.filePath(u"newer/run.json"_s), record.replace(version, "\"format_version\": 77"));
    writeContent(folder.filePath(u"damaged/run.json"_s), record.left(record.size() / 2));
    for (const QStringList &arguments :
         {QStringList{u"evaluate"_s, name}, QStringList{u"attention"_s, name}, QStringList{u"resume"_s, name},
          QStringList{u"figure"_s, u"training"_s, name, u"--out"_s, u"x.png"_s}}) {
        const CliOutcome outcome = CliProgram(folder.path()).run(arguments);
        QVERIFY2(outcome.code == 1, outcome.err.constData());
        const QString text = outcome.errorText();
        QVERIFY2(text.startsWith(u"error: "_s) && !text.contains(u'\n') && text.contains(name), qPrintable(text));
        QVERIFY2(text.contains(says), qPrintable(text));
        QVERIFY(!QFile::exists(folder.filePath(u"x.png"_s)));
    }
    if (name == u"newer"_s)
        QVERIFY(contentOf(folder.filePath(u"newer/run.json"_s)).contains("77")); // left alone
}

void TestCliFaults::oneDamagedRunIsPassedOver()
{
    QTemporaryDir folder;
    copyOfRun(folder.path());
    copyFolder(runFolder(u"rope"_s), folder.filePath(u"broken"_s));
    writeContent(folder.filePath(u"broken/run.json"_s), "");
    const CliOutcome outcome =
        CliProgram(folder.path()).run({u"evaluate"_s, u"."_s, u"--n"_s, u"2"_s, u"--sequences"_s, u"2"_s, u"--json"_s});
    QCOMPARE(outcome.code, 1); // one could not be evaluated
    QCOMPARE(outcome.jsonLines().size(), 1);
    QVERIFY(outcome.err.contains("broken"));
}

void TestCliFaults::damagedMetricsLineCostsOnlyItself()
{
    QTemporaryDir folder;
    const QString run = copyOfRun(folder.path());
    QByteArray log = contentOf(run + u"/metrics.jsonl"_s);
    const qsizetype second = log.indexOf('\n') + 1;
    log.insert(second, "{\"step\": 2, \"n_keys\n");
    writeContent(run + u"/metrics.jsonl"_s, log);
    const CliOutcome outcome =
        CliProgram(folder.path()).run({u"figure"_s, u"training"_s, u"rope-seed0"_s, u"--out"_s, u"t.png"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QVERIFY2(outcome.err.contains("line 2"), outcome.err.constData());
    QVERIFY(QFile::exists(folder.filePath(u"t.png"_s)));
}

void TestCliFaults::damagedCheckpointIsOneSentence()
{
    QTemporaryDir folder;
    const QString run = copyOfRun(folder.path());
    const QString file = newestCheckpoint(run);
    const QByteArray content = contentOf(file);
    writeContent(file, content.left(content.size() / 2));
    const CliOutcome named =
        CliProgram(folder.path()).run({u"evaluate"_s, u"rope-seed0"_s, u"--step"_s, u"40"_s, u"--n"_s, u"2"_s});
    QCOMPARE(named.code, 1);
    QVERIFY2(named.errorText().startsWith(u"error: "_s) && !named.errorText().contains(u'\n'), named.err.constData());
    QVERIFY2(named.err.contains("step-00000040"), named.err.constData());
    const CliOutcome missing = CliProgram(folder.path()).run({u"evaluate"_s, u"rope-seed0"_s, u"--step"_s, u"39"_s});
    QCOMPARE(missing.code, 1);
    QVERIFY2(missing.err.contains("32"), missing.err.constData()); // names the steps there are
    const CliOutcome older =
        CliProgram(folder.path()).run({u"evaluate"_s, u"rope-seed0"_s, u"--n"_s, u"2"_s, u"--sequences"_s, u"2"_s});
    QCOMPARE(older.code, 0);
    QVERIFY2(older.err.contains("step 40 cannot be read; step 32 is used"), older.err.constData());
}

void TestCliFaults::readOnlyFolderIsRefused()
{
    QTemporaryDir folder;
    const QString run = copyOfRun(folder.path());
    CliProgram program(folder.path());
    if (geteuid() == 0) {
        // root writes everywhere; without this capability the permissions count for it too
        constexpr int kDacOverride = 1;
        program.setChildModifier([] { prctl(PR_CAPBSET_DROP, kDacOverride, 0, 0, 0); });
    }
    const auto permissions = QFile::permissions(run);
    QVERIFY(QFile::setPermissions(run, QFile::ReadOwner | QFile::ExeOwner));
    QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::ExeOwner));
    const CliOutcome refused = program.run({u"evaluate"_s, u"rope-seed0"_s, u"--n"_s, u"2"_s});
    const CliOutcome printed =
        program.run({u"evaluate"_s, u"rope-seed0"_s, u"--n"_s, u"2"_s, u"--sequences"_s, u"2"_s, u"--print-only"_s});
    const CliOutcome training =
        program.run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"here"_s} + kQuickSettings);
    const CliOutcome figure = program.run({u"figure"_s, u"training"_s, u"rope-seed0"_s, u"--out"_s, u"picture.png"_s});
    QVERIFY(QFile::setPermissions(folder.path(), permissions));
    QVERIFY(QFile::setPermissions(run, permissions));
    if (refused.code == 0)
        QSKIP("this user may write everywhere");
    for (const CliOutcome *outcome : {&refused, &training, &figure}) {
        QCOMPARE(outcome->code, 1);
        QVERIFY2(outcome->errorText().startsWith(u"error: "_s) && !outcome->errorText().contains(u'\n'),
                 outcome->err.constData());
    }
    QVERIFY2(printed.code == 0, printed.err.constData());
    QVERIFY(!QFile::exists(folder.filePath(u"here"_s)));
    QVERIFY(!QFile::exists(folder.filePath(u"picture.png"_s)));
}

void TestCliFaults::noGpuIsOneSentence()
{
    const CliOutcome outcome =
        CliProgram(m_folder.path())
            .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--device"_s, u"cuda"_s, u"--dry-run"_s});
    if (outcome.code == 0)
        QSKIP("there is a GPU");
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.errorText().startsWith(u"error: --device cuda"_s), outcome.err.constData());
    QVERIFY(!outcome.errorText().contains(u'\n'));
}

void TestCliFaults::impossibleLengthsAreRefused()
{
    // two key digits allow 100 keys
    for (const QStringList &arguments : {QStringList{u"evaluate"_s, u"runs/rope-seed0"_s, u"--n"_s, u"2,101"_s},
                                         QStringList{u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s, u"101"_s}}) {
        const CliOutcome outcome = CliProgram(m_folder.path()).run(arguments);
        QVERIFY(outcome.code == 1 || outcome.code == 2);
        QVERIFY2(outcome.err.contains("digit") && outcome.err.contains("101"), outcome.err.constData());
    }
    const CliOutcome layer =
        CliProgram(m_folder.path()).run({u"attention"_s, u"runs/rope-seed0"_s, u"--layer"_s, u"4"_s});
    QCOMPARE(layer.code, 2);
    QVERIFY2(layer.err.contains("0 to 3"), layer.err.constData());
}

void TestCliFaults::interruptSavesAndResumes_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

/// Interrupted at some step and continued, a run equals one that was never disturbed.
void TestCliFaults::interruptSavesAndResumes()
{
    QFETCH(int, signal);
    QTemporaryDir folder;
    const QStringList setting{u"--preset"_s,    u"tiny"_s,           u"--steps"_s,
                              u"120"_s,         u"--set"_s,          u"batch=8"_s,
                              u"log_every=1"_s, u"evaluation_n=2"_s, u"evaluation_sequences=2"_s};
    CliProgram program(folder.path());
    QProcess process;
    program.start(process,
                  QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"hybrid"_s, u"--out"_s, u"runs"_s, u"--jobs"_s,
                              u"1"_s, u"--threads"_s, u"1"_s}
                      + setting);
    QVERIFY(
        QTest::qWaitFor([&] { return contentOf(folder.filePath(u"runs/rope-seed0/metrics.jsonl"_s)).count('\n') > 5; },
                        lookback::testing::kLongPatience));
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    const CliOutcome outcome = CliProgram::outcomeOf(process);
    QCOMPARE(outcome.code, 128 + signal);
    QVERIFY2(outcome.out.contains("lookback-cli resume runs/rope-seed0 runs/hybrid-seed0"), outcome.out.constData());
    QVERIFY(QDir(folder.filePath(u"runs/rope-seed0/checkpoints"_s)).count() > 2);

    const CliOutcome resumed = program.run({u"resume"_s, u"runs"_s, u"--json"_s});
    QVERIFY2(resumed.code == 0, resumed.err.constData());
    QCOMPARE(resumed.jsonLines().size(), 2);
    for (const QJsonObject &line : resumed.jsonLines())
        QCOMPARE(line.value(u"state"_s).toString(), u"finished"_s);
    const CliOutcome nothing = program.run({u"resume"_s, u"runs"_s});
    QCOMPARE(nothing.code, 0);

    QVERIFY(program
                .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"undisturbed"_s, u"--threads"_s,
                                 u"1"_s, u"--no-evaluation"_s}
                     + setting)
                .code
            == 0);
    const auto lossesOf = [&](const QString &run) {
        QStringList losses;
        for (const QByteArray &line : contentOf(folder.filePath(run + u"/metrics.jsonl"_s)).split('\n')) {
            const QJsonObject record = QJsonDocument::fromJson(line).object();
            losses << QString::number(record.value(u"step"_s).toInt()) + u' '
                    + QString::number(record.value(u"loss"_s).toDouble(), 'g', 17);
        }
        return losses;
    };
    QCOMPARE(lossesOf(u"runs/rope-seed0"_s), lossesOf(u"undisturbed/rope-seed0"_s));
}

void TestCliFaults::secondInterruptStopsAtOnce()
{
    QTemporaryDir folder;
    CliProgram program(folder.path());
    QProcess process;
    program.start(process,
                  {u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s, u"--preset"_s, u"paper"_s,
                   u"--threads"_s, u"1"_s, u"--set"_s, u"log_every=1"_s, u"checkpoint_every=1"_s, u"curriculum=none"_s,
                   u"batch=512"_s});
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(folder.filePath(u"runs/rope-seed0/run.lock"_s)); },
                            lookback::testing::kLongPatience));
    // again and again, as an impatient user does; one step of this run takes many seconds, and none is finished
    QVERIFY(QTest::qWaitFor(
        [&] {
            if (process.state() == QProcess::NotRunning)
                return true;
            ::kill(static_cast<pid_t>(process.processId()), SIGINT);
            return false;
        },
        lookback::testing::kLongPatience));
    QVERIFY(!contentOf(folder.filePath(u"runs/rope-seed0/metrics.jsonl"_s)).contains('\n'));
    // a signal that comes after the run has ended, while the program leaves, ends it the plain way: 130 in a shell too
    const bool isPlainEnd = process.exitStatus() == QProcess::CrashExit && process.exitCode() == SIGINT;
    QVERIFY2(isPlainEnd || process.exitCode() == 128 + SIGINT, qPrintable(QString::number(process.exitCode())));
}

/// Killed before the first checkpoint, still waiting, stopped: all go on. What cannot costs only itself.
void TestCliFaults::resumeTakesEveryUnfinishedRun()
{
    using namespace lookback;
    QTemporaryDir folder;
    const auto make = [&](const char *name, run::RunState state) {
        RunConfig config = presetConfig("tiny");
        config.variant = "rope";
        config.steps = 6;
        config.warmup_steps = 1;
        config.batch = 4;
        config.evaluation_n = {2};
        config.evaluation_sequences = 2;
        run::RunRecord record = run::newRunRecord(config, "", "cpu", 1);
        record.state = state;
        return run::RunFolder::create(folder.filePath(u"runs"_s).toStdString(), name, record);
    };
    const run::RunFolder killed = make("killed", run::RunState::Running);
    std::ofstream(killed.metricsFile()) << "{\"step\": 1, \"n_keys\": 4, \"loss\": 2.3, \"retrieval_acc\": 0.1}\n";
    make("waiting", run::RunState::Queued);
    make("stopped", run::RunState::Stopped);
    make("done", run::RunState::Finished);
    const run::RunFolder taken = make("taken", run::RunState::Running);
    const QByteArray process = "process " + QByteArray::number(QCoreApplication::applicationPid());
    CliProgram program(folder.path());
    {
        const run::RunLock lock(taken.path());
        const CliOutcome outcome = program.run({u"resume"_s, u"runs"_s, u"--json"_s});
        QCOMPARE(outcome.code, 1); // one could not be continued
        QVERIFY2(outcome.err.contains("runs/taken") && outcome.err.contains(process), outcome.err.constData());
        QVERIFY2(outcome.err.contains("runs/killed: no checkpoint was kept, starts again at step 0"),
                 outcome.err.constData());
        QStringList names;
        for (const QJsonObject &line : outcome.jsonLines()) {
            names << line.value(u"run"_s).toString();
            QCOMPARE(line.value(u"state"_s).toString(), u"finished"_s);
            QCOMPARE(line.value(u"step"_s).toInt(), 6);
        }
        QCOMPARE(names, (QStringList{u"runs/killed"_s, u"runs/stopped"_s, u"runs/waiting"_s}));

        const CliOutcome named = program.run({u"resume"_s, u"runs/taken"_s});
        QCOMPARE(named.code, 1);
        QVERIFY2(named.errorText().startsWith(u"error: "_s) && named.err.contains(process), named.err.constData());
        QVERIFY(!named.out.contains("lookback-cli resume"));
        QCOMPARE(taken.readRecord().state, run::RunState::Running); // not marked as failed
    }
    QCOMPARE(program.run({u"resume"_s, u"runs"_s}).code, 0);
    QCOMPARE(taken.readRecord().state, run::RunState::Finished);
}

QTEST_GUILESS_MAIN(TestCliFaults)
#include "test_cli_faults.moc"
