// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Signals at awkward moments: in the first step, in an evaluation, and a process that is stopped for a while.
#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>

#include <algorithm>
#include <csignal>

#include <sys/wait.h>

#include "tests/patience.h"
#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;

class TestCliSignals : public QObject {
    Q_OBJECT

private:
    /// Losses and evaluated points, without times.
    static QStringList resultsOf(const QString &run)
    {
        QStringList results;
        for (const QByteArray &line : contentOf(run + u"/metrics.jsonl"_s).split('\n')) {
            const QJsonObject record = QJsonDocument::fromJson(line).object();
            results << QString::number(record.value(u"step"_s).toInt()) + u' '
                    + QString::number(record.value(u"loss"_s).toDouble(), 'g', 17);
        }
        results << QString::fromUtf8(contentOf(run + u"/accuracy_vs_context.json"_s));
        return results;
    }
    static QString stateOf(const QString &run)
    {
        return QJsonDocument::fromJson(contentOf(run + u"/run.json"_s)).object().value(u"state"_s).toString();
    }
    static QStringList arguments(const QString &out, const QStringList &settings)
    {
        return QStringList{u"train"_s,    u"--variant"_s, u"rope"_s,  u"--out"_s,      out, u"--threads"_s, u"1"_s,
                           u"--preset"_s, u"tiny"_s,      u"--set"_s, u"log_every=1"_s}
        + settings;
    }
    /// Starts a training, sends `signal` when `isTime`, and gives what it left.
    static CliOutcome interrupted(const CliProgram &program, const QStringList &arguments, int signal,
                                  const std::function<bool()> &isTime)
    {
        QProcess process;
        program.start(process, arguments);
        if (QTest::qWaitFor(isTime, lookback::testing::kLongPatience))
            ::kill(static_cast<pid_t>(process.processId()), signal);
        return CliProgram::outcomeOf(process);
    }

private Q_SLOTS:
    void inTheFirstStep_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGHUP") << SIGHUP;
    }
    /// The step is finished and kept; continued, the run equals an undisturbed one.
    void inTheFirstStep()
    {
        QFETCH(int, signal);
        const QTemporaryDir folder;
        const CliProgram program(folder.path());
        const QStringList settings{u"steps=3"_s, u"warmup_steps=1"_s, u"batch=800"_s, u"evaluation_n=2"_s,
                                   u"evaluation_sequences=2"_s};
        const QString run = folder.filePath(u"runs/rope-seed0"_s);
        const CliOutcome outcome = interrupted(program, arguments(u"runs"_s, settings), signal, [&] {
            return QFile::exists(run + u"/checkpoints/step-00000000.safetensors"_s);
        });
        QCOMPARE(outcome.code, 128 + signal);
        QVERIFY2(outcome.out.contains("lookback-cli resume runs/rope-seed0"), outcome.out.constData());
        QCOMPARE(stateOf(run), u"stopped"_s);
        QVERIFY(contentOf(run + u"/metrics.jsonl"_s).count('\n') < 3);
        QCOMPARE(program.run({u"resume"_s, u"runs"_s}).code, 0);
        QCOMPARE(program.run(arguments(u"whole"_s, settings)).code, 0);
        QCOMPARE(resultsOf(run), resultsOf(folder.filePath(u"whole/rope-seed0"_s)));
    }

    /// Finished points are kept; continued, the others are added.
    void inAnEvaluation()
    {
        const QTemporaryDir folder;
        const CliProgram program(folder.path());
        const QStringList settings{u"steps=3"_s, u"warmup_steps=1"_s, u"batch=2"_s, u"evaluation_n=2,80"_s,
                                   u"evaluation_sequences=300"_s};
        const QString run = folder.filePath(u"runs/rope-seed0"_s);
        const CliOutcome outcome = interrupted(program, arguments(u"runs"_s, settings), SIGTERM,
                                               [&] { return QFile::exists(run + u"/accuracy_vs_context.json"_s); });
        QCOMPARE(outcome.code, 128 + SIGTERM);
        QCOMPARE(stateOf(run), u"stopped"_s);
        const auto points = [&] {
            return QJsonDocument::fromJson(contentOf(run + u"/accuracy_vs_context.json"_s))
                .object()
                .value(u"n_sweep"_s)
                .toArray()
                .size();
        };
        QCOMPARE(points(), 1);
        const CliOutcome resumed = program.run({u"resume"_s, u"runs"_s});
        QVERIFY2(resumed.code == 0, resumed.err.constData());
        QCOMPARE(points(), 2);
        QCOMPARE(program.run(arguments(u"whole"_s, settings)).code, 0);
        QCOMPARE(resultsOf(run), resultsOf(folder.filePath(u"whole/rope-seed0"_s)));
    }

    /// A question about heads ends as everything else does: 128 + the signal, one sentence, nothing written.
    void inAQuestion()
    {
        const QTemporaryDir folder;
        const CliProgram program(folder.path());
        const QStringList settings{u"steps=2"_s,        u"warmup_steps=1"_s, u"batch=2"_s,
                                   u"evaluation_n=2"_s, u"key_digits=4"_s,   u"evaluation_sequences=2"_s};
        QCOMPARE(program.run(arguments(u"runs"_s, settings)).code, 0);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            QProcess process;
            program.start(process,
                          {u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s, u"900"_s, u"--out"_s, u"map.json"_s});
            QVERIFY(process.waitForStarted(lookback::testing::kLongPatience)); // till then it has this one's handlers
            const auto isListening = [&] { // it has a handler for that signal
                const QByteArray status = contentOf(u"/proc/%1/status"_s.arg(process.processId()));
                const qsizetype at = status.indexOf("SigCgt:");
                return at >= 0 && (status.mid(at + 7, 18).trimmed().toULongLong(nullptr, 16) >> (signal - 1) & 1U) != 0;
            };
            QVERIFY(QTest::qWaitFor(isListening, lookback::testing::kLongPatience));
            ::kill(static_cast<pid_t>(process.processId()), signal);
            const CliOutcome outcome = CliProgram::outcomeOf(process);
            QCOMPARE(outcome.code, 128 + signal);
            QCOMPARE(outcome.err, QByteArray("Stopped before the end.\n"));
            QVERIFY(!QFile::exists(folder.filePath(u"map.json"_s)));
        }
    }

    /// A demonstration that is stopped keeps both runs, says how to go on, and draws nothing half.
    void inADemonstration()
    {
        const QTemporaryDir folder;
        const CliProgram program(folder.path());
        const QString out = folder.filePath(u"shown"_s);
        const QStringList runs{out + u"/rope-seed0"_s, out + u"/hybrid_square-seed0"_s};
        const CliOutcome outcome =
            interrupted(program, {u"demo"_s, u"--steps"_s, u"1000000"_s, u"--out"_s, u"shown"_s}, SIGINT, [&] {
                return std::ranges::all_of(
                    runs, [](const QString &run) { return contentOf(run + u"/metrics.jsonl"_s).contains('\n'); });
            });
        QCOMPARE(outcome.code, 128 + SIGINT);
        QVERIFY2(outcome.out.contains("Continue with: lookback-cli resume shown/rope-seed0 shown/hybrid_square-seed0"),
                 outcome.out.constData());
        for (const QString &run : runs)
            QCOMPARE(stateOf(run), u"stopped"_s);
        QCOMPARE(QDir(out).entryList({u"*.png"_s}), QStringList());
    }

    /// Killed at any moment, an export is whole or not there; the next one takes its place.
    void killedInAnExport()
    {
        const QTemporaryDir folder;
        const CliProgram program(folder.path());
        const QStringList settings{u"steps=40"_s, u"warmup_steps=1"_s, u"batch=2"_s, u"evaluation_n=2"_s,
                                   u"evaluation_sequences=2"_s};
        QCOMPARE(program.run(arguments(u"runs"_s, settings)).code, 0);
        const QStringList exporting{u"export"_s,  u"runs/rope-seed0"_s, u"--format"_s,
                                    u"kvbench"_s, u"--out"_s,           u"out"_s};
        const auto contents = [&] {
            return QDir(folder.filePath(u"out/rope/checkpoints"_s)).entryList(QDir::Files, QDir::Name);
        };
        QCOMPARE(program.run(exporting).code, 0);
        const QStringList whole = contents();
        QVERIFY(whole.size() > 5);
        int killed = 0;
        for (int i = 0; i < 30; ++i) {
            QVERIFY(QDir(folder.filePath(u"out"_s)).removeRecursively());
            QProcess process;
            program.start(process, exporting);
            // Earlier and later in what it writes; how far it comes does not matter for what must hold.
            static_cast<void>(QTest::qWaitFor(
                [&] {
                    return process.state() == QProcess::NotRunning
                        || QDir(folder.filePath(u"out/.rope.unfinished/checkpoints"_s)).count() > uint(i % 10);
                },
                lookback::testing::kLongPatience));
            process.kill();
            killed += CliProgram::outcomeOf(process).code == 0 ? 0 : 1;
            QVERIFY(!QFile::exists(folder.filePath(u"out/rope"_s)) || contents() == whole);
            if (!QFile::exists(folder.filePath(u"out/rope"_s))) {
                const CliOutcome again = program.run(exporting);
                QVERIFY2(again.code == 0, again.err.constData());
            }
            QCOMPARE(contents(), whole);
            QCOMPARE(QDir(folder.filePath(u"out"_s)).entryList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot),
                     QStringList{u"rope"_s});
        }
        QVERIFY(killed > 0);
    }

    void stoppedForAWhile()
    {
        const QTemporaryDir folder;
        const CliProgram program(folder.path());
        const QStringList settings{u"steps=40"_s, u"warmup_steps=1"_s, u"batch=8"_s, u"evaluation_n=2"_s,
                                   u"evaluation_sequences=2"_s};
        const QString run = folder.filePath(u"runs/rope-seed0"_s);
        QProcess process;
        program.start(process, arguments(u"runs"_s, settings));
        QVERIFY(QTest::qWaitFor([&] { return contentOf(run + u"/metrics.jsonl"_s).count('\n') > 3; },
                                lookback::testing::kLongPatience));
        const auto id = static_cast<pid_t>(process.processId());
        for (int i = 0; i < 3; ++i) {
            ::kill(id, SIGSTOP);
            ::kill(id, SIGCONT);
        }
        const CliOutcome outcome = CliProgram::outcomeOf(process);
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(program.run(arguments(u"whole"_s, settings)).code, 0);
        QCOMPARE(resultsOf(run), resultsOf(folder.filePath(u"whole/rope-seed0"_s)));
    }

    /// "No better than chance" is one line, and the run ends as any other.
    void stuckAtChanceIsOneLine()
    {
        const QTemporaryDir folder;
        const CliOutcome outcome =
            CliProgram(folder.path())
                .run(arguments(u"runs"_s,
                               {u"steps=80"_s, u"warmup_steps=1"_s, u"batch=32"_s, u"learning_rate=1e-9"_s,
                                u"curriculum=none"_s, u"evaluation_n=2"_s, u"evaluation_sequences=2"_s}));
        QCOMPARE(outcome.code, 0);
        QCOMPARE(outcome.err.count("no better than chance"), 1);
        QVERIFY2(outcome.err.contains("note: rope-seed0: At step "), outcome.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliSignals)
#include "test_cli_signals.moc"
