// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QJsonArray>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>

#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;

/// The figures that are measured, their numbers in every form, and files for NumPy, by the command line.
class TestCliFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void varianceNeedsNoRun();
    void varianceIsThePublishedOne();
    void lossByEntryOfSeveralRuns();
    void lossByEntryPassesFaultyRunsOver();
    void measureByLength();
    void framesOfTheTimeline();
    void numbersInEveryForm_data();
    void numbersInEveryForm();
    void tablesForNumPy_data();
    void tablesForNumPy();
    void refusesWhatCannotBe_data();
    void refusesWhatCannotBe();
    void stopsCleanly();

private:
    CliOutcome run(const QStringList &arguments) const { return CliProgram(m_folder.path()).run(arguments); }
    QByteArray read(const QString &name) const { return contentOf(m_folder.filePath(name)); }

    QTemporaryDir m_folder;
    const QString m_run = u"runs/hybrid_square-seed0"_s;
};

namespace {

QList<QByteArrayList> csvRows(const QByteArray &text)
{
    QList<QByteArrayList> rows;
    for (const QByteArray &line : text.split('\n')) {
        if (!line.isEmpty())
            rows << line.trimmed().split(',');
    }
    return rows;
}

/// In the header of a file of so many records.
QByteArray shapeOf(qsizetype records)
{
    return "'shape': (" + QByteArray::number(records) + ",), }";
}

} // namespace

void TestCliFigures::initTestCase()
{
    QVERIFY(m_folder.isValid());
    const CliOutcome training = run(QStringList{u"train"_s, u"--variant"_s, u"hybrid_square"_s, u"hybrid_square_kda"_s,
                                                u"--out"_s, u"runs"_s, u"--no-evaluation"_s}
                                    + kQuickSettings);
    QVERIFY2(training.code == 0, training.err.constData());
}

void TestCliFigures::varianceNeedsNoRun()
{
    const CliOutcome drawn =
        run({u"figure"_s,       u"variance"_s,  u"--powers"_s,     u"1,2.5"_s,        u"--lengths"_s,
             u"2,8"_s,          u"--samples"_s, u"20"_s,           u"--seed"_s,       u"3"_s,
             u"--threads"_s,    u"2"_s,         u"--out"_s,        u"variance.png"_s, u"--out"_s,
             u"variance.svg"_s, u"--out"_s,     u"variance.csv"_s, u"--out"_s,        u"variance.npy"_s});
    QVERIFY2(drawn.code == 0, drawn.err.constData());
    QCOMPARE(drawn.out.count("Wrote "), 4);
    QVERIFY(read(u"variance.png"_s).startsWith("\x89PNG"));
    QVERIFY(read(u"variance.svg"_s).contains("Number of keys"));
    const QList<QByteArrayList> rows = csvRows(read(u"variance.csv"_s));
    QCOMPARE(rows.size(), 5);
    QCOMPARE(rows[1].mid(0, 4), (QByteArrayList{"gaussian", "1", "2", "20"}));
    QVERIFY(read(u"variance.npy"_s).startsWith("\x93NUMPY"));
    // The same seed, the same numbers, whatever the threads; another seed, others.
    const QStringList again{u"figure"_s,    u"variance"_s, u"--powers"_s, u"1,2.5"_s,     u"--lengths"_s, u"2,8"_s,
                            u"--samples"_s, u"20"_s,       u"--csv"_s,    u"--threads"_s, u"1"_s,         u"--seed"_s};
    QCOMPARE(run(again + QStringList{u"3"_s}).out, read(u"variance.csv"_s).replace("\r\n", "\n"));
    QVERIFY(run(again + QStringList{u"4"_s}).out != run(again + QStringList{u"3"_s}).out);
}

/// Rows of the reference page: 0.637, 0.639 and 0.704 at two keys, e/n at 1,000 with plain softmax.
void TestCliFigures::varianceIsThePublishedOne()
{
    const CliOutcome outcome = run({u"figure"_s, u"variance"_s, u"--lengths"_s, u"2,1000"_s, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QList<QJsonObject> lines = outcome.jsonLines();
    QCOMPARE(lines.size(), 6);
    const double expected[] = {0.637, 0.639, 0.704, 0.00270, 0.450, 0.875};
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const double value = lines[i].value(u"variance"_s).toDouble();
        const double error = lines[i].value(u"standard_error"_s).toDouble();
        QVERIFY(error > 0.0);
        // Five of its own errors, and half a unit of the last digit that is printed there.
        const double rounding = expected[i] < 0.01 ? 5e-6 : 5e-4;
        QVERIFY2(std::abs(value - expected[i]) < 5.0 * error + 2.0 * rounding,
                 qPrintable(u"%1: %2 +- %3"_s.arg(i).arg(value).arg(error)));
        QCOMPARE(lines[i].value(u"samples"_s).toInt(), 10'000);
    }
    const CliOutcome heads =
        run({u"figure"_s, u"variance"_s, u"--lengths"_s, u"2"_s, u"--sampling"_s, u"unit"_s, u"--json"_s});
    QCOMPARE(heads.jsonLines().first().value(u"samples"_s).toInt(), 2'048);
    QVERIFY(heads.jsonLines().first().value(u"drawn_variance"_s).isNull());
}

void TestCliFigures::lossByEntryOfSeveralRuns()
{
    const QStringList arguments{u"figure"_s, u"per-index"_s, u"runs"_s, u"--n"_s, u"4"_s, u"--sequences"_s, u"6"_s};
    const CliOutcome drawn = run(arguments + QStringList{u"--out"_s, u"entries.png"_s, u"--out"_s, u"entries.csv"_s});
    QVERIFY2(drawn.code == 0, drawn.err.constData());
    QVERIFY(read(u"entries.png"_s).startsWith("\x89PNG"));
    const QList<QByteArrayList> rows = csvRows(read(u"entries.csv"_s));
    QCOMPARE(rows.size(), 1 + 2 * 3 * 8);
    double first = 0.0;
    qsizetype firsts = 0;
    for (const QByteArrayList &row : rows.mid(1)) {
        if (row[8] == "first" && row[10].toInt() > 0) {
            first += row[11].toDouble();
            ++firsts;
        }
    }
    QVERIFY(first / static_cast<double>(firsts) > 2.0); // nobody can know them
    // Measured once: the file is kept, and what is drawn from it is the same.
    const QString kept = m_run + u"/circuit/per-index-00000040.json"_s;
    QVERIFY(read(kept).startsWith("{\"format\":\"lookback-loss-by-entry\""));
    QCOMPARE(run(arguments + QStringList{u"--csv"_s}).out, read(u"entries.csv"_s).replace("\r\n", "\n"));
}

void TestCliFigures::lossByEntryPassesFaultyRunsOver()
{
    QTemporaryDir folder;
    copyFolder(m_folder.filePath(m_run), folder.filePath(u"good"_s));
    copyFolder(m_folder.filePath(m_run), folder.filePath(u"bad"_s));
    for (const QString &file : QDir(folder.filePath(u"bad/checkpoints"_s)).entryList({u"*.safetensors"_s}))
        writeContent(folder.filePath(u"bad/checkpoints/"_s + file), "damaged");
    const CliProgram program(folder.path());
    const QStringList options{u"--n"_s, u"2"_s, u"--sequences"_s, u"2"_s, u"--csv"_s};
    const CliOutcome both = program.run(QStringList{u"figure"_s, u"per-index"_s, u"good"_s, u"bad"_s} + options);
    QCOMPARE(both.code, 1);
    QVERIFY2(both.err.contains("bad") && both.err.contains("It is left out of the figure."), both.err.constData());
    QCOMPARE(csvRows(both.out).size(), 1 + 3 * 4);
    const CliOutcome none = program.run(QStringList{u"figure"_s, u"per-index"_s, u"bad"_s} + options);
    QCOMPARE(none.code, 1);
    QVERIFY(none.out.isEmpty());
}

void TestCliFigures::measureByLength()
{
    const CliOutcome drawn = run({u"figure"_s, u"measure"_s, m_run, u"--measure"_s, u"source_weight"_s, u"--n"_s,
                                  u"2,4,8"_s, u"--sequences"_s, u"4"_s, u"--head"_s, u"1:0,0:1"_s, u"--out"_s,
                                  u"measure.png"_s, u"--out"_s, u"measure.csv"_s});
    QVERIFY2(drawn.code == 0, drawn.err.constData());
    QVERIFY(read(u"measure.png"_s).startsWith("\x89PNG"));
    const QList<QByteArrayList> rows = csvRows(read(u"measure.csv"_s));
    // The numbers of the command heads, length by length.
    const CliOutcome heads = run({u"heads"_s, m_run, u"--n"_s, u"2,4,8"_s, u"--sequences"_s, u"4"_s, u"--json"_s});
    qsizetype row = 0;
    for (const QJsonObject &line : heads.jsonLines()) {
        if (line.value(u"kind"_s).toString() != u"head"_s)
            continue;
        ++row;
        QCOMPARE(rows[row][rows[0].indexOf("n_keys")].toInt(), line.value(u"n_keys"_s).toInt());
        QCOMPARE(rows[row][rows[0].indexOf("head")].toInt(), line.value(u"head"_s).toInt());
        const qsizetype column = rows[0].indexOf("source_weight");
        QCOMPARE(rows[row][column].toDouble(),
                 line.value(u"measures"_s).toObject().value(u"source_weight"_s).toArray()[0].toDouble());
    }
    QCOMPARE(rows.size(), row + 1);
}

void TestCliFigures::framesOfTheTimeline()
{
    const CliOutcome drawn =
        run({u"figure"_s, u"timeline"_s, m_run, u"--frames"_s, u"strip"_s, u"--measure"_s, u"key_matching"_s, u"--n"_s,
             u"2"_s, u"--sequences"_s, u"4"_s, u"--out"_s, u"strip.png"_s, u"--out"_s, u"strip.apng"_s, u"--out"_s,
             u"strip.csv"_s, u"--width"_s, u"400"_s});
    QVERIFY2(drawn.code == 0, drawn.err.constData());
    QVERIFY(read(u"strip.png"_s).startsWith("\x89PNG") && !read(u"strip.png"_s).contains("acTL"));
    const QByteArray animation = read(u"strip.apng"_s);
    QVERIFY(animation.startsWith("\x89PNG") && animation.contains("acTL"));
    QSet<QByteArray> steps;
    const QList<QByteArrayList> rows = csvRows(read(u"strip.csv"_s));
    for (const QByteArrayList &row : rows.mid(1))
        steps << row[rows[0].indexOf("step")];
    QVERIFY(steps.size() > 1);
    QCOMPARE(animation.count("fcTL"), steps.size());
}

void TestCliFigures::numbersInEveryForm_data()
{
    QTest::addColumn<QStringList>("arguments");
    const QStringList few{u"--n"_s, u"2"_s, u"--sequences"_s, u"4"_s};
    QTest::newRow("training") << QStringList{u"training"_s, u"runs"_s};
    QTest::newRow("accuracy") << QStringList{u"accuracy"_s};
    QTest::newRow("per-index") << QStringList{u"per-index"_s, u"runs"_s} + few;
    QTest::newRow("heads") << QStringList{u"heads"_s, m_run} + few;
    QTest::newRow("knockout") << QStringList{u"knockout"_s, m_run} + few;
    QTest::newRow("timeline") << QStringList{u"timeline"_s, m_run} + few;
    QTest::newRow("measure") << QStringList{u"measure"_s, m_run} + few;
    QTest::newRow("variance") << QStringList{u"variance"_s, u"--lengths"_s, u"2,4"_s, u"--samples"_s, u"5"_s};
}

/// --csv, --json, .csv and .npy hold the same table.
void TestCliFigures::numbersInEveryForm()
{
    QFETCH(QStringList, arguments);
    arguments.prepend(u"figure"_s);
    const CliOutcome csv =
        run(arguments + QStringList{u"--csv"_s, u"--out"_s, u"numbers.csv"_s, u"--out"_s, u"numbers.npy"_s});
    QVERIFY2(csv.code == 0, csv.err.constData());
    QVERIFY(!csv.out.contains("Wrote"));
    QCOMPARE(csv.out, read(u"numbers.csv"_s).replace("\r\n", "\n"));
    const CliOutcome json = run(arguments + QStringList{u"--json"_s});
    QVERIFY2(json.code == 0, json.err.constData());
    const QList<QJsonObject> lines = json.jsonLines();
    const qsizetype records = csv.out.count('\n') - 1; // no field of these holds a line end
    QCOMPARE(lines.size(), records);
    const QByteArrayList names = csv.out.left(csv.out.indexOf('\n')).split(',');
    QCOMPARE(lines.first().keys().size(), names.size());
    QVERIFY(read(u"numbers.npy"_s).contains(shapeOf(records)));
    for (const QByteArray &name : names)
        QVERIFY(read(u"numbers.npy"_s).contains(QByteArray("('" + name + "', '")));
}

void TestCliFigures::tablesForNumPy_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("heads") << QStringList{u"heads"_s};
    QTest::newRow("knockout") << QStringList{u"knockout"_s, u"--head"_s, u"0:0"_s};
    QTest::newRow("each") << QStringList{u"knockout"_s, u"--each"_s};
    QTest::newRow("smallest") << QStringList{u"knockout"_s, u"--smallest"_s};
    QTest::newRow("patch") << QStringList{u"patch"_s};
    QTest::newRow("timeline") << QStringList{u"timeline"_s};
    QTest::newRow("failures") << QStringList{u"failures"_s};
}

void TestCliFigures::tablesForNumPy()
{
    QFETCH(QStringList, arguments);
    arguments += QStringList{m_run, u"--n"_s, u"2"_s, u"--sequences"_s, u"4"_s, u"--quiet"_s, u"--npy"_s, u"t.npy"_s};
    const CliOutcome csv = run(arguments + QStringList{u"--csv"_s});
    QVERIFY2(csv.code == 0, csv.err.constData());
    const QByteArray npy = read(u"t.npy"_s);
    QVERIFY(npy.startsWith(QByteArray("\x93NUMPY\x01\x00", 8)));
    QVERIFY(npy.contains(shapeOf(csv.out.count('\n') - 1)));
    QVERIFY(run(arguments).out.endsWith("Wrote t.npy\n")); // told beside the text, not among numbers
    QVERIFY(!csv.out.contains("Wrote"));
}

void TestCliFigures::refusesWhatCannotBe_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *name, const QString &arguments, const QString &words) {
        QTest::newRow(name) << arguments << words;
    };
    row("nothing to write", u"figure variance"_s, u"--out"_s);
    row("both forms", u"figure variance --csv --json"_s, u"--json"_s);
    row("variance of a run", u"figure variance runs --csv"_s, u"of no run"_s);
    row("a power too small", u"figure variance --powers 0.4 --csv"_s, u"from 0.5 to 4"_s);
    row("a power too large", u"figure variance --powers 1,5 --csv"_s, u"from 0.5 to 4"_s);
    row("a word as a power", u"figure variance --powers two --csv"_s, u"\"two\""_s);
    row("no key", u"figure variance --lengths 0 --csv"_s, u"--lengths"_s);
    row("one sample", u"figure variance --samples 1 --csv"_s, u"--samples"_s);
    row("unknown sampling", u"figure variance --sampling unti --csv"_s, u"Did you mean \"unit\"?"_s);
    row("two seeds", u"figure variance --seed 0-1 --csv"_s, u"One seed"_s);
    row("powers of another figure", u"figure training runs --powers 2 --csv"_s,
        u"It belongs to the figure \"variance\""_s);
    row("seeds of another figure", u"figure variance --seeds band --csv"_s, u"\"training\" and \"accuracy\""_s);
    row("device of variance", u"figure variance --device cpu --csv"_s, u"--device"_s);
    row("threads of training", u"figure training runs --threads 1 --csv"_s, u"--threads"_s);
    row("lengths of a grid", u"figure heads runs/hybrid_square-seed0 --n 2,4 --csv"_s, u"shows one length"_s);
    row("head of a grid", u"figure heads runs/hybrid_square-seed0 --head 0:0 --csv"_s,
        u"It belongs to the figure \"measure\""_s);
    row("a head that is none", u"figure measure runs/hybrid_square-seed0 --head 9:9 --csv"_s, u"9:9"_s);
    row("measure of several runs", u"figure measure runs --csv"_s, u"of one run"_s);
    row("unknown measure", u"figure measure runs/hybrid_square-seed0 --measure retrievel --csv"_s,
        u"Did you mean \"retrieval\"?"_s);
    row("step of entries", u"figure per-index runs --step 20 --csv"_s, u"--step"_s);
    row("unknown frames", u"figure timeline runs/hybrid_square-seed0 --frames film --csv"_s, u"strip"_s);
    row("frames of a grid", u"figure heads runs/hybrid_square-seed0 --frames strip --csv"_s,
        u"It belongs to the figure \"timeline\""_s);
    row("measure of a time line", u"figure timeline runs/hybrid_square-seed0 --measure entropy --csv"_s,
        u"Add --frames strip"_s);
    row("animation of a still", u"figure variance --out a.apng"_s, u"Only frames make an animation"_s);
    row("numpy of another name", u"heads runs/hybrid_square-seed0 --npy heads.csv"_s, u".npy"_s);
}

void TestCliFigures::refusesWhatCannotBe()
{
    QFETCH(QString, arguments);
    QFETCH(QString, words);
    const QStringList before = QDir(m_folder.path()).entryList();
    const CliOutcome outcome = run(arguments.split(u' '));
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.errorText().contains(words), outcome.err.constData());
    QVERIFY(outcome.errorText().startsWith("error: "_L1) && outcome.err.count('\n') == 1);
    QVERIFY(outcome.out.isEmpty());
    QCOMPARE(QDir(m_folder.path()).entryList(), before);
}

void TestCliFigures::stopsCleanly()
{
    QProcess process;
    CliProgram(m_folder.path())
        .start(process, {u"figure"_s, u"variance"_s, u"--samples"_s, u"100000000"_s, u"--out"_s, u"stopped.png"_s});
    process.setReadChannel(QProcess::StandardError);
    QByteArray seen;
    while (!seen.contains("variance")) { // the first progress line
        QVERIFY2(process.waitForReadyRead(lookback::testing::kLongPatience), seen.constData());
        seen += process.readAllStandardError();
    }
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    const CliOutcome outcome = CliProgram::outcomeOf(process);
    QCOMPARE(outcome.code, 130);
    QVERIFY2(outcome.err.contains("Stopped; no file was written."), outcome.err.constData());
    QVERIFY(!QFile::exists(m_folder.filePath(u"stopped.png"_s)));
}

QTEST_GUILESS_MAIN(TestCliFigures)
#include "test_cli_figures.moc"
