// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "tests/smoke/cli_program.h"

using namespace Qt::StringLiterals;

/// Help, wrong usage and what needs no trained run. What trains is in test_cli_runs.cpp.
class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void helpIsAsAgreed_data();
    void helpIsAsAgreed();
    void everyCommandHasAgreedHelp();
    void helpFitsAnOldTerminal();
    void noCommandExplainsItself();
    void version();
    void wrongUsageIsOneSentence_data();
    void wrongUsageIsOneSentence();
    void nothingIsWrittenOnWrongUsage();
    void jsonLinesParse_data();
    void jsonLinesParse();
    void localeDoesNotMatter_data();
    void localeDoesNotMatter();
    void fullDiskOnOutputIsAFailure();
    void dryRunWritesNothing();
    void theWarmUpFollowsTheSteps();
};

namespace {

const QStringList kCommands{u"variants"_s, u"settings"_s, u"train"_s, u"resume"_s,   u"evaluate"_s, u"attention"_s,
                            u"heads"_s,    u"knockout"_s, u"patch"_s, u"timeline"_s, u"failures"_s, u"figure"_s,
                            u"export"_s,   u"verify"_s,   u"bench"_s, u"demo"_s};

QString goldenFile(const QString &name)
{
    return QStringLiteral(LOOKBACK_TEST_SOURCE_DIR "/golden/cli/") + name + u".txt"_s;
}

} // namespace

void TestCli::helpIsAsAgreed_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("lookback-cli") << QStringList{u"--help"_s};
    for (const QString &command : kCommands)
        QTest::newRow(qPrintable(command)) << QStringList{command, u"--help"_s};
}

/// LOOKBACK_UPDATE_GOLDEN=1 writes the texts anew; look at the difference before committing it.
void TestCli::helpIsAsAgreed()
{
    QFETCH(QStringList, arguments);
    const CliOutcome outcome = CliProgram().run(arguments);
    QCOMPARE(outcome.code, 0);
    QCOMPARE(outcome.errorText(), QString());
    QFile file(goldenFile(QString::fromLatin1(QTest::currentDataTag())));
    if (qEnvironmentVariableIsSet("LOOKBACK_UPDATE_GOLDEN")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(outcome.out), outcome.out.size());
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
    QCOMPARE(QString::fromUtf8(outcome.out), QString::fromUtf8(file.readAll()));
}

void TestCli::everyCommandHasAgreedHelp()
{
    const QString help = QString::fromUtf8(CliProgram().run({u"--help"_s}).out);
    const QString list = help.section(u"Commands:\n"_s, 1).section(u"\n\n"_s, 0, 0);
    QStringList names;
    for (const QString &line : list.split(u'\n')) {
        if (line.startsWith(u"  "_s) && line.at(2) != u' ')
            names << line.mid(2).section(u' ', 0, 0);
    }
    QCOMPARE(names, kCommands);
}

void TestCli::helpFitsAnOldTerminal()
{
    for (const QString &command : QStringList{QString()} + kCommands) {
        const CliOutcome outcome =
            CliProgram().run(QStringList{command, u"--help"_s}.filter(QRegularExpression(u"."_s)));
        for (const QString &line : QString::fromUtf8(outcome.out).split(u'\n'))
            QVERIFY2(line.size() <= 80, qPrintable(command + u": "_s + line));
        if (!command.isEmpty()) {
            QVERIFY2(outcome.out.contains(QString(u"Usage: lookback-cli "_s + command).toUtf8()), qPrintable(command));
            QVERIFY2(outcome.out.contains("\nExamples:\n"), qPrintable(command));
        }
    }
}

void TestCli::noCommandExplainsItself()
{
    const CliOutcome outcome = CliProgram().run({});
    QCOMPARE(outcome.code, 2);
    QVERIFY(outcome.out.isEmpty());
    QVERIFY(outcome.err.contains("Commands:"));
}

void TestCli::version()
{
    const CliOutcome outcome = CliProgram().run({u"--version"_s});
    QCOMPARE(outcome.code, 0);
    QCOMPARE(QString::fromUtf8(outcome.out), u"lookback-cli " LOOKBACK_VERSION "\n"_s);
}

void TestCli::wrongUsageIsOneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says"); // a part of the sentence
    const auto row = [](const char *name, const QString &arguments, const QString &says) {
        QTest::newRow(name) << arguments.split(u' ', Qt::SkipEmptyParts) << says;
    };
    for (const char *command : {"train", "resume", "evaluate", "attention", "heads", "knockout", "patch", "timeline",
                                "failures", "figure"}) // a variable of the shell that is not set
        QTest::addRow("%s with an empty value", command)
            << QStringList{QLatin1StringView(command), u"--threads"_s, QString()}
            << u"--threads: Its value is empty."_s;
    row("unknown command", u"trian"_s, u"Did you mean \"train\"?"_s);
    row("unknown first option", u"--verison"_s, u"Did you mean \"--version\"?"_s);
    row("unknown option", u"train --sed 4"_s, u"Did you mean \"--seed\"?"_s);
    row("unknown option with value", u"train --stebs=4"_s,
        u"--stebs: There is no such option. Did you mean \"--steps\"?"_s);
    row("stray argument", u"variants rope"_s, u"\"rope\""_s);
    row("missing value", u"train --variant rope --seed"_s, u"--seed: It needs a value."_s);
    row("doubled option", u"train --variant rope --seed 1 --seed 2"_s, u"--seed: It is given more than once."_s);
    row("no variant", u"train"_s, u"--variant"_s);
    row("unknown variant", u"train --variant hybrid_sqare"_s, u"hybrid_square"_s);
    row("empty variant", u"train --variant rope,,hybrid"_s, u"empty name"_s);
    row("unknown preset", u"train --variant rope --preset papr"_s, u"Did you mean \"paper\"?"_s);
    row("unknown field", u"train --variant rope --set d_modl=64"_s, u"d_model"_s);
    row("assignment without value", u"train --variant rope --set d_model"_s, u"d_model"_s);
    row("width not divisible", u"train --variant rope --preset tiny --set d_model=31"_s, u"divi"_s);
    row("too few key digits", u"train --variant rope --preset tiny --set n_keys=200 curriculum=none"_s, u"digit"_s);
    row("too few key digits to evaluate", u"train --variant rope --preset tiny --set evaluation_n=8,101"_s, u"digit"_s);
    row("warm-up too long", u"train --variant rope --preset tiny --steps 40 --set warmup_steps=40"_s,
        u"--set warmup_steps=4"_s);
    row("warm-up longer than the preset", u"train --variant rope --preset tiny --set warmup_steps=800"_s,
        u"--set warmup_steps="_s);
    row("no steps", u"train --variant rope --steps 0"_s, u"steps"_s);
    row("negative steps", u"train --variant rope --steps -5"_s, u"steps"_s);
    row("absurd steps", u"train --variant rope --steps 99999999999999999999"_s, u"steps"_s);
    row("steps in words", u"train --variant rope --steps many"_s, u"many"_s);
    row("zero width", u"train --variant rope --set d_model=0"_s, u"d_model"_s);
    row("absurd width", u"train --variant rope --set d_model=1000000000"_s, u"d_model"_s);
    row("zero batch", u"train --variant rope --set batch=0"_s, u"batch"_s);
    row("decimal comma", u"train --variant rope --set learning_rate=0,0003"_s, u"learning_rate"_s);
    row("not a number", u"train --variant rope --set learning_rate=nan"_s, u"learning_rate"_s);
    row("bad seed", u"train --variant rope --seed -1"_s, u"--seed"_s);
    row("too large seed", u"train --variant rope --seed 18446744073709551616"_s, u"--seed"_s);
    row("range for seed", u"train --variant rope --seed 0-4"_s, u"--seeds"_s);
    row("backward range", u"train --variant rope --seeds 4-0"_s, u"backwards"_s);
    row("seed twice", u"train --variant rope --seed 0 --seeds 0-4"_s, u"Both"_s);
    row("seed set twice", u"train --variant rope --seed 0 --set seed=3"_s, u"--set seed"_s);
    row("field set twice", u"train --variant rope --set batch=4 --set batch=5"_s,
        u"--set batch: It is given more than once."_s);
    row("name of other programs", u"train --variant rope --set lr=1e-3"_s, u"Here it is called \"learning_rate\"."_s);
    row("variant as setting", u"train --variant rope --set variant=hybrid"_s, u"--variant"_s);
    row("no jobs", u"train --variant rope --jobs 0"_s, u"--jobs"_s);
    row("no threads", u"train --variant rope --threads 0"_s, u"--threads"_s);
    row("absurd threads", u"train --variant rope --threads 100000000000"_s, u"--threads"_s);
    row("unknown device", u"train --variant rope --device gpu"_s, u"auto, cpu, cuda"_s);
    row("nothing to continue", u"resume"_s, u"RUN"_s);
    row("nothing to evaluate", u"evaluate"_s, u"RUN"_s);
    row("n in words", u"evaluate somewhere --n 8,many"_s, u"--n"_s);
    row("n zero", u"evaluate somewhere --n 0"_s, u"--n"_s);
    row("no sequences", u"evaluate somewhere --sequences 0"_s, u"--sequences"_s);
    row("figure of nothing", u"figure"_s, u"training"_s);
    row("unknown figure", u"figure acuracy somewhere --out a.png"_s, u"Did you mean \"accuracy\"?"_s);
    row("seeds drawn in an unknown way", u"figure accuracy somewhere --seeds bands --out a.png"_s,
        u"Did you mean \"band\"?"_s);
    row("figure without a name", u"figure accuracy somewhere"_s, u"--out"_s);
    row("figure without an extension", u"figure accuracy somewhere --out picture"_s, u"extension"_s);
    row("figure of a wrong kind", u"figure accuracy somewhere --out picture.jpg"_s, u".png"_s);
    row("figure without width", u"figure accuracy somewhere --out a.png --width 0"_s, u"--width"_s);
    row("figure of absurd height", u"figure accuracy somewhere --out a.png --height 1000000"_s, u"--height"_s);
    row("unknown theme", u"figure accuracy somewhere --out a.png --theme drak"_s, u"Did you mean \"dark\"?"_s);
    row("attention of nothing", u"attention"_s, u"RUN"_s);
    row("attention without extension", u"attention somewhere --out head"_s, u"extension"_s);
    row("attention of a wrong kind", u"attention somewhere --out head.jpg"_s, u".json"_s);
    row("nothing to verify", u"verify"_s, u"FIXTURE"_s);
    row("bench of an unknown variant", u"bench --variant rop"_s, u"rope"_s);
    row("bench without keys", u"bench --n 0"_s, u"--n"_s);
}

void TestCli::wrongUsageIsOneSentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const CliOutcome outcome = CliProgram(folder.path()).run(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.out.isEmpty(), outcome.out.constData());
    const QString text = outcome.errorText();
    QVERIFY2(text.startsWith(u"error: "_s) && !text.contains(u'\n'), qPrintable(text));
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY2(QDir(folder.path()).isEmpty(), "something was written");
}

void TestCli::nothingIsWrittenOnWrongUsage()
{
    QTemporaryDir folder;
    CliProgram program(folder.path());
    // one of three runs is impossible: none is begun
    QCOMPARE(program.run({u"train"_s, u"--variant"_s, u"rope"_s, u"hybrid_square_kda"_s, u"nonsense"_s}).code, 2);
    QVERIFY(QDir(folder.path()).isEmpty());
}

void TestCli::jsonLinesParse_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("lines");
    QTest::newRow("variants") << QStringList{u"variants"_s, u"--json"_s} << 9;
    QTest::newRow("settings") << QStringList{u"settings"_s, u"--json"_s} << -1;
    QTest::newRow("dry run") << QStringList{u"train"_s, u"--variant"_s, u"all"_s, u"--dry-run"_s, u"--json"_s} << 9;
}

void TestCli::jsonLinesParse()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, lines);
    const CliOutcome outcome = CliProgram().run(arguments);
    QCOMPARE(outcome.code, 0);
    QVERIFY(!outcome.jsonLines().isEmpty());
    if (lines >= 0)
        QCOMPARE(outcome.jsonLines().size(), lines);
}

void TestCli::localeDoesNotMatter_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("settings") << QStringList{u"settings"_s};
    QTest::newRow("settings as JSON") << QStringList{u"settings"_s, u"--json"_s};
    QTest::newRow("dry run") << QStringList{
        u"train"_s, u"--variant"_s, u"rope"_s, u"--set"_s, u"learning_rate=0.00025"_s, u"--dry-run"_s, u"--json"_s};
}

/// Without the one number that is measured anew each time.
static QString withoutMeasurement(const QByteArray &text)
{
    static const QRegularExpression estimate(u"\"estimated_seconds\":[0-9.]+"_s);
    return QString::fromUtf8(text).remove(estimate);
}

void TestCli::localeDoesNotMatter()
{
    QFETCH(QStringList, arguments);
    CliProgram plain;
    plain.setVariable(u"LC_ALL"_s, u"C"_s);
    const CliOutcome expected = plain.run(arguments);
    QCOMPARE(expected.code, 0);
    for (const QString &locale : {u"de_DE.UTF-8"_s, u"tr_TR.UTF-8"_s, u"no_such_LOCALE"_s}) {
        CliProgram program;
        program.setVariable(u"LC_ALL"_s, locale);
        QCOMPARE(withoutMeasurement(program.run(arguments).out), withoutMeasurement(expected.out));
    }
}

void TestCli::fullDiskOnOutputIsAFailure()
{
    if (!QFile::exists(u"/dev/full"_s))
        QSKIP("there is no /dev/full");
    QProcess process;
    process.setStandardOutputFile(u"/dev/full"_s);
    CliProgram().start(process, {u"variants"_s});
    const CliOutcome outcome = CliProgram::outcomeOf(process);
    QCOMPARE(outcome.code, 1);
    QVERIFY(outcome.errorText().startsWith(u"error: Standard output"_s));
}

void TestCli::dryRunWritesNothing()
{
    QTemporaryDir folder;
    const CliOutcome outcome = CliProgram(folder.path())
                                   .run({u"train"_s, u"--variant"_s, u"rope,hybrid"_s, u"--seeds"_s, u"0-1"_s,
                                         u"--preset"_s, u"tiny"_s, u"--dry-run"_s});
    QCOMPARE(outcome.code, 0);
    QVERIFY(outcome.out.contains("hybrid-seed1"));
    QVERIFY(QDir(folder.path()).isEmpty());
}

/// Whoever asks only for fewer steps gets a run; who says nothing gets the preset as it is.
void TestCli::theWarmUpFollowsTheSteps()
{
    struct Case {
        QString arguments;
        int steps;
        int warmup;
        bool isSaid;
    };
    for (const Case &each :
         {Case{u"--preset tiny --steps 4"_s, 4, 0, true}, Case{u"--preset laptop --steps 50"_s, 50, 5, true},
          Case{u"--preset laptop --set steps=1"_s, 1, 0, true},
          Case{u"--preset laptop --steps 3300"_s, 3300, 100, false}, Case{u"--preset paper"_s, 15000, 500, false},
          Case{u"--preset paper --steps 15000"_s, 15000, 500, false},
          Case{u"--preset paper --steps 100000"_s, 100000, 500, false},
          Case{u"--preset tiny --steps 50 --set warmup_steps=20"_s, 50, 20, false}}) {
        const QString line = u"train --variant rope --dry-run --json "_s + each.arguments;
        const CliOutcome outcome = CliProgram().run(line.split(u' ', Qt::SkipEmptyParts));
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        const QJsonObject config = outcome.jsonLines().at(0).value(u"config"_s).toObject();
        QCOMPARE(config.value(u"steps"_s).toInt(), each.steps);
        QCOMPARE(config.value(u"warmup_steps"_s).toInt(), each.warmup);
        QVERIFY2(outcome.err.contains("The warm-up is") == each.isSaid, outcome.err.constData());
    }
}

QTEST_GUILESS_MAIN(TestCli)
#include "test_cli.moc"
