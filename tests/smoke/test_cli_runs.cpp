// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

#include "tests/smoke/cli_program.h"

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
    void findsTheRetrievingHead();
    void drawsFigures_data();
    void drawsFigures();
    void figureHasTheAskedSize();
    void figuresAreEqualUnderEveryLocale();
    void noDisplayIsAskedFor();
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

namespace {

const QStringList kQuick{u"--preset"_s,
                         u"tiny"_s,
                         u"--steps"_s,
                         u"40"_s,
                         u"--set"_s,
                         u"checkpoint_every=20"_s,
                         u"evaluation_n=2,4,8"_s,
                         u"evaluation_sequences=8"_s,
                         u"curriculum=2:20"_s};

void copyFolder(const QString &from, const QString &to)
{
    QVERIFY(QDir().mkpath(to));
    for (const QFileInfo &entry : QDir(from).entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot)) {
        const QString target = to + u'/' + entry.fileName();
        if (entry.isDir())
            copyFolder(entry.filePath(), target);
        else
            QVERIFY(QFile::copy(entry.filePath(), target));
    }
}

QByteArray contentOf(const QString &file)
{
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
}

void writeContent(const QString &file, const QByteArray &content)
{
    QFile opened(file);
    QVERIFY(opened.open(QIODevice::WriteOnly));
    QCOMPARE(opened.write(content), content.size());
}

QString newestCheckpoint(const QString &run)
{
    const QDir folder(run + u"/checkpoints"_s);
    return folder.filePath(folder.entryList({u"*.safetensors"_s}, QDir::Files, QDir::Name).last());
}

} // namespace

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
                 + kQuick);
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
                 + kQuick);
    QCOMPARE(second.code, 0);
    QCOMPARE(contentOf(runFolder(u"rope"_s) + u"/metrics.jsonl"_s), before);
}

void TestCliRuns::trainingSaysJson()
{
    const CliOutcome outcome =
        CliProgram(m_folder.path())
            .run(QStringList{u"train"_s, u"--variant"_s, u"hybrid"_s, u"--out"_s, u"json"_s, u"--json"_s, u"--quiet"_s}
                 + kQuick);
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
                                            + kQuick);
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
    QCOMPARE(json.value(u"queries"_s).toInt(), 39); // 2 * 4 entries of 5 tokens, the last one is only predicted
    const QJsonArray rows = json.value(u"weights"_s).toArray();
    QCOMPARE(rows.size(), 39);
    for (int query = 0; query < rows.size(); ++query) {
        double sum = 0.0;
        for (int key = 0; key < 39; ++key) {
            const double weight = rows.at(query).toArray().at(key).toDouble();
            sum += weight;
            if (key > query)
                QCOMPARE(weight, 0.0);
        }
        QVERIFY2(std::abs(sum - 1.0) < 1e-4, qPrintable(QString::number(sum)));
    }
    QCOMPARE(json.value(u"answers"_s).toArray().size(), 4);
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

void TestCliRuns::refusesWhatIsNoRun_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << u"nowhere"_s << u"no such folder"_s;
    QTest::newRow("a file") << u"file"_s << u"file"_s;
    QTest::newRow("an empty folder") << u"empty"_s << u"run"_s;
    QTest::newRow("newer format") << u"newer"_s << u"newer"_s;
    QTest::newRow("damaged") << u"damaged"_s << u"run.json"_s;
}

void TestCliRuns::refusesWhatIsNoRun()
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

void TestCliRuns::oneDamagedRunIsPassedOver()
{
    QTemporaryDir folder;
    copyOfRun(folder.path());
    copyFolder(runFolder(u"rope"_s), folder.filePath(u"broken"_s));
    writeContent(folder.filePath(u"broken/run.json"_s), "");
    const CliOutcome outcome =
        CliProgram(folder.path()).run({u"evaluate"_s, u"."_s, u"--n"_s, u"2"_s, u"--sequences"_s, u"2"_s, u"--json"_s});
    QCOMPARE(outcome.code, 0);
    QCOMPARE(outcome.jsonLines().size(), 1);
    QVERIFY(outcome.err.contains("broken"));
}

void TestCliRuns::damagedMetricsLineCostsOnlyItself()
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

void TestCliRuns::damagedCheckpointIsOneSentence()
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
    QVERIFY2(missing.err.contains("20"), missing.err.constData()); // names the steps there are
}

void TestCliRuns::readOnlyFolderIsRefused()
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
        program.run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"here"_s} + kQuick);
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

void TestCliRuns::noGpuIsOneSentence()
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

void TestCliRuns::impossibleLengthsAreRefused()
{
    // two key digits allow 100 keys
    for (const QStringList &arguments : {QStringList{u"evaluate"_s, u"runs/rope-seed0"_s, u"--n"_s, u"2,101"_s},
                                         QStringList{u"attention"_s, u"runs/rope-seed0"_s, u"--n"_s, u"101"_s}}) {
        const CliOutcome outcome = CliProgram(m_folder.path()).run(arguments);
        QVERIFY(outcome.code == 1 || outcome.code == 2);
        QVERIFY2(outcome.err.contains("digit") && outcome.err.contains("101"), outcome.err.constData());
    }
    const CliOutcome layer =
        CliProgram(m_folder.path()).run({u"attention"_s, u"runs/rope-seed0"_s, u"--layer"_s, u"2"_s});
    QCOMPARE(layer.code, 2);
    QVERIFY2(layer.err.contains("0 to 1"), layer.err.constData());
}

void TestCliRuns::interruptSavesAndResumes_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

/// Interrupted at some step and continued, a run equals one that was never disturbed.
void TestCliRuns::interruptSavesAndResumes()
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
    QVERIFY(QTest::qWaitFor(
        [&] { return contentOf(folder.filePath(u"runs/rope-seed0/metrics.jsonl"_s)).count('\n') > 5; }, 60'000));
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

void TestCliRuns::secondInterruptStopsAtOnce()
{
    QTemporaryDir folder;
    CliProgram program(folder.path());
    QProcess process;
    program.start(process,
                  {u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s, u"--preset"_s, u"paper"_s,
                   u"--threads"_s, u"1"_s, u"--set"_s, u"log_every=1"_s, u"checkpoint_every=1"_s, u"curriculum=none"_s,
                   u"batch=512"_s});
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(folder.filePath(u"runs/rope-seed0/run.lock"_s)); }, 60'000));
    // again and again, as an impatient user does; one step of this run takes many seconds
    QVERIFY(QTest::qWaitFor(
        [&] {
            if (process.state() == QProcess::NotRunning)
                return true;
            ::kill(static_cast<pid_t>(process.processId()), SIGINT);
            return false;
        },
        5'000));
    QCOMPARE(process.exitCode(), 128 + SIGINT);
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
    QVERIFY(outcome.out.trimmed().endsWith("%."));
}

QTEST_GUILESS_MAIN(TestCliRuns)
#include "test_cli_runs.moc"
