// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <fstream>
#include <limits>

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/metrics_reading.h"
#include "core/run/metrics_writer.h"

using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

MetricsRecord record(std::int64_t step)
{
    MetricsRecord made;
    made.step = step;
    made.n_keys = 8;
    made.loss = 2.5 / static_cast<double>(step + 1);
    made.retrievalAcc = 0.1 + 0.2;
    made.learningRate = 3e-4;
    made.gradientNorm = 1.0 / 3.0;
    made.tokensPerSecond = 12345.678;
    made.elapsedSeconds = 1e-7;
    return made;
}

bool isSame(const std::optional<double> &a, const std::optional<double> &b)
{
    if (a && b && std::isnan(*a) && std::isnan(*b))
        return true;
    return a == b;
}

QString stepsOf(const MetricsLog &log)
{
    QStringList steps;
    for (const MetricsRecord &one : log.records)
        steps.append(QString::number(one.step));
    return steps.join(QLatin1Char(' '));
}

std::string lineOf(std::int64_t step)
{
    return metricsLine(record(step)) + "\n";
}

} // namespace

class TestMetrics : public QObject {
    Q_OBJECT

    QTemporaryDir m_directory;
    fs::path m_file;

    MetricsLog logOf(const std::string &content)
    {
        fs::remove(m_file); // cutting a file short is flushed by some file systems, which takes milliseconds
        std::ofstream(m_file, std::ios::binary) << content;
        return readMetrics(m_file);
    }

private Q_SLOTS:
    void initTestCase() { m_file = fs::path(m_directory.path().toStdString()) / "metrics.jsonl"; }

    void lineRoundTrip()
    {
        const MetricsRecord whole = record(1240);
        QVERIFY(parseMetricsLine(metricsLine(whole)) == whole);
        QVERIFY(metricsLine(whole).starts_with("{\"step\":1240,\"n_keys\":8,\"loss\":"));
        QVERIFY(metricsLine(whole).find("\"retrieval_acc\":0.30000000000000004") != std::string::npos);
    }

    // NaN, both infinities and "missing" stay apart, and every line is strict JSON.
    void valuesThatAreNoNumbers()
    {
        const std::vector<std::optional<double>> values{kNan, kInfinity, -kInfinity, std::nullopt, 0.0, -0.0, 5e-324};
        for (const auto &first : values) {
            for (const auto &second : values) {
                MetricsRecord written = record(3);
                written.loss = first;
                written.gradientNorm = second;
                const std::string line = metricsLine(written);
                QVERIFY(nlohmann::json::accept(line));
                const auto read = parseMetricsLine(line);
                QVERIFY(read.has_value());
                QVERIFY(isSame(read->loss, first));
                QVERIFY(isSame(read->gradientNorm, second));
                QVERIFY(read->retrievalAcc == written.retrievalAcc);
            }
        }
    }

    void foreignSpellings_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<bool>("isThere");
        QTest::addColumn<double>("loss");
        const auto row = [](const char *value, bool isThere, double loss) {
            QTest::newRow(value) << QString::fromLatin1(value) << isThere << loss;
        };
        row("NaN", true, kNan);
        row("nan", true, kNan);
        row("\"NaN\"", true, kNan);
        row("Infinity", true, kInfinity);
        row("-Infinity", true, -kInfinity);
        row("\"-Infinity\"", true, -kInfinity);
        row("inf", true, kInfinity);
        row("-inf", true, -kInfinity);
        row("null", false, 0.0);
        row("\"a word\"", false, 0.0);
        row("\"Na\\\"N NaN\"", false, 0.0);
        row("true", false, 0.0);
        row("[1]", false, 0.0);
        row("{}", false, 0.0);
        row("1e-3", true, 0.001);
        row("0.001", true, 0.001);
        row("2", true, 2.0);
    }
    void foreignSpellings()
    {
        QFETCH(QString, value);
        QFETCH(bool, isThere);
        QFETCH(double, loss);
        const auto read = parseMetricsLine("{\"step\": 7, \"n_keys\": 4, \"loss\": " + value.toStdString()
                                           + ", \"retrieval_acc\": 0.5, \"extra\": \"NaN\"}");
        QVERIFY(read.has_value());
        QCOMPARE(read->step, std::int64_t{7});
        QCOMPARE(read->n_keys, std::int64_t{4});
        QVERIFY(isSame(read->loss, isThere ? std::optional(loss) : std::nullopt));
        QVERIFY(read->retrievalAcc == 0.5); // the good numbers are not lost to the bad one
    }

    void damagedLines_data()
    {
        QTest::addColumn<QString>("line");
        for (const char *line :
             {"{\"step\":1240,\"loss\":0.", "hello", "[1,2]", "{}", "{\"step\":\"3\"}", "{\"step\":-1}",
              "{\"step\":1.5}", "{\"loss\":1}", "{\"step\":1}{\"step\":2}", "{\"step\":1,\"step\":2}", "null",
              "{\"step\":99999999999999999999}", "{\"step\":1} x", "NaN"})
            QTest::newRow(line) << QString::fromLatin1(line);
        QTest::newRow("not UTF-8") << QString(QChar(0xFF));
    }
    void damagedLines()
    {
        QFETCH(QString, line);
        const std::string damaged = line.toLatin1().toStdString();
        QVERIFY(!parseMetricsLine(damaged));
    }

    // One bad byte costs at most its own record, wherever it stands.
    void damageCostsOneRecord_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("note");
        const auto row = [](const char *name, const std::string &content, const char *steps, const char *note) {
            QTest::newRow(name) << QByteArray(content.data(), static_cast<qsizetype>(content.size()))
                                << QString::fromLatin1(steps) << QString::fromLatin1(note);
        };
        const std::string half = lineOf(3).substr(0, 30);
        row("nothing", "", "", "");
        row("whole", lineOf(1) + lineOf(2), "1 2", "");
        row("no last line end", lineOf(1) + lineOf(2).substr(0, lineOf(2).size() - 1), "1 2", "");
        row("cut last line", lineOf(1) + lineOf(2) + half, "1 2", "line 3 is damaged and was left out");
        row("broken first", "x\n" + lineOf(2), "2", "line 1 is damaged and was left out");
        row("broken middle", lineOf(1) + half + "\n" + lineOf(4), "1 4", "line 2 is damaged and was left out");
        row("two", "x\n" + lineOf(1) + "y\n" + lineOf(2), "1 2",
            "2 lines are damaged and were left out, the first is line 1");
        row("glued to a half line", lineOf(1) + half + lineOf(4) + lineOf(5), "1 4 5",
            "line 2 is damaged and was left out");
        row("NUL-filled end", lineOf(1) + std::string(500, '\0'), "1", "line 2 is damaged and was left out");
        row("NUL-filled, continued", lineOf(1) + std::string(500, '\0') + lineOf(2), "1 2",
            "line 2 is damaged and was left out");
        row("NULs in a line", lineOf(1) + half + std::string(3, '\0') + "\n" + lineOf(4), "1 4",
            "line 2 is damaged and was left out");
        row("CRLF", "{\"step\":1}\r\n{\"step\":2}\r\n", "1 2", "");
        row("CR", "{\"step\":1}\r{\"step\":2}\r", "1 2", "");
        row("empty lines", "\n\n" + lineOf(1) + "\n  \n" + lineOf(2) + "\n", "1 2", "");
        row("byte order mark", "\xEF\xBB\xBF" + lineOf(1) + lineOf(2), "1 2", "");
        row("huge line", lineOf(1) + std::string(1000000, '{') + "\n" + lineOf(2), "1 2",
            "line 2 is damaged and was left out");
        row("continued from an earlier step", lineOf(100) + lineOf(200) + lineOf(300) + lineOf(200) + lineOf(300),
            "100 200 300", "");
        row("continued, killed earlier",
            lineOf(100) + lineOf(200) + lineOf(300) + lineOf(400) + lineOf(200) + lineOf(300), "100 200 300", "");
        row("continued at once", lineOf(100) + lineOf(200) + lineOf(100), "100", "");
        row("same step twice", lineOf(100) + lineOf(200) + lineOf(200) + lineOf(300), "100 200 300", "");
        row("continued twice", lineOf(100) + lineOf(200) + lineOf(300) + lineOf(200) + lineOf(200) + lineOf(300),
            "100 200 300", "");
        row("step flipped down", lineOf(100) + lineOf(200) + lineOf(300) + lineOf(0) + lineOf(500), "100 200 300 500",
            "line 4 is damaged and was left out");
        row("step flipped up", lineOf(100) + lineOf(90000) + lineOf(300) + lineOf(400), "100 300 400", "");
    }
    void damageCostsOneRecord()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, steps);
        QFETCH(QString, note);
        const MetricsLog log = logOf({content.constData(), static_cast<std::size_t>(content.size())});
        QCOMPARE(stepsOf(log), steps);
        QCOMPARE(log.notes.size(), note.isEmpty() ? std::size_t{0} : std::size_t{1});
        if (!note.isEmpty())
            QCOMPARE(QString::fromStdString(log.notes.front()), note);
    }

    void cutAnywhere()
    {
        const std::string whole = lineOf(1) + lineOf(2) + lineOf(3);
        for (std::size_t length = 0; length <= whole.size(); ++length) {
            const MetricsLog log = logOf(whole.substr(0, length));
            // A line counts from its closing bracket on.
            std::size_t complete = 0;
            for (std::size_t i = 0; i < length; ++i)
                complete += whole[i] == '}' ? 1 : 0;
            QCOMPARE(log.records.size(), complete);
        }
    }

    void oneByteChanged()
    {
        std::string whole;
        for (std::int64_t step = 100; step <= 1000; step += 100)
            whole += lineOf(step);
        for (std::size_t place = 0; place < whole.size(); ++place) {
            for (const char wrong : {'\0', '\n', '9', '{', '}', '"', '\xff'}) {
                std::string damaged = whole;
                damaged[place] = wrong;
                const MetricsLog log = logOf(damaged);
                QVERIFY2(log.records.size() >= 8, qPrintable(QString::number(place))); // a lost line end joins two
                for (std::size_t i = 1; i < log.records.size(); ++i)
                    QVERIFY(log.records[i - 1].step < log.records[i].step);
            }
        }
    }

    void laterValuesWin()
    {
        MetricsRecord again = record(200);
        again.loss = 77.0;
        const MetricsLog log = logOf(lineOf(100) + lineOf(200) + metricsLine(again) + "\n" + lineOf(300));
        QCOMPARE(log.records[1].loss.value(), 77.0);
    }

    void missingFileAndFolder()
    {
        QVERIFY(readMetrics(m_file.parent_path() / "none").records.empty());
        QVERIFY_THROWS_EXCEPTION(lookback::Error, readMetrics(m_file.parent_path()));
    }

    void cutting()
    {
        MetricsRecord odd = record(200);
        odd.loss = kNan;
        odd.gradientNorm = std::nullopt;
        const std::string kept = lineOf(100) + metricsLine(odd) + "\n";
        logOf(kept + "x\n" + lineOf(300) + lineOf(400).substr(0, 20));
        cutMetrics(m_file, 200);
        QCOMPARE(readFileWhole(m_file), kept);
        // A whole log is left as it is: not even replaced by an equal one.
        const auto written = fs::last_write_time(m_file);
        cutMetrics(m_file, 200);
        QVERIFY(fs::last_write_time(m_file) == written);
        // What the reader recovers from a glued line is kept too.
        logOf(lineOf(100).substr(0, 30) + lineOf(200) + lineOf(300));
        cutMetrics(m_file, 300);
        QCOMPARE(readFileWhole(m_file), lineOf(200) + lineOf(300));
        cutMetrics(m_file, 50);
        QCOMPARE(readFileWhole(m_file), std::string());
        fs::remove(m_file);
        cutMetrics(m_file, 50);
        QVERIFY(!fs::exists(m_file));
    }

    // The disk refuses for a while: lines wait and are written without gap or glue, and no signal ends the program.
    void writingAgainstALimit()
    {
        fs::remove(m_file);
        MetricsWriter writer(m_file);
        QVERIFY(writer.append(record(1)));
        rlimit former{};
        getrlimit(RLIMIT_FSIZE, &former);
        const rlimit limit{lineOf(1).size() + 10, former.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        const bool refusedTwice = !writer.append(record(2)) && !writer.append(record(3));
        setrlimit(RLIMIT_FSIZE, &former);
        QVERIFY(refusedTwice);
        QCOMPARE(writer.waitingSince(), std::int64_t{2});
        QVERIFY(writer.reason().find("size limit") != std::string::npos);
        QCOMPARE(stepsOf(readMetrics(m_file)), QStringLiteral("1"));
        QVERIFY(writer.append(record(4)));
        QVERIFY(writer.flush());
        QCOMPARE(writer.waitingSince(), std::int64_t{0});
        QCOMPARE(readFileWhole(m_file), lineOf(1) + lineOf(2) + lineOf(3) + lineOf(4));
    }

    /// Told in pieces, a log is what it is read at once; the pieces come while it is read, and the reading can be
    /// ended.
    void piecesAreTheWholeLog()
    {
        std::string content;
        for (std::int64_t step = 1; step <= 60'000; ++step)
            content += lineOf(step);
        content += "x\n" + lineOf(40'000) + lineOf(40'001); // continued from an earlier step
        const MetricsLog whole = logOf(content);
        QCOMPARE(whole.records.size(), std::size_t{40'001});
        std::vector<MetricsRecord> told;
        std::vector<std::size_t> sizes;
        const auto take = [&](std::span<const MetricsRecord> records, bool isWhole) {
            if (isWhole)
                told.clear();
            told.insert(told.end(), records.begin(), records.end());
            sizes.push_back(told.size());
            return true;
        };
        QVERIFY(readMetricsInPieces(m_file, 1'000'000, take) == whole.notes);
        QVERIFY(told == whole.records);
        QVERIFY(sizes.size() > 2);
        QVERIFY(sizes.front() < 30'000);

        const std::vector<std::string> notes = readMetricsInPieces(m_file, 5000, take);
        QVERIFY(told.size() <= 5000);
        QCOMPARE(told.back().step, 40'001);
        QCOMPARE(notes.size(), std::size_t{2}); // the damaged line, and that not every line is shown
        QVERIFY(notes.back().find("first and the extreme ones are shown") != std::string::npos);

        int calls = 0;
        QVERIFY_THROWS_EXCEPTION(lookback::Cancelled, readMetricsInPieces(m_file, 5000, [&](auto, bool) {
                                     ++calls;
                                     return false;
                                 }));
        QCOMPARE(calls, 1);
        told.push_back(record(1));
        QVERIFY(readMetricsInPieces(m_file.parent_path() / "none", 5000, take).empty());
        QVERIFY(told.empty()); // a missing file is an empty log
    }

    void manyLines()
    {
        std::string content;
        for (std::int64_t step = 1; step <= 20000; ++step)
            content += "{\"step\": " + std::to_string(step) + ", \"n_keys\": 8, \"loss\": 0.5, \"retrieval_acc\": 1}\n";
        QCOMPARE(logOf(content).records.size(), std::size_t{20000});
    }
};

QTEST_GUILESS_MAIN(TestMetrics)
#include "test_metrics.moc"
