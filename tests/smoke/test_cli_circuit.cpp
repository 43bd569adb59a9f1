// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <functional>

#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;

/// heads, knockout, patch, timeline and failures by the command line, on runs of a second or two.
class TestCliCircuit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void measuresHeads();
    void headsAreKept();
    void knocksOut();
    void knocksOutEach();
    void searchesSmallestSets();
    void patches();
    void followsTheTimeline();
    void sortsEveryForm();
    void listsFailures();
    void drawsFigures();
    void formsAgree_data();
    void formsAgree();
    void refusesWhatCannotBe_data();
    void refusesWhatCannotBe();
    void stopsCleanly();
    void readOnlyRunsCanBeLookedAt();

private:
    CliOutcome run(const QStringList &arguments) const { return CliProgram(m_folder.path()).run(arguments); }

    QTemporaryDir m_folder;
    const QString m_run = u"runs/hybrid_square-seed0"_s;
    const QString m_kda = u"runs/hybrid_square_kda-seed0"_s;
};

namespace {

QList<QByteArrayList> csvRows(const QByteArray &text)
{
    QList<QByteArrayList> rows;
    for (const QByteArray &line : text.split('\n')) {
        if (!line.isEmpty())
            rows << line.split(',');
    }
    return rows;
}

} // namespace

void TestCliCircuit::initTestCase()
{
    QVERIFY(m_folder.isValid());
    const CliOutcome training = run(QStringList{u"train"_s, u"--variant"_s, u"hybrid_square"_s, u"hybrid_square_kda"_s,
                                                u"--out"_s, u"runs"_s, u"--no-evaluation"_s}
                                    + kQuickSettings);
    QVERIFY2(training.code == 0, training.err.constData());
}

void TestCliCircuit::measuresHeads()
{
    const CliOutcome text = run({u"heads"_s, m_run, u"--n"_s, u"3,4"_s, u"--sequences"_s, u"5"_s});
    QVERIFY2(text.code == 0, text.err.constData());
    QVERIFY(text.out.startsWith("hybrid_square, step 40, n = 3: "));
    QVERIFY(text.out.contains("\n\nhybrid_square, step 40, n = 4: "));
    QVERIFY(text.out.contains("retrieval"));

    for (const QString &folder : {m_run, m_kda}) {
        const CliOutcome outcome =
            run({u"heads"_s, folder, u"--n"_s, u"4"_s, u"--sequences"_s, u"5"_s, u"--json"_s, u"--quiet"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.errorText(), QString());
        const QList<QJsonObject> lines = outcome.jsonLines();
        int heads = 0;
        for (const QJsonObject &line : lines) {
            QCOMPARE(line.value(u"step"_s).toInt(), 40);
            const QJsonObject measures = line.value(u"measures"_s).toObject();
            double sum = 0.0;
            for (const char *id : {"source_weight", "own_entry", "first_token", "other_values", "elsewhere"}) {
                const QJsonArray numbers = measures.value(QLatin1StringView(id)).toArray();
                QCOMPARE(numbers.size(), 3);
                QVERIFY(numbers[1].toDouble() <= numbers[0].toDouble()
                        && numbers[0].toDouble() <= numbers[2].toDouble());
                sum += numbers[0].toDouble();
            }
            QVERIFY(std::abs(sum - 1.0) < 1e-5);
            heads += line.value(u"kind"_s).toString() == u"head"_s ? 1 : 0;
        }
        QVERIFY(heads >= 4 && heads % 2 == 0);
        QVERIFY(lines.last().value(u"kind"_s).toString() == u"layer"_s);
    }
}

void TestCliCircuit::headsAreKept()
{
    const QStringList arguments{u"heads"_s, m_run, u"--n"_s, u"5"_s, u"--sequences"_s, u"4"_s, u"--csv"_s};
    const CliOutcome first = run(arguments);
    const QString file = m_folder.filePath(m_run + u"/circuit/heads-00000040.json"_s);
    const QByteArray kept = contentOf(file);
    QVERIFY(!kept.isEmpty());
    const CliOutcome second = run(arguments);
    QCOMPARE(second.out, first.out);
    QCOMPARE(contentOf(file), kept);
    // damage is told with one sentence, and mended
    writeContent(file, "{\"format\": 1}");
    const CliOutcome third = run(arguments + QStringList{u"--quiet"_s});
    QCOMPARE(third.code, 0);
    QCOMPARE(third.out, first.out);
    QVERIFY2(third.err.startsWith("note: ") && third.err.count('\n') == 1, third.err.constData());
    QCOMPARE(run(arguments + QStringList{u"--quiet"_s}).err, QByteArray());
}

void TestCliCircuit::knocksOut()
{
    const QStringList arguments{u"knockout"_s, m_run,    u"--head"_s,      u"0:1"_s, u"--head"_s, u"1:0"_s,
                                u"--n"_s,      u"2,4"_s, u"--sequences"_s, u"6"_s,   u"--quiet"_s};
    for (const QString &mode : {u"zero"_s, u"mean"_s, u"uniform"_s}) {
        const CliOutcome outcome = run(arguments + QStringList{u"--mode"_s, mode, u"--json"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        const QList<QJsonObject> lines = outcome.jsonLines();
        QCOMPARE(lines.size(), 2);
        for (const QJsonObject &line : lines) {
            QCOMPARE(line.value(u"mode"_s).toString(), mode);
            QCOMPARE(line.value(u"heads"_s).toArray(), (QJsonArray{u"0:1"_s, u"1:0"_s}));
            QCOMPARE(line.value(u"answers"_s).toInt(), 6 * line.value(u"n_keys"_s).toInt());
            QVERIFY(std::abs(line.value(u"after"_s).toDouble() - line.value(u"before"_s).toDouble()
                             - line.value(u"difference"_s).toDouble())
                    < 1e-12);
            QVERIFY(line.value(u"p"_s).toDouble() > 0.0 && line.value(u"p"_s).toDouble() <= 1.0);
        }
    }
    const CliOutcome text = run(arguments);
    QVERIFY(text.out.startsWith("hybrid_square, step 40, without 0:1, 1:0 (zero), 6 sequences\n"));
}

void TestCliCircuit::knocksOutEach()
{
    const CliOutcome outcome = run({u"knockout"_s, m_kda, u"--each"_s, u"--n"_s, u"3"_s, u"--sequences"_s, u"4"_s,
                                    u"--mode"_s, u"mean"_s, u"--json"_s, u"--quiet"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QList<QJsonObject> lines = outcome.jsonLines();
    QVERIFY(lines.size() >= 4);
    // the same number as for that head alone
    const QJsonObject one = lines[3];
    const CliOutcome alone =
        run({u"knockout"_s, m_kda, u"--head"_s, one.value(u"heads"_s).toArray().first().toString(), u"--n"_s, u"3"_s,
             u"--sequences"_s, u"4"_s, u"--mode"_s, u"mean"_s, u"--json"_s, u"--quiet"_s});
    QCOMPARE(alone.jsonLines().first().value(u"after"_s).toDouble(), one.value(u"after"_s).toDouble());
    QCOMPARE(alone.jsonLines().first().value(u"p"_s).toDouble(), one.value(u"p"_s).toDouble());
}

void TestCliCircuit::searchesSmallestSets()
{
    // a run of 40 steps retrieves nothing: said in words, done at once
    const CliOutcome outcome =
        run({u"knockout"_s, m_run, u"--smallest"_s, u"--n"_s, u"4"_s, u"--sequences"_s, u"2"_s, u"--quiet"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QVERIFY2(outcome.out.contains("no retrieval to take away") || outcome.out.contains("alone keep"),
             outcome.out.constData());
}

void TestCliCircuit::patches()
{
    for (const QString &part : {u"pattern"_s, u"output"_s}) {
        for (const QString &differs : {u"key"_s, u"value"_s}) {
            const CliOutcome outcome = run({u"patch"_s, m_run, u"--part"_s, part, u"--differs"_s, differs, u"--n"_s,
                                            u"4"_s, u"--sequences"_s, u"6"_s, u"--json"_s, u"--quiet"_s});
            QVERIFY2(outcome.code == 0, outcome.err.constData());
            QVERIFY(outcome.jsonLines().size() >= 4);
            QCOMPARE(outcome.jsonLines().first().value(u"part"_s).toString(), part);
        }
    }
    const CliOutcome together = run({u"patch"_s, m_kda, u"--head"_s, u"0:0,1:1"_s, u"--n"_s, u"4"_s, u"--sequences"_s,
                                     u"3"_s, u"--json"_s, u"--quiet"_s});
    QVERIFY2(together.code == 0, together.err.constData());
    QCOMPARE(together.jsonLines().size(), 1);
}

void TestCliCircuit::followsTheTimeline()
{
    const QStringList arguments{u"timeline"_s, m_run, u"--n"_s, u"4"_s, u"--sequences"_s, u"3"_s, u"--quiet"_s};
    const CliOutcome text = run(arguments);
    QVERIFY2(text.code == 0, text.err.constData());
    QVERIFY(text.out.contains("sequences a checkpoint"));
    const CliOutcome json = run(arguments + QStringList{u"--json"_s});
    QList<int> steps;
    for (const QJsonObject &line : json.jsonLines()) {
        const int step = line.value(u"step"_s).toInt();
        if (steps.isEmpty() || steps.last() != step)
            steps << step;
    }
    QCOMPARE(steps, (QList<int>{0, 1, 2, 4, 8, 16, 32, 40}));
    const CliOutcome some = run(arguments + QStringList{u"--steps"_s, u"8,40"_s, u"--csv"_s});
    QList<QByteArray> found;
    for (const QByteArrayList &row : csvRows(some.out).mid(1)) {
        if (!found.contains(row[2]))
            found << row[2];
    }
    QCOMPARE(found, (QList<QByteArray>{"8", "40"}));
    QCOMPARE(run(arguments + QStringList{u"--steps"_s, u"7"_s}).code, 1);
}

void TestCliCircuit::sortsEveryForm()
{
    const QStringList sorted{u"heads"_s, m_run,        u"--n"_s,    u"2"_s,      u"--sequences"_s,
                             u"4"_s,     u"--quiet"_s, u"--sort"_s, u"entropy"_s};
    std::vector<double> ofCsv;
    for (const QByteArrayList &row : csvRows(run(sorted + QStringList{u"--csv"_s}).out)) {
        if (row[5] == "head" && row[9] == "entropy")
            ofCsv.push_back(row[10].toDouble());
    }
    QVERIFY(ofCsv.size() > 1);
    QVERIFY(std::ranges::is_sorted(ofCsv, std::ranges::greater()));
    std::vector<double> ofJson;
    for (const QJsonObject &line : run(sorted + QStringList{u"--json"_s}).jsonLines()) {
        if (line.value(u"kind"_s).toString() == u"head"_s)
            ofJson.push_back(line.value(u"measures"_s).toObject().value(u"entropy"_s).toArray().at(0).toDouble());
    }
    QVERIFY(ofJson == ofCsv);
}

void TestCliCircuit::listsFailures()
{
    const QStringList arguments{u"failures"_s, m_run, u"--n"_s, u"6"_s, u"--sequences"_s, u"4"_s, u"--quiet"_s};
    const CliOutcome json = run(arguments + QStringList{u"--json"_s});
    QVERIFY2(json.code == 0, json.err.constData());
    const QList<QJsonObject> lines = json.jsonLines();
    const QJsonObject counts = lines.last();
    QCOMPARE(counts.value(u"kind"_s).toString(), u"counts"_s);
    QCOMPARE(counts.value(u"answers"_s).toInt(), 24);
    QCOMPARE(counts.value(u"wrong_digits"_s).toInt(), lines.size() - 1);
    QVERIFY(counts.value(u"wrong_answers"_s).toInt() > 0); // 40 steps are too few
    for (const QJsonObject &line : lines.first(lines.size() - 1)) {
        QVERIFY(line.value(u"margin"_s).toDouble() > 0.0);
        QVERIFY(line.value(u"truth"_s).toString() != line.value(u"predicted"_s).toString());
    }
    // a file holds all, whatever the table shows
    QVERIFY(lines.size() > 21);
    const CliOutcome table = run(arguments + QStringList{u"--npy"_s, u"wrong.npy"_s});
    QVERIFY(table.out.contains("more (--most)"));
    QFile npy(m_folder.filePath(u"wrong.npy"_s));
    QVERIFY(npy.open(QIODevice::ReadOnly));
    QVERIFY(npy.readAll().contains(QByteArray("(" + QByteArray::number(lines.size() - 1) + ",)")));
    QCOMPARE(run(arguments + QStringList{u"--csv"_s}).out.count('\n'), lines.size());
    QCOMPARE(run(arguments + QStringList{u"--csv"_s, u"--most"_s, u"3"_s}).out.count('\n'), 4);

    const CliOutcome text = run(arguments + QStringList{u"--most"_s, u"2"_s, u"--head"_s, u"1:0"_s});
    QVERIFY(text.out.contains("read by 1:0"));
    QVERIFY(text.out.contains("more (--most)"));
    QVERIFY(text.out.contains("place in the context"));
}

/// The figures measure what the commands of their names measure: the same numbers in the CSV.
void TestCliCircuit::drawsFigures()
{
    const QStringList size{u"--n"_s, u"2"_s, u"--sequences"_s, u"8"_s};
    const auto draw = [&](const QString &figure, const QStringList &more) {
        return run(
            QStringList{u"figure"_s, figure, m_run, u"--out"_s, figure + u".png"_s, u"--out"_s, figure + u".csv"_s}
            + more);
    };
    const auto read = [&](const QString &name) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    for (const QString &figure : {u"heads"_s, u"knockout"_s, u"timeline"_s}) {
        const CliOutcome drawn = draw(figure, size);
        QVERIFY2(drawn.code == 0, drawn.err.constData());
        QVERIFY(read(figure + u".png"_s).startsWith("\x89PNG"));
        QVERIFY(read(figure + u".csv"_s).contains(",retrieval,retrieval_low,retrieval_high,"));
    }
    QVERIFY(read(u"knockout.csv"_s).contains(",zero,"));
    // under the names that the command gives them
    const QByteArrayList command =
        csvRows(run(QStringList{u"knockout"_s, m_run, u"--each"_s, u"--csv"_s, u"--quiet"_s} + size).out)[0];
    const QByteArrayList columns = csvRows(read(u"knockout.csv"_s).replace("\r\n", "\n"))[0];
    for (const QByteArray &column : columns) {
        const QByteArrayList common{"run", "variant", "step", "n_keys", "sequences", "mode", "distinguishable", "p"};
        QVERIFY2(!common.contains(column) || command.contains(column), column.constData());
        QVERIFY(column != "is_distinguishable" && column != "mcnemar_p" && column != "removal");
    }
    QVERIFY(read(u"heads.csv"_s).startsWith("run,variant,step,n_keys,sequences,layer,head,"));
    QVERIFY(read(u"timeline.csv"_s).startsWith("run,variant,step,n_keys,sequences,layer,head,"));
    const CliOutcome several = run({u"figure"_s, u"heads"_s, u"runs"_s, u"--out"_s, u"x.png"_s});
    QCOMPARE(several.code, 2);
    QCOMPARE(draw(u"heads"_s, {u"--mode"_s, u"mean"_s}).code, 2);
    QCOMPARE(draw(u"training"_s, {u"--n"_s, u"2"_s}).code, 2);
}

void TestCliCircuit::formsAgree_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("knockout") << QStringList{u"knockout"_s, u"--head"_s, u"0:0"_s};
    QTest::newRow("each") << QStringList{u"knockout"_s, u"--each"_s};
    QTest::newRow("patch") << QStringList{u"patch"_s};
    QTest::newRow("failures") << QStringList{u"failures"_s};
}

void TestCliCircuit::formsAgree()
{
    QFETCH(QStringList, arguments);
    arguments += {m_run, u"--n"_s, u"4"_s, u"--sequences"_s, u"3"_s, u"--quiet"_s};
    const CliOutcome json = run(arguments + QStringList{u"--json"_s});
    const CliOutcome csv = run(arguments + QStringList{u"--csv"_s});
    QVERIFY2(csv.code == 0, csv.err.constData());
    QList<QJsonObject> objects = json.jsonLines();
    if (arguments.first() == u"failures"_s)
        objects.removeLast();
    const QList<QByteArrayList> rows = csvRows(csv.out);
    QCOMPARE(rows.size(), objects.size() + 1);
    for (qsizetype i = 0; i < objects.size(); ++i) {
        QCOMPARE(rows[i + 1].size(), rows[0].size());
        for (qsizetype column = 0; column < rows[0].size(); ++column) {
            const QJsonValue value = objects[i].value(QString::fromUtf8(rows[0][column]));
            const QByteArray field = rows[i + 1][column];
            if (value.isDouble())
                QCOMPARE(field.toDouble(), value.toDouble());
            else if (value.isString())
                QCOMPARE(QString::fromUtf8(field), value.toString());
        }
    }
}

void TestCliCircuit::refusesWhatCannotBe_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("text");
    const auto row = [](const char *name, const QStringList &arguments, const QString &text) {
        QTest::newRow(name) << arguments << text;
    };
    row("no run", {u"heads"_s}, u"Say which run"_s);
    row("no head", {u"knockout"_s, m_run}, u"Say which head"_s);
    row("no such head", {u"knockout"_s, m_run, u"--head"_s, u"9:0"_s}, u"head 9:0"_s);
    row("bad head", {u"knockout"_s, m_run, u"--head"_s, u"5"_s}, u"layer:head"_s);
    row("bad mode", {u"knockout"_s, m_run, u"--head"_s, u"0:0"_s, u"--mode"_s, u"maen"_s}, u"\"mean\""_s);
    row("each and head", {u"knockout"_s, m_run, u"--each"_s, u"--head"_s, u"0:0"_s}, u"--head"_s);
    row("each and smallest", {u"knockout"_s, m_run, u"--each"_s, u"--smallest"_s}, u"--smallest"_s);
    row("each with lengths", {u"knockout"_s, m_run, u"--each"_s, u"--n"_s, u"4,8"_s}, u"one length"_s);
    row("both forms", {u"heads"_s, m_run, u"--json"_s, u"--csv"_s}, u"--csv"_s);
    row("bad measure", {u"heads"_s, m_run, u"--sort"_s, u"retreival"_s}, u"\"retrieval\""_s);
    row("bad part", {u"patch"_s, m_run, u"--part"_s, u"all"_s}, u"--part"_s);
    row("bad n", {u"failures"_s, m_run, u"--n"_s, u"0"_s}, u"--n"_s);
    row("several runs", {u"timeline"_s, u"runs"_s}, u"Name one of them"_s);
}

void TestCliCircuit::refusesWhatCannotBe()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, text);
    const CliOutcome outcome = run(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.errorText().contains(text), outcome.err.constData());
    QCOMPARE(outcome.out, QByteArray());
}

void TestCliCircuit::stopsCleanly()
{
    for (const QStringList &arguments :
         {QStringList{u"heads"_s, m_run, u"--sequences"_s, u"1000000"_s},
          QStringList{u"knockout"_s, m_run, u"--each"_s, u"--sequences"_s, u"1000000"_s},
          QStringList{u"failures"_s, m_run, u"--head"_s, u"0:0"_s, u"--sequences"_s, u"1000000"_s},
          QStringList{u"timeline"_s, m_run, u"--sequences"_s, u"1000000"_s},
          QStringList{u"patch"_s, m_run, u"--sequences"_s, u"1000000"_s}}) {
        QProcess process;
        CliProgram(m_folder.path()).start(process, arguments);
        process.setReadChannel(QProcess::StandardError);
        QByteArray seen;
        while (!seen.contains(" of ")) { // the first progress line
            QVERIFY2(process.waitForReadyRead(lookback::testing::kLongPatience), seen.constData());
            seen += process.readAllStandardError();
        }
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        const CliOutcome outcome = CliProgram::outcomeOf(process);
        QCOMPARE(outcome.code, 130);
        QVERIFY2(outcome.err.contains("Stopped"), outcome.err.constData());
    }
}

void TestCliCircuit::readOnlyRunsCanBeLookedAt()
{
    // a file where the folder of measured heads should be: nothing can be kept, which is told; also as root
    const QString copy = m_folder.filePath(u"copy"_s);
    copyFolder(m_folder.filePath(m_run), copy);
    QVERIFY(QDir(copy + u"/circuit"_s).removeRecursively());
    writeContent(copy + u"/circuit"_s, "in the way");
    const CliOutcome outcome = run({u"heads"_s, copy, u"--n"_s, u"3"_s, u"--sequences"_s, u"2"_s, u"--quiet"_s});
    QCOMPARE(outcome.code, 0);
    QVERIFY2(outcome.err.contains("not kept"), outcome.err.constData());
    QCOMPARE(contentOf(copy + u"/circuit"_s), QByteArray("in the way"));
}

QTEST_GUILESS_MAIN(TestCliCircuit)
#include "test_cli_circuit.moc"
