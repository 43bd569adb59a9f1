// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QImage>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <vector>

#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;

/// Training, evaluation, heads and figures by the command line, on runs of a second or two.
class TestCliRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void trainsSideBySide();
    void trainingSaysJson();
    void sameSeedSameBits();
    void evaluates();
    void evaluatesUnderACommaLocale();
    void looksIntoAHead();
    void aRunBesideItselfDiffersNowhere();
    void comparesTwoHeads();
    void findsTheRetrievingHead();
    void drawsFigures_data();
    void drawsFigures();
    void figureHasTheAskedSize();
    void figureDrawsSeedsAsABand();
    void figuresAreEqualUnderEveryLocale();
    void noDisplayIsAskedFor();
    void plainProgressIsBounded();
    void verifiesFixtures();
    void measuresSpeed();
    void demonstrates();

private:
    QString runFolder(const QString &variant) const { return m_folder.filePath(u"runs/"_s + variant + u"-seed0"_s); }
    /// A copy of the trained rope run that a test may damage.
    QString copyOfRun(const QString &parent) const;

    QTemporaryDir m_folder;
    CliOutcome m_training;
};

QString TestCliRuns::copyOfRun(const QString &parent) const
{
    const QString copy = parent + u"/rope-seed0"_s;
    copyFolder(runFolder(u"rope"_s), copy);
    return copy;
}

void TestCliRuns::initTestCase()
{
    QVERIFY(m_folder.isValid());
    m_training =
        CliProgram(m_folder.path())
            .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"hybrid_square_kda"_s, u"--out"_s, u"runs"_s}
                 + kQuickSettings);
    QVERIFY2(m_training.code == 0, m_training.err.constData());
}

void TestCliRuns::trainsSideBySide()
{
    for (const QString &variant : {u"rope"_s, u"hybrid_square_kda"_s}) {
        const QString run = runFolder(variant);
        QVERIFY(QFile::exists(run + u"/run.json"_s));
        QVERIFY(QFile::exists(run + u"/metrics.jsonl"_s));
        QVERIFY(QFile::exists(run + u"/accuracy_vs_context.json"_s));
        QVERIFY(QFile::exists(run + u"/checkpoints/step-00000040.safetensors"_s));
        QVERIFY(m_training.out.contains(QString(u"runs/"_s + variant + u"-seed0"_s).toUtf8()));
    }
    QVERIFY(m_training.out.contains("finished"));
    QVERIFY2(m_training.out.contains("lookback-cli figure accuracy runs/rope-seed0"), m_training.out.constData());
    // a second call never touches the first one's folders
    const QByteArray before = contentOf(runFolder(u"rope"_s) + u"/metrics.jsonl"_s);
    const CliOutcome second =
        CliProgram(m_folder.path())
            .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"again"_s, u"--no-evaluation"_s}
                 + kQuickSettings);
    QCOMPARE(second.code, 0);
    QCOMPARE(contentOf(runFolder(u"rope"_s) + u"/metrics.jsonl"_s), before);
}

void TestCliRuns::trainingSaysJson()
{
    const CliOutcome outcome =
        CliProgram(m_folder.path())
            .run(QStringList{u"train"_s, u"--variant"_s, u"hybrid"_s, u"--out"_s, u"json"_s, u"--json"_s, u"--quiet"_s}
                 + kQuickSettings);
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.errorText(), QString());
    const QList<QJsonObject> lines = outcome.jsonLines();
    QCOMPARE(lines.size(), 1);
    QCOMPARE(lines[0].value(u"state"_s).toString(), u"finished"_s);
    QCOMPARE(lines[0].value(u"step"_s).toInt(), 40);
    QCOMPARE(lines[0].value(u"accuracy"_s).toArray().size(), 3);
    QVERIFY(lines[0].value(u"loss"_s).isDouble());
}

void TestCliRuns::sameSeedSameBits()
{
    const auto run = [&](const QString &folder) {
        const CliOutcome outcome = CliProgram(m_folder.path())
                                       .run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--threads"_s, u"1"_s,
                                                        u"--no-evaluation"_s, u"--out"_s, folder}
                                            + kQuickSettings);
        QVERIFY2(outcome.code == 0, outcome.err.constData());
    };
    run(u"first"_s);
    // beside another run, and alone: m_training trained it with one thread too
    const auto lossesOf = [](const QString &file) {
        QStringList losses;
        for (const QByteArray &line : contentOf(file).split('\n')) {
            if (!line.isEmpty())
                losses << QString::number(QJsonDocument::fromJson(line).object().value(u"loss"_s).toDouble(), 'g', 17);
        }
        return losses;
    };
    const QStringList alone = lossesOf(m_folder.filePath(u"first/rope-seed0/metrics.jsonl"_s));
    QVERIFY(alone.size() > 3);
    QCOMPARE(alone, lossesOf(runFolder(u"rope"_s) + u"/metrics.jsonl"_s));
}

void TestCliRuns::evaluates()
{
    QTemporaryDir folder;
    copyOfRun(folder.path());
    const CliOutcome outcome = CliProgram(folder.path())
                                   .run({u"evaluate"_s, u"rope-seed0"_s, u"--n"_s, u"3,16"_s, u"--sequences"_s, u"4"_s,
                                         u"--json"_s, u"--quiet"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.jsonLines().size(), 2);
    const QJsonObject point = outcome.jsonLines().at(1);
    QCOMPARE(point.value(u"n_keys"_s).toInt(), 16);
    QCOMPARE(point.value(u"answers"_s).toInt(), 64);
    const CliOutcome table =
        CliProgram(folder.path()).run({u"evaluate"_s, u"."_s, u"--n"_s, u"3"_s, u"--print-only"_s});
    QCOMPARE(table.code, 0);
    QVERIFY(table.out.contains("exact match"));
    // the points found before are kept beside the new ones
    const QByteArray kept = contentOf(folder.filePath(u"rope-seed0/accuracy_vs_context.json"_s));
    for (const char *n : {"2", "3", "4", "8", "16"})
        QVERIFY2(kept.contains(n), n);
}

void TestCliRuns::evaluatesUnderACommaLocale()
{
    const QStringList arguments{u"evaluate"_s, u"runs/rope-seed0"_s, u"--n"_s,    u"2,6"_s,    u"--sequences"_s,
                                u"4"_s,        u"--print-only"_s,    u"--json"_s, u"--quiet"_s};
    const CliOutcome plain = CliProgram(m_folder.path()).run(arguments);
    CliProgram comma(m_folder.path());
    comma.setVariable(u"LC_ALL"_s, u"de_DE.UTF-8"_s);
    QCOMPARE(comma.run(arguments).out, plain.out);
    QCOMPARE(plain.jsonLines().size(), 2);
}

void TestCliRuns::looksIntoAHead()
{
    const CliOutcome outcome =
        CliProgram(m_folder.path())
            .run({u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s,      u"4"_s,        u"--sequence"_s,
                  u"1"_s,         u"--layer"_s,         u"1"_s,        u"--head"_s,   u"1"_s,
                  u"--out"_s,     u"head.png"_s,        u"--out"_s,    u"head.svg"_s, u"--out"_s,
                  u"head.pdf"_s,  u"--out"_s,           u"head.csv"_s, u"--out"_s,    u"head.json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QVERIFY(outcome.out.contains("Layer 1"));
    const QImage picture(m_folder.filePath(u"head.png"_s));
    QCOMPARE(picture.size(), QSize(1600, 1000));
    QVERIFY(contentOf(m_folder.filePath(u"head.svg"_s)).contains("<svg"));
    QVERIFY(contentOf(m_folder.filePath(u"head.pdf"_s)).startsWith("%PDF"));
    QVERIFY(contentOf(m_folder.filePath(u"head.csv"_s)).count('\n') > 10);
    const QJsonObject json = QJsonDocument::fromJson(contentOf(m_folder.filePath(u"head.json"_s))).object();
    QCOMPARE(json.value(u"queries"_s).toInt(), 55); // 2 * 4 entries of 7 tokens, the last one is only predicted
    const QJsonArray rows = json.value(u"weights"_s).toArray();
    QCOMPARE(rows.size(), 55);
    for (int query = 0; query < rows.size(); ++query) {
        double sum = 0.0;
        for (int key = 0; key < 55; ++key) {
            const double weight = rows.at(query).toArray().at(key).toDouble();
            sum += weight;
            if (key > query)
                QCOMPARE(weight, 0.0);
        }
        QVERIFY2(std::abs(sum - 1.0) < 1e-4, qPrintable(QString::number(sum)));
    }
    QCOMPARE(json.value(u"answers"_s).toArray().size(), 4);
}

/// Neither chosen nor named: the head of both sides has the same bits.
void TestCliRuns::aRunBesideItselfDiffersNowhere()
{
    const CliOutcome outcome = CliProgram(m_folder.path())
                                   .run({u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s, u"4"_s, u"--compare"_s,
                                         u"runs/rope-seed0"_s, u"--out"_s, u"same.json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QVERIFY2(outcome.out.contains("no change"), outcome.out.constData());
    const QJsonObject json = QJsonDocument::fromJson(contentOf(m_folder.filePath(u"same.json"_s))).object();
    QCOMPARE(json.value(u"left_weights"_s), json.value(u"right_weights"_s));
    const QJsonArray difference = json.value(u"difference"_s).toArray();
    QVERIFY(difference.size() > 20);
    for (const QJsonValue &row : difference) {
        for (const QJsonValue &value : row.toArray())
            QCOMPARE(value.toDouble(1.0), 0.0);
    }
}

void TestCliRuns::comparesTwoHeads()
{
    const QStringList base{u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s, u"4"_s, u"--layer"_s,
                           u"1"_s,         u"--head"_s,          u"1"_s};
    const auto run = [&](const QStringList &more) { return CliProgram(m_folder.path()).run(base + more); };
    const CliOutcome outcome =
        run({u"--remove"_s, u"0:0"_s, u"--remove"_s, u"0:1"_s, u"--mode"_s, u"mean"_s, u"--compare-removed"_s,
             u"--out"_s, u"both.png"_s, u"--out"_s, u"both.csv"_s, u"--out"_s, u"both.json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QVERIFY2(outcome.out.contains("without 0:0, 0:1 (mean)"), outcome.out.constData());
    QCOMPARE(QImage(m_folder.filePath(u"both.png"_s)).size(), QSize(1600, 1000));
    QVERIFY(contentOf(m_folder.filePath(u"both.csv"_s))
                .startsWith("query,query_token,key,key_token,left,right,difference"));
    const QJsonObject json = QJsonDocument::fromJson(contentOf(m_folder.filePath(u"both.json"_s))).object();
    QCOMPARE(json.value(u"kind"_s).toString(), u"lookback-attention-comparison"_s);
    QCOMPARE(json.value(u"right"_s).toObject().value(u"removed"_s).toArray(), (QJsonArray{u"0:0"_s, u"0:1"_s}));
    QCOMPARE(json.value(u"left"_s).toObject().value(u"removed"_s).toArray(), QJsonArray());
    const auto rows = [](const QJsonObject &of, const QString &name) {
        std::vector<float> values;
        for (const QJsonValue &row : of.value(name).toArray()) {
            for (const QJsonValue &value : row.toArray())
                values.push_back(static_cast<float>(value.toDouble()));
        }
        return values;
    };
    const std::vector<float> left = rows(json, u"left_weights"_s);
    const std::vector<float> right = rows(json, u"right_weights"_s);
    const std::vector<float> difference = rows(json, u"difference"_s);
    QCOMPARE(difference.size(), std::size_t{55 * 55});
    for (std::size_t i = 0; i < difference.size(); ++i)
        QCOMPARE(difference[i], right.at(i) - left.at(i));
    QVERIFY(left != right);
    // Each side is what the command shows of it alone.
    const auto weightsOf = [&](const QStringList &more, const QString &file) {
        run(more + QStringList{u"--out"_s, file});
        return rows(QJsonDocument::fromJson(contentOf(m_folder.filePath(file))).object(), u"weights"_s);
    };
    QVERIFY(weightsOf({}, u"alone.json"_s) == left);
    QVERIFY(weightsOf({u"--remove"_s, u"0:1,0:0"_s, u"--mode"_s, u"mean"_s}, u"without.json"_s) == right);

    // A removal acts on later layers only: such a head is chosen, or it is said that there is none.
    const auto shownOf = [&](const QStringList &more) {
        return CliProgram(m_folder.path())
            .run(QStringList{u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s, u"4"_s, u"--compare-removed"_s} + more);
    };
    const QByteArray later = shownOf({u"--remove"_s, u"0:0"_s}).out;
    QVERIFY2(!later.contains("layer 0 (") && later.contains("layer ") && !later.contains("0 everywhere"),
             later.constData());
    const QByteArray none = shownOf({u"--remove"_s, u"3:0"_s}).out;
    QVERIFY2(none.contains("No layer comes after layer 3"), none.constData());
    const CliOutcome named = shownOf({u"--remove"_s, u"0:0"_s, u"--head"_s, u"0:1"_s, u"--json"_s});
    QVERIFY2(named.err.contains("Heads of layer 1 and later can differ."), named.err.constData());
    QVERIFY(!shownOf({u"--remove"_s, u"0:0"_s, u"--head"_s, u"0:0"_s, u"--mode"_s, u"uniform"_s})
                 .out.contains("0 everywhere"));

    const auto refusal = [&](const QStringList &more) {
        const CliOutcome refused = run(more);
        return refused.code == 2 ? refused.err : QByteArray();
    };
    const auto alone = [&](const QStringList &more) {
        return CliProgram(m_folder.path())
            .run(QStringList{u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s, u"4"_s} + more);
    };
    QCOMPARE(alone({u"--head"_s, u"1:1"_s}).out, run({}).out);
    QCOMPARE(alone({u"--head"_s, u"1:1"_s, u"--layer"_s, u"1"_s}).out, run({}).out);
    const CliOutcome contradiction = alone({u"--head"_s, u"1:1"_s, u"--layer"_s, u"0"_s});
    QCOMPARE(contradiction.code, 2);
    QVERIFY2(contradiction.err.contains("another layer"), contradiction.err.constData());
    QVERIFY(alone({u"--head"_s, u"9:1"_s}).err.contains("9:1"));
    QVERIFY(refusal({u"--compare-removed"_s}).contains("--remove LAYER:HEAD"));
    QVERIFY(refusal({u"--remove"_s, u"9:0"_s}).contains("9:0"));
    QVERIFY(refusal({u"--mode"_s, u"zero"_s}).contains("--remove"));
    QVERIFY(refusal({u"--remove"_s, u"0:0"_s, u"--mode"_s, u"half"_s}).contains("uniform"));
    QVERIFY(refusal({u"--compare-head"_s, u"0:0"_s}).contains("no right side"));
    QVERIFY(refusal({u"--bare"_s, u"--compare-step"_s, u"0"_s}).contains("bare"));
    QVERIFY(refusal({u"--compare"_s, u"runs"_s}).contains("Name one"));
}

void TestCliRuns::findsTheRetrievingHead()
{
    const CliOutcome outcome =
        CliProgram(m_folder.path())
            .run({u"attention"_s, u"runs/hybrid_square_kda-seed0"_s, u"--n"_s, u"3"_s, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.jsonLines().size(), 1);
    QCOMPARE(outcome.jsonLines()[0].value(u"map"_s).toString(), u"attention_weights"_s);
    QCOMPARE(outcome.jsonLines()[0].value(u"layer"_s).toInt() % 2, 1); // the others are recurrent
}

void TestCliRuns::drawsFigures_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("begin");
    for (const QString &figure : {u"training"_s, u"accuracy"_s}) {
        for (const auto &[extension, begin] :
             {std::pair("png", "\x89PNG"), std::pair("svg", "<?xml"), std::pair("pdf", "%PDF"), std::pair("csv", "")}) {
            QTest::addRow("%s %s", qPrintable(figure), extension)
                << figure << (figure + u'.' + QString::fromLatin1(extension)) << QByteArray(begin);
        }
    }
}

void TestCliRuns::drawsFigures()
{
    QFETCH(QString, figure);
    QFETCH(QString, file);
    QFETCH(QByteArray, begin);
    const CliOutcome outcome = CliProgram(m_folder.path()).run({u"figure"_s, figure, u"runs"_s, u"--out"_s, file});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.errorText(), QString());
    const QByteArray content = contentOf(m_folder.filePath(file));
    QVERIFY(content.size() > 100);
    QVERIFY(content.startsWith(begin));
}

void TestCliRuns::figureHasTheAskedSize()
{
    for (const QString &theme : {u"light"_s, u"dark"_s}) {
        const CliOutcome outcome =
            CliProgram(m_folder.path())
                .run({u"figure"_s, u"accuracy"_s, u"runs/rope-seed0"_s, u"--out"_s, u"sized.png"_s, u"--width"_s,
                      u"901"_s, u"--height"_s, u"603"_s, u"--dpi"_s, u"150"_s, u"--theme"_s, theme});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        const QImage picture(m_folder.filePath(u"sized.png"_s));
        QCOMPARE(picture.size(), QSize(901, 603));
        QCOMPARE(picture.dotsPerMeterX(), qRound(150 / 0.0254));
        QCOMPARE(picture.pixelColor(1, 1).lightness() > 128, theme == u"light"_s);
        QSet<QRgb> colours;
        for (int x = 0; x < picture.width(); x += 3) {
            for (int y = 0; y < picture.height(); y += 3)
                colours.insert(picture.pixel(x, y));
        }
        QVERIFY(colours.size() > 10); // it is not blank
    }
}

void TestCliRuns::figureDrawsSeedsAsABand()
{
    QTemporaryDir folder;
    const QString first = copyOfRun(folder.path());
    const QString second = folder.filePath(u"rope-seed1"_s);
    copyFolder(first, second);
    QFile record(second + u"/run.json"_s);
    QVERIFY(record.open(QIODevice::ReadOnly));
    QByteArray text = record.readAll();
    record.close();
    QVERIFY(text.contains("\"seed\": 0"));
    QVERIFY(record.open(QIODevice::WriteOnly));
    record.write(text.replace("\"seed\": 0", "\"seed\": 1"));
    record.close();
    const CliProgram program(folder.path());
    for (const QString &figure : {u"training"_s, u"accuracy"_s}) {
        for (const QString &seeds : {u"lines"_s, u"band"_s}) {
            const CliOutcome outcome = program.run({u"figure"_s, figure, u"rope-seed0"_s, u"rope-seed1"_s, u"--seeds"_s,
                                                    seeds, u"--out"_s, u"seeds.csv"_s, u"--out"_s, u"seeds.png"_s});
            QVERIFY2(outcome.code == 0, outcome.err.constData());
            QFile csv(folder.filePath(u"seeds.csv"_s));
            QVERIFY(csv.open(QIODevice::ReadOnly));
            QCOMPARE(csv.readAll().contains("rope · 2 of 2 seeds"), seeds == u"band"_s);
            QVERIFY(!QImage(folder.filePath(u"seeds.png"_s)).isNull());
        }
    }
}

void TestCliRuns::figuresAreEqualUnderEveryLocale()
{
    QList<QByteArray> pictures;
    for (const QString &locale : {u"C"_s, u"de_DE.UTF-8"_s}) {
        CliProgram program(m_folder.path());
        program.setVariable(u"LC_ALL"_s, locale);
        QCOMPARE(program.run({u"figure"_s, u"accuracy"_s, u"runs"_s, u"--out"_s, u"locale.png"_s}).code, 0);
        pictures << contentOf(m_folder.filePath(u"locale.png"_s));
        QCOMPARE(program.run({u"figure"_s, u"accuracy"_s, u"runs"_s, u"--out"_s, u"locale.csv"_s}).code, 0);
        pictures << contentOf(m_folder.filePath(u"locale.csv"_s));
    }
    QCOMPARE(pictures[0], pictures[2]);
    QCOMPARE(pictures[1], pictures[3]);
}

void TestCliRuns::noDisplayIsAskedFor()
{
    CliProgram program(m_folder.path());
    program.setVariable(u"QT_QPA_PLATFORM"_s, u"xcb"_s); // whatever the environment wants
    program.setVariable(u"DISPLAY"_s, u":987"_s);
    program.setVariable(u"QT_SCALE_FACTOR"_s, u"2"_s);
    program.unsetVariable(u"XDG_RUNTIME_DIR"_s);
    const CliOutcome outcome =
        program.run({u"figure"_s, u"training"_s, u"runs/rope-seed0"_s, u"--out"_s, u"nodisplay.png"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.errorText(), QString());
    QCOMPARE(QImage(m_folder.filePath(u"nodisplay.png"_s)).size(), QSize(1600, 1000));
}

void TestCliRuns::plainProgressIsBounded()
{
    QVERIFY(!m_training.err.contains('\r'));
    QVERIFY(!m_training.err.contains('\x1b'));
    QVERIFY2(m_training.err.count('\n') < 60, m_training.err.constData());
}

void TestCliRuns::verifiesFixtures()
{
    const QString fixture = QStringLiteral(LOOKBACK_TEST_FIXTURES "/rope.safetensors");
    const CliOutcome good = CliProgram(m_folder.path()).run({u"verify"_s, fixture, u"--json"_s, u"--quiet"_s});
    QVERIFY2(good.code == 0, good.err.constData());
    QVERIFY(good.jsonLines().size() > 5);
    for (const QJsonObject &line : good.jsonLines())
        QVERIFY2(line.value(u"passed"_s).toBool(), qPrintable(line.value(u"quantity"_s).toString()));

    // two bits of a weight, far behind the header
    QByteArray content = contentOf(fixture);
    const qsizetype place = content.size() / 8 * 4 + 3;
    content[place] = static_cast<char>(content[place] ^ 0x40);
    writeContent(m_folder.filePath(u"changed.safetensors"_s), content);
    const CliOutcome bad = CliProgram(m_folder.path())
                               .run({u"verify"_s, u"missing.safetensors"_s, u"changed.safetensors"_s, u"--quiet"_s});
    QCOMPARE(bad.code, 1);
    QVERIFY2(bad.out.contains("BEYOND TOLERANCE"), bad.out.constData()); // the missing one does not end it
    QVERIFY2(bad.errorText().startsWith(u"error: missing.safetensors"_s), bad.err.constData());
}

void TestCliRuns::measuresSpeed()
{
    const CliOutcome outcome = CliProgram(m_folder.path())
                                   .run({u"bench"_s, u"--preset"_s, u"tiny"_s, u"--variant"_s, u"rope"_s,
                                         u"--repetitions"_s, u"1"_s, u"--threads"_s, u"1"_s, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.jsonLines().size(), 3); // product, step, evaluation at 64 keys; 256 need a third digit
    for (const QJsonObject &line : outcome.jsonLines()) {
        for (const QString &name : {u"name"_s, u"variant"_s, u"n_keys"_s, u"threads"_s, u"precision"_s,
                                    u"median_seconds"_s, u"min_seconds"_s, u"gflops"_s, u"roofline_share"_s})
            QVERIFY2(line.contains(name), qPrintable(name));
        QVERIFY(line.value(u"gflops"_s).toDouble() > 0.0);
    }
}

void TestCliRuns::demonstrates()
{
    const CliOutcome outcome =
        CliProgram(m_folder.path()).run({u"demo"_s, u"--steps"_s, u"40"_s, u"--width"_s, u"640"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    for (const QString &name : {u"training.png"_s, u"accuracy.png"_s, u"attention.png"_s}) {
        const QString file = u"lookback-demo/"_s + name;
        QVERIFY2(outcome.out.contains(QString(u"Wrote "_s + file).toUtf8()), outcome.out.constData());
        QCOMPARE(QImage(m_folder.filePath(file)).size(), QSize(640, 400));
    }
    QVERIFY2(outcome.out.trimmed().endsWith(".") && outcome.out.contains(" % of the values"), outcome.out.constData());
}

QTEST_GUILESS_MAIN(TestCliRuns)
#include "test_cli_runs.moc"
