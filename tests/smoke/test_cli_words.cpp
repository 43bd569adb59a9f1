// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <QTest>

// The words of the command line are no library; the test takes their sources.
#include "app/cli/console.cpp"
#include "app/cli/values.cpp"

using namespace lookback::cli;
using namespace Qt::StringLiterals;

class TestCliWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void percentNeverRoundsToAll_data();
    void percentNeverRoundsToAll();
    void durations_data();
    void durations();
    void groupedNumbers();
    void significantNumbers();
    void textWraps();
    void tableAligns();
    void shellTakesThePath();
    void lists();
    void seeds();
};

void TestCliWords::percentNeverRoundsToAll_data()
{
    QTest::addColumn<double>("share");
    QTest::addColumn<QString>("text");
    QTest::newRow("all") << 1.0 << u"100.00 %"_s;
    QTest::newRow("none") << 0.0 << u"0.00 %"_s;
    QTest::newRow("nearly all") << 0.9996 << u"99.96 %"_s;
    QTest::newRow("still nearer") << 0.99999 << u"99.999 %"_s;
    QTest::newRow("nearest") << 0.999999 << u"99.9999 %"_s;
    QTest::newRow("hardly any") << 0.00001 << u"0.001 %"_s;
    QTest::newRow("half") << 0.5 << u"50.00 %"_s;
    QTest::newRow("broken") << std::numeric_limits<double>::quiet_NaN() << u"not a number"_s;
}

void TestCliWords::percentNeverRoundsToAll()
{
    QFETCH(double, share);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(percent(share)), text);
}

void TestCliWords::durations_data()
{
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << 0.0 << u"0 s"_s;
    QTest::newRow("seconds") << 59.4 << u"59 s"_s;
    QTest::newRow("a minute") << 59.6 << u"1 min"_s;
    QTest::newRow("nearly an hour") << 3599.0 << u"1 h 0 min"_s;
    QTest::newRow("hours") << 7.5 * 3600 << u"7 h 30 min"_s;
    QTest::newRow("days") << 50.0 * 3600 << u"2 d 2 h"_s;
    QTest::newRow("never") << std::numeric_limits<double>::infinity() << u"-"_s;
}

void TestCliWords::durations()
{
    QFETCH(double, seconds);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(duration(seconds)), text);
}

void TestCliWords::groupedNumbers()
{
    QCOMPARE(grouped(0), "0");
    QCOMPARE(grouped(999), "999");
    QCOMPARE(grouped(1000), "1,000");
    QCOMPARE(grouped(-1234567), "-1,234,567");
    QCOMPARE(grouped(-123), "-123");
    QCOMPARE(grouped(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

void TestCliWords::significantNumbers()
{
    QCOMPARE(significant(2.302585), "2.303");
    QCOMPARE(significant(0.00071239), "0.0007124");
    QCOMPARE(significant(1.25e9), "1.25e+09");
    QCOMPARE(significant(-std::numeric_limits<double>::infinity()), "-infinite");
    QCOMPARE(fixed(1e308, 2).size(), std::size_t{312});
}

void TestCliWords::textWraps()
{
    QCOMPARE(wrapped("one two three", 9, 2), "one two\n  three");
    QCOMPARE(wrapped("one\n\ntwo", 20, 2), "one\n\n  two");
    QCOMPARE(wrapped("averyveryverylongword two", 8, 0), "averyveryverylongword\ntwo");
    QCOMPARE(wrapped("", 8, 0), "");
    QCOMPARE(screenWidth("h\xc3\xa4tte"), std::size_t{5});
}

void TestCliWords::tableAligns()
{
    TextTable table({{"run"}, {"step", TextTable::Align::Right}, {"state"}});
    QVERIFY(table.isEmpty());
    table.addRow({"a", "1", "ended"});
    table.addRow({"longer", "1,000", ""});
    QCOMPARE(table.text(), "run      step  state\na           1  ended\nlonger  1,000\n");
}

void TestCliWords::shellTakesThePath()
{
    QCOMPARE(shellQuoted("runs/rope-seed0"), "runs/rope-seed0");
    QCOMPARE(shellQuoted("my runs"), "'my runs'");
    QCOMPARE(shellQuoted("it's"), "'it'\\''s'");
    QCOMPARE(shellQuoted(""), "''");
    QCOMPARE(shellQuoted("-rf"), "./-rf");
    QCOMPARE(shellQuoted("a\x1b[2J'b\\"), "$'a\\x1b[2J\\'b\\\\'");
    QCOMPARE(printable("plain \u00e4 \u03b4 \U0001F600"), "plain \u00e4 \u03b4 \U0001F600");
    QCOMPARE(printable("\x1b[31m\n\t\x7f"), "\\x1b[31m\\x0a\\x09\\x7f");
    QCOMPARE(printable("\u0085\u202e\u2066"), "\\x85\\u202e\\u2066");
    QCOMPARE(printable("\xff\xc3(\xed\xa0\x80"), "\\xff\\xc3(\\xed\\xa0\\x80");
}

void TestCliWords::lists()
{
    using Numbers = std::vector<std::int64_t>;
    QCOMPARE(countList("--n", {"32,8", "16,8"}, 1, 100), (Numbers{8, 16, 32}));
    for (const char *bad :
         {"", ",", "8,", "8,,9", "8 9", "1e3", "8.0", "+8", "0x8", "101", "0", "-1", "99999999999999999999"})
        QVERIFY_THROWS_EXCEPTION(UsageError, countList("--n", {bad}, 1, 100));
}

void TestCliWords::seeds()
{
    using Seeds = std::vector<std::uint64_t>;
    QCOMPARE(seedList("--seeds", {"0-4"}), (Seeds{0, 1, 2, 3, 4}));
    QCOMPARE(seedList("--seeds", {"7", "2,7-9"}), (Seeds{7, 2, 8, 9}));
    QCOMPARE(seedList("--seeds", {"18446744073709551615"}), (Seeds{18446744073709551615ULL}));
    QCOMPARE(seedList("--seeds", {"18446744073709551614-18446744073709551615"}).size(), std::size_t{2});
    for (const char *bad : {"", "-1", "4-0", "1-", "0-18446744073709551615", "0--4", "a", "1.5"})
        QVERIFY_THROWS_EXCEPTION(UsageError, seedList("--seeds", {bad}));
}

QTEST_GUILESS_MAIN(TestCliWords)
#include "test_cli_words.moc"
