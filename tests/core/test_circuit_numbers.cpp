// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <QTemporaryDir>
#include <QTest>

#include "core/circuit/head_cache.h"
#include "core/circuit/head_id.h"
#include "core/circuit/head_measures.h"
#include "core/circuit/knockout.h"
#include "core/circuit/statistics.h"
#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/newer_format.h"
#include "core/run/file.h"

using namespace lookback;
using namespace lookback::circuit;

/// What circuits are told by: heads, intervals, McNemar's test, and the file of measured heads.
class TestCircuitNumbers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void headsAreWrittenAndRead();
    void badHeadsAreRefused_data();
    void badHeadsAreRefused();
    void mcNemarKnowsTheTextbook_data();
    void mcNemarKnowsTheTextbook();
    void meansOverSequences();
    void sharesAgreeWithExactMatch();
    void measuresHaveIds();
    void tablesReadBack();
    void damagedTablesAreRefused_data();
    void damagedTablesAreRefused();
    void incompleteTablesAreRefused();
    void tablesAreKept();
    void keptTablesOfOtherWeightsCountAsNone();
    void aNewerFileIsLeftAlone();
    void whatCannotBeKeptIsTold();
};

namespace {

HeadTable someTable(std::int64_t n = 8)
{
    HeadTable table;
    table.variant = "hybrid_square";
    table.step = 700;
    table.request = {.n_keys = n, .sequences = 12, .answersOfSequence = 5};
    table.evaluationSeed = std::numeric_limits<std::uint64_t>::max();
    table.window = 10;
    table.positions = 127;
    table.answers = 60;
    table.rightAnswers = 41;
    table.layers = {{.rotaryFraction = 1.0, .isWindowed = true, .logits = model::LogitForm::Squared},
                    {.design = "kda", .hasSoftmaxMap = false}};
    Scores scores;
    scores[HeadMeasure::Retrieval] = Measured{.value = 0.5, .low = 1.0 / 3.0, .high = 0.7};
    scores[HeadMeasure::MeanDistance] =
        Measured{.value = 12.5, .low = 0.0, .high = std::numeric_limits<double>::infinity()};
    scores.offsets.assign(kOffsets, 0.25);
    scores.strongestOffset = 3;
    Scores windowed = scores;
    windowed[HeadMeasure::Retrieval].reset();
    table.heads = {{.id = {0, 0}, .kvHead = 0, .scores = windowed}, {.id = {1, 0}, .kvHead = 0, .scores = scores}};
    table.groups = {{.layer = 0, .kvHead = 0, .scores = windowed}, {.layer = 1, .kvHead = 0, .scores = scores}};
    table.layerMeans = {{.layer = 0, .scores = windowed}, {.layer = 1, .scores = scores}};
    return table;
}

QString messageOf(const std::function<void()> &action)
{
    try {
        action();
    } catch (const Error &error) {
        return QString::fromStdString(error.sentence());
    }
    return {};
}

} // namespace

void TestCircuitNumbers::headsAreWrittenAndRead()
{
    QCOMPARE(headText({5, 2}), std::string("5:2"));
    QCOMPARE(headsText({{5, 2}, {7, 0}}), std::string("5:2, 7:0"));
    QCOMPARE(headsText({}), std::string("none"));
    const HeadId id = headFromText("12:3", "--head");
    QVERIFY((id == HeadId{12, 3}));
    QVERIFY((HeadId{0, 3} < HeadId{1, 0}));
}

void TestCircuitNumbers::badHeadsAreRefused_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text : {"", ":", "5", "5:", ":2", "5:2:1", "-1:2", "5:-2", "+5:2", " 5:2", "5.0:2", "5,2",
                             "99999999999999999999:0", "a:b"})
        QTest::newRow(text) << QString::fromLatin1(text);
}

void TestCircuitNumbers::badHeadsAreRefused()
{
    QFETCH(QString, text);
    const QString message = messageOf([&] { headFromText(text.toStdString(), "--head"); });
    QVERIFY2(message.startsWith(QStringLiteral("--head: ")) && message.contains(QStringLiteral("layer:head")),
             qPrintable(message));
}

void TestCircuitNumbers::mcNemarKnowsTheTextbook_data()
{
    QTest::addColumn<int>("lost");
    QTest::addColumn<int>("gained");
    QTest::addColumn<double>("p");
    QTest::addColumn<bool>("isExact");
    QTest::newRow("nothing changed") << 0 << 0 << 1.0 << true;
    QTest::newRow("one") << 1 << 0 << 1.0 << true;
    QTest::newRow("five of five") << 5 << 0 << 0.0625 << true; // 2 / 2^5
    QTest::newRow("balanced") << 4 << 4 << 1.0 << true;
    // 2 (1 + 12 + 66) / 2^12
    QTest::newRow("ten and two") << 10 << 2 << 158.0 / 4096.0 << true;
    QTest::newRow("the other way") << 2 << 10 << 158.0 / 4096.0 << true;
    // Agresti, Categorical Data Analysis (2002), table 10.1: 150 and 86; two-sided exact p 3.72e-5
    QTest::newRow("Agresti") << 150 << 86 << 3.7158e-5 << true;
    // (|900 - 800| - 1)^2 / 1700 = 5.7653; chi-squared with one degree: erfc(sqrt(x / 2))
    QTest::newRow("many") << 900 << 800 << std::erfc(std::sqrt(99.0 * 99.0 / 1700.0 / 2.0)) << false;
}

void TestCircuitNumbers::mcNemarKnowsTheTextbook()
{
    QFETCH(int, lost);
    QFETCH(int, gained);
    QFETCH(double, p);
    QFETCH(bool, isExact);
    const McNemar result = mcNemar(lost, gained);
    QCOMPARE(result.isExact, isExact);
    QVERIFY2(std::abs(result.p - p) <= 1e-4 * p, qPrintable(QString::number(result.p, 'g', 8)));
}

void TestCircuitNumbers::meansOverSequences()
{
    QVERIFY(!meanOverSequences(std::vector<double>{0.0, 0.0}, std::vector<double>{0.0, 0.0}));
    // equal counts: Student's interval of the means 1, 2, 3, 4: 2.5 -+ 3.18245 * 1.29099 / 2
    const auto equal =
        meanOverSequences(std::vector<double>{10.0, 20.0, 30.0, 40.0}, std::vector<double>{10.0, 10.0, 10.0, 10.0});
    QVERIFY(equal.has_value());
    QCOMPARE(equal->value, 2.5);
    QVERIFY(std::abs(equal->high - 2.5 - 3.182446 * 1.290994 / 2.0) < 1e-5);
    QVERIFY(std::abs(equal->low - 2.5 + 3.182446 * 1.290994 / 2.0) < 1e-5);
    // a sequence without terms says nothing
    const auto other = meanOverSequences(std::vector<double>{10.0, 0.0, 20.0, 30.0, 40.0},
                                         std::vector<double>{10.0, 0.0, 10.0, 10.0, 10.0});
    QVERIFY(other == equal);
    const auto single = meanOverSequences(std::vector<double>{3.0}, std::vector<double>{4.0});
    QCOMPARE(single->value, 0.75);
    QVERIFY(std::isinf(single->low) && std::isinf(single->high));
}

void TestCircuitNumbers::sharesAgreeWithExactMatch()
{
    const std::vector<std::int64_t> hits{8, 3, 0, 5, 8, 7};
    const std::vector<std::int64_t> asked(hits.size(), 8);
    const auto share = shareOverSequences(hits, asked);
    const eval::Interval interval = eval::exactMatchInterval(hits, 8);
    QVERIFY(share.has_value());
    QCOMPARE(share->value, 31.0 / 48.0);
    QCOMPARE(share->low, interval.low);
    QCOMPARE(share->high, interval.high);
    QVERIFY(!shareOverSequences(std::vector<std::int64_t>{0}, std::vector<std::int64_t>{0}));
    // all hit: the interval ends at 1, and is not a point
    const auto all = shareOverSequences(std::vector<std::int64_t>{4, 0, 6}, std::vector<std::int64_t>{4, 0, 6});
    QCOMPARE(all->high, 1.0);
    QVERIFY(all->low < 0.9);
}

void TestCircuitNumbers::measuresHaveIds()
{
    QCOMPARE(headMeasures().size(), kHeadMeasures);
    for (std::size_t i = 0; i < kHeadMeasures; ++i) {
        const MeasureInfo &info = headMeasures()[i];
        QCOMPARE(static_cast<std::size_t>(info.measure), i);
        QVERIFY(measureFromId(info.id) == info.measure);
        QVERIFY(info.explanation.ends_with('.'));
    }
    QVERIFY(messageOf([] { measureFromId("retreival"); }).contains(QStringLiteral("Did you mean \"retrieval\"?")));
}

void TestCircuitNumbers::tablesReadBack()
{
    const std::vector<HeadTable> tables{someTable(8), someTable(64)};
    std::string fingerprint;
    QVERIFY(headTablesFromJson(headTablesToJson(tables, "fnv64:1"), "file", &fingerprint) == tables);
    QCOMPARE(fingerprint, std::string("fnv64:1"));
    // Earlier versions wrote a retrieval score of 0 behind windows, where it means nothing.
    HeadTable earlier = someTable();
    earlier.heads.front().scores[HeadMeasure::Retrieval] = Measured{};
    QVERIFY(headTablesFromJson(headTablesToJson({earlier}, "fnv64:1"), "file", nullptr).front() == someTable());
}

void TestCircuitNumbers::damagedTablesAreRefused_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::newRow("no JSON") << QStringLiteral("{") << QStringLiteral("[");
    QTest::newRow("another kind") << QStringLiteral("lookback-head-measures") << QStringLiteral("something");
    QTest::newRow("no weights") << QStringLiteral("\"weights\"") << QStringLiteral("\"heights\"");
    QTest::newRow("no number") << QStringLiteral("\"step\":700") << QStringLiteral("\"step\":\"x\"");
    QTest::newRow("negative") << QStringLiteral("\"step\":700") << QStringLiteral("\"step\":-1");
    QTest::newRow("two numbers") << QStringLiteral("[0.5,") << QStringLiteral("[");
    QTest::newRow("no layer") << QStringLiteral("\"layer\":1") << QStringLiteral("\"layer\":7");
    QTest::newRow("an offset too far") << QStringLiteral("\"strongest_offset\":3")
                                       << QStringLiteral("\"strongest_offset\":99");
}

void TestCircuitNumbers::damagedTablesAreRefused()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QString text = QString::fromStdString(headTablesToJson({someTable()}, "fnv64:1"));
    QVERIFY(text.contains(from));
    text.replace(text.indexOf(from), from.size(), to);
    const QString message = messageOf([&] { headTablesFromJson(text.toStdString(), "the file", nullptr); });
    QVERIFY2(message.startsWith(QStringLiteral("the file: ")), qPrintable(message));
}

void TestCircuitNumbers::incompleteTablesAreRefused()
{
    const auto isRefused = [](const std::function<void(HeadTable &)> &damage) {
        HeadTable table = someTable();
        damage(table);
        return messageOf([&] { headTablesFromJson(headTablesToJson({table}, "fnv64:1"), "the file", nullptr); })
            .startsWith(QStringLiteral("the file: "));
    };
    QVERIFY(!isRefused([](HeadTable &) {}));
    QVERIFY(isRefused([](HeadTable &table) { table.heads.clear(); }));
    QVERIFY(isRefused([](HeadTable &table) { table.heads.pop_back(); }));
    QVERIFY(isRefused([](HeadTable &table) { table.heads.push_back(table.heads.back()); }));
    QVERIFY(isRefused([](HeadTable &table) { std::ranges::reverse(table.heads); }));
    QVERIFY(isRefused([](HeadTable &table) { table.heads.back().kvHead = 99; }));
    QVERIFY(isRefused([](HeadTable &table) { table.groups.pop_back(); }));
    QVERIFY(isRefused([](HeadTable &table) { table.layerMeans.pop_back(); }));
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const Measured &no :
         {Measured{5.0, 6.0, 7.0}, Measured{-1.0, -1.0, -1.0}, Measured{0.9, 0.95, 0.99}, Measured{0.9, 0.1, 0.2},
          Measured{kInfinity, 0.0, kInfinity}, Measured{std::numeric_limits<double>::quiet_NaN(), 0.0, 1.0}})
        QVERIFY(isRefused([&](HeadTable &table) { table.heads.back().scores[HeadMeasure::SourceWeight] = no; }));
    QVERIFY(!isRefused([&](HeadTable &table) {
        table.heads.back().scores[HeadMeasure::SourceWeight] = Measured{0.5, -kInfinity, kInfinity};
    }));
}

void TestCircuitNumbers::tablesAreKept()
{
    QTemporaryDir folder;
    const run::RunFolder run(folder.path().toStdString());
    std::vector<std::string> notes;
    const HeadTable table = someTable();
    const auto kept = [&](const HeadRequest &request) {
        return keptHeads(run, 700, "fnv64:1", request, table.evaluationSeed, &notes);
    };
    QVERIFY(!kept(table.request));
    keepHeads(run, "fnv64:1", table, &notes);
    keepHeads(run, "fnv64:1", someTable(64), &notes);
    QVERIFY(kept(table.request) == table);
    QVERIFY(kept(someTable(64).request) == someTable(64));
    QVERIFY(!kept(someTable(65).request));
    QVERIFY(!keptHeads(run, 700, "fnv64:1", table.request, 3, &notes));
    for (int n = 100; n < 140; ++n)
        keepHeads(run, "fnv64:1", someTable(n), &notes);
    QVERIFY(!kept(table.request)); // the newest stay
    QVERIFY(kept(someTable(139).request).has_value());
    QVERIFY(notes.empty());
    // damage is told once and written over
    run::writeFileWhole(headCacheFile(run, 700), "{");
    QVERIFY(!kept(someTable(139).request));
    QCOMPARE(notes.size(), 1U);
    keepHeads(run, "fnv64:1", table, &notes);
    QVERIFY(kept(table.request) == table);
    QCOMPARE(notes.size(), 1U);
}

void TestCircuitNumbers::keptTablesOfOtherWeightsCountAsNone()
{
    QTemporaryDir folder;
    const run::RunFolder run(folder.path().toStdString());
    const HeadTable table = someTable();
    keepHeads(run, "fnv64:1", table);
    QVERIFY(!keptHeads(run, 700, "fnv64:2", table.request, table.evaluationSeed));
    keepHeads(run, "fnv64:2", someTable(9));
    QVERIFY(!keptHeads(run, 700, "fnv64:1", table.request, table.evaluationSeed));
    QVERIFY(keptHeads(run, 700, "fnv64:2", someTable(9).request, table.evaluationSeed).has_value());
}

void TestCircuitNumbers::aNewerFileIsLeftAlone()
{
    QTemporaryDir folder;
    const run::RunFolder run(folder.path().toStdString());
    keepHeads(run, "fnv64:1", someTable());
    std::string text = run::readFileWhole(headCacheFile(run, 700));
    const std::string version = "\"format_version\":1";
    text.replace(text.find(version), version.size(), "\"format_version\":2");
    run::writeFileWhole(headCacheFile(run, 700), text);
    QVERIFY_THROWS_EXCEPTION(NewerFormat, headTablesFromJson(text, "file", nullptr));
    std::vector<std::string> notes;
    QVERIFY(!keptHeads(run, 700, "fnv64:1", someTable().request, someTable().evaluationSeed, &notes));
    QCOMPARE(notes.size(), 1U);
    keepHeads(run, "fnv64:1", someTable(), &notes);
    QCOMPARE(run::readFileWhole(headCacheFile(run, 700)), text);
}

void TestCircuitNumbers::whatCannotBeKeptIsTold()
{
    QTemporaryDir folder;
    const run::RunFolder run(folder.path().toStdString());
    run::writeFileWhole(run.path() / "circuit", "a file where the folder should be");
    std::vector<std::string> notes;
    keepHeads(run, "fnv64:1", someTable(), &notes);
    QCOMPARE(notes.size(), 1U);
    QVERIFY(QString::fromStdString(notes.front()).contains(QStringLiteral("not kept")));
}

QTEST_GUILESS_MAIN(TestCircuitNumbers)
#include "test_circuit_numbers.moc"
