// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSet>
#include <QTest>

#include <cmath>
#include <limits>
#include <random>

#include "ui/charts/label_layout.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"

using namespace Qt::StringLiterals;
using namespace lookback::ui;

namespace {

QStringList labels(const Axis &axis)
{
    QStringList list;
    for (const Tick &tick : axis.ticks) {
        if (!tick.label.isEmpty())
            list << QString(tick.label).replace(QChar(0x202F), u' ');
    }
    return list;
}

QString plain(QString text)
{
    return text.replace(QChar(0x202F), u' ');
}

} // namespace

class TestNiceRange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void steps();
    void ranges();
    void constantsLookSensible_data();
    void constantsLookSensible();
    void accuracyHasItsNaturalRange();
    void zoomedAccuracyHasEnoughDigits();
    void labelsAreNeverEqual();
    void logarithmicAxes();
    void errorRates();
    void contextAxes();
    void bulkStaysReadable_data();
    void bulkStaysReadable();
    void percentText_data();
    void percentText();
    void otherTexts();
    void labelsMoveApart();
};

void TestNiceRange::steps()
{
    QCOMPARE(niceStep(100, 5), 20.0);
    QCOMPARE(niceStep(1, 5), 0.2);
    QCOMPARE(niceStep(15000, 4), 5000.0);
    QCOMPARE(niceStep(4000, 4), 1000.0);
    QCOMPARE(niceStep(0, 4), 1.0);
    QCOMPARE(niceStep(std::numeric_limits<double>::quiet_NaN(), 4), 1.0);
    QCOMPARE(labels(stepAxis({0, 4000}, Scale::Linear, 4)),
             (QStringList{u"0"_s, u"1,000"_s, u"2,000"_s, u"3,000"_s, u"4,000"_s}));
    // Between two steps there is nothing to name.
    QCOMPARE(labels(stepAxis({1, 3}, Scale::Linear, 8)), (QStringList{u"1"_s, u"2"_s, u"3"_s}));
    QCOMPARE(labels(stepAxis({1, 15000}, Scale::Log10, 6)),
             (QStringList{u"1"_s, u"10"_s, u"100"_s, u"1,000"_s, u"10,000"_s}));
}

void TestNiceRange::ranges()
{
    QCOMPARE(niceRange({0.3, 9.2}, 5), (Range{0, 10}));
    QCOMPARE(niceRange({-3, 7}, 5), (Range{-4, 8}));
    QCOMPARE(niceRange({5, 4}, 5), Range());
    QCOMPARE(niceRange({NAN, 4}, 5), Range());
}

void TestNiceRange::constantsLookSensible_data()
{
    QTest::addColumn<double>("value");
    for (const double value : {0.25, 1e-6, 1.0, 2.3, 1e9, 150.0})
        QTest::newRow(qPrintable(QString::number(value))) << value;
}

void TestNiceRange::constantsLookSensible()
{
    QFETCH(const double, value);
    const Range range = niceRange({value, value}, 5);
    QVERIFY(range.lower >= 0 && range.lower < value && range.upper > value);
    QVERIFY(niceTicks(range, 5).size() >= 2);
    const Range log = niceLogRange({value, value});
    QVERIFY(log.lower > 0 && log.lower < value && log.upper > value);
    QVERIFY(log.upper >= 10 * log.lower * 0.999);
    QVERIFY(!quantityAxis(log, 5, {}).ticks.empty());
    const Range below = niceRange({-value, -value}, 5);
    QVERIFY(below.upper <= 0 && below.contains(-value));
}

void TestNiceRange::accuracyHasItsNaturalRange()
{
    QVERIFY(kShareRange.lower < 0 && kShareRange.upper > 1); // lines at 0 and 100 % are seen
    const Axis axis = shareAxis(kShareRange, 5, u"Accuracy"_s);
    QCOMPARE(labels(axis), (QStringList{u"0 %"_s, u"20 %"_s, u"40 %"_s, u"60 %"_s, u"80 %"_s, u"100 %"_s}));
    QVERIFY(axis.share(0.0) > 0.01 && axis.share(1.0) < 0.99);
}

void TestNiceRange::zoomedAccuracyHasEnoughDigits()
{
    QCOMPARE(
        labels(shareAxis({0.9988, 1.0}, 6, {})),
        (QStringList{u"99.88 %"_s, u"99.90 %"_s, u"99.92 %"_s, u"99.94 %"_s, u"99.96 %"_s, u"99.98 %"_s, u"100 %"_s}));
    // Above 100 and below 0 % there is no accuracy and no number.
    QCOMPARE(labels(shareAxis({0.99, 1.02}, 6, {})),
             (QStringList{u"99.0 %"_s, u"99.2 %"_s, u"99.4 %"_s, u"99.6 %"_s, u"99.8 %"_s, u"100 %"_s}));
}

void TestNiceRange::labelsAreNeverEqual()
{
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int i = 0; i < 3000; ++i) {
        const double lower = uniform(generator);
        const double width = std::pow(10.0, -7 * uniform(generator));
        for (const Axis &axis :
             {shareAxis({lower, lower + width}, 5, {}), quantityAxis({lower + 1e-6, lower + 1e-6 + width}, 5, {}),
              quantityAxis({std::pow(10, -9 * lower), 10 * std::pow(10, -9 * lower) * (1 + 1e4 * width)}, 6, {})}) {
            const QStringList list = labels(axis);
            QVERIFY2(QSet<QString>(list.begin(), list.end()).size() == list.size(), qPrintable(list.join(u' ')));
            QVERIFY(list.size() <= 30);
        }
    }
}

void TestNiceRange::logarithmicAxes()
{
    QCOMPARE(niceLogRange({0.0011, 2.3}), (Range{0.001, 5.0}));
    QCOMPARE(labels(quantityAxis({0.0005, 5}, 8, {})), (QStringList{u"0.001"_s, u"0.01"_s, u"0.1"_s, u"1"_s}));
    QCOMPARE(labels(quantityAxis({0.1, 2}, 6, {})), (QStringList{u"0.1"_s, u"0.2"_s, u"0.5"_s, u"1"_s, u"2"_s}));
    QVERIFY(labels(quantityAxis({1e-30, 1e30}, 6, {})).size() <= 8);
    QCOMPARE(niceLogRange({-1, 4}), (Range{0.001, 5.0}));
    QCOMPARE(niceLogRange({0, 0}), (Range{0.001, 5.0}));
}

void TestNiceRange::errorRates()
{
    QCOMPARE(labels(errorRateAxis({5e-5, 1.0}, {})),
             (QStringList{u"0.01 %"_s, u"0.1 %"_s, u"1 %"_s, u"10 %"_s, u"100 %"_s}));
}

void TestNiceRange::contextAxes()
{
    QCOMPARE(labels(contextAxis({110, 4700}, 6)),
             (QStringList{u"128"_s, u"256"_s, u"512"_s, u"1,024"_s, u"2,048"_s, u"4,096"_s}));
    QCOMPARE(labels(contextAxis({700, 900}, 6)), QStringList());
    const std::vector<std::int64_t> n{8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256};
    const Axis wide = keysAxis({110, 4700}, n, 16, 16);
    QCOMPARE(wide.ticks.size(), n.size());
    QCOMPARE(labels(wide).size(), 11); // 160 has no room between 128 and 192
    QCOMPARE(labels(keysAxis({110, 4700}, n, 16, 7)),
             (QStringList{u"8"_s, u"16"_s, u"32"_s, u"64"_s, u"128"_s, u"256"_s}));
}

void TestNiceRange::bulkStaysReadable_data()
{
    QTest::addColumn<std::vector<double>>("values");
    QTest::addColumn<bool>("isLog");
    QTest::addColumn<int>("above");
    QTest::addColumn<int>("below");
    std::vector<double> training; // as a real loss: 2.3 falls to 0.001 within a tenth of the run
    for (int i = 0; i < 2000; ++i)
        training.push_back(0.001 + 2.3 * std::exp(-i / 20.0));
    QTest::newRow("a training loss, linear")
        << std::vector<double>(training.begin(), training.begin() + 100) << false << 0 << 0;
    QTest::newRow("a training loss, log") << training << true << 0 << 0;
    auto giant = training;
    giant[0] = 1e12;
    QTest::newRow("one giant value, log") << giant << true << 1 << 0;
    auto first = std::vector<double>(500, 0.5);
    for (std::size_t i = 0; i < first.size(); ++i)
        first[i] += 0.1 * std::sin(double(i));
    first[0] = 4000;
    QTest::newRow("first loss in the thousands, linear") << first << false << 1 << 0;
    first[0] = 4000;
    QTest::newRow("first loss in the thousands, log") << first << true << 0 << 0;
    auto dwarf = training;
    dwarf[1999] = 1e-200;
    QTest::newRow("one tiny value, log") << dwarf << true << 0 << 1;
    QTest::newRow("constant and one giant, linear")
        << std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,
                               1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1e9}
        << false << 1 << 0;
    QTest::newRow("two values") << std::vector<double>{1, 1000} << false << 0 << 0;
}

void TestNiceRange::bulkStaysReadable()
{
    QFETCH(const std::vector<double>, values);
    QFETCH(const bool, isLog);
    QFETCH(const int, above);
    QFETCH(const int, below);
    auto withBroken = values;
    for (const double broken : {double(NAN), double(INFINITY), -double(INFINITY)})
        withBroken.push_back(broken);
    for (const auto &list : {values, withBroken}) {
        const RobustRange found = robustRange(list, isLog ? Scale::Log10 : Scale::Linear);
        QCOMPARE(found.above, above);
        QCOMPARE(found.below, below);
        // Nothing is lost in silence: inside + above + below = all.
        std::int64_t inside = 0;
        for (const double value : values)
            inside += value >= found.range.lower * (1 - 1e-12) && value <= found.range.upper * (1 + 1e-12) ? 1 : 0;
        QCOMPARE(inside + found.above + found.below, std::int64_t(values.size()));
        QVERIFY(std::abs(found.highest / std::ranges::max(values) - 1) < 1e-9);
    }
    QVERIFY(robustRange({}, Scale::Linear).isEmpty);
    const std::vector<double> none{NAN, -1, 0};
    QVERIFY(robustRange(none, Scale::Log10).isEmpty);
}

void TestNiceRange::percentText_data()
{
    QTest::addColumn<double>("share");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0.0 << u"0 %"_s;
    QTest::newRow("one") << 1.0 << u"100 %"_s;
    QTest::newRow("S7") << 0.9996 << u"99.96 %"_s;
    QTest::newRow("nearly one") << 0.99998 << u"99.998 %"_s;
    QTest::newRow("one wrong of 32,768") << 1 - 1 / 32768.0 << u"99.9969 %"_s;
    QTest::newRow("one wrong of a billion") << 1 - 1e-9 << u"99.9999999 %"_s;
    QTest::newRow("plain") << 0.8802 << u"88.02 %"_s;
    QTest::newRow("half") << 0.5 << u"50.00 %"_s;
    QTest::newRow("small") << 0.0027 << u"0.27 %"_s;
    QTest::newRow("smaller") << 3.1e-5 << u"0.0031 %"_s;
    QTest::newRow("NaN") << double(NAN) << u"not a number"_s;
}

void TestNiceRange::percentText()
{
    QFETCH(const double, share);
    QFETCH(const QString, text);
    QCOMPARE(plain(lookback::ui::percentText(share)), text);
}

void TestNiceRange::otherTexts()
{
    QCOMPARE(countText(8192), u"8,192"_s);
    QCOMPARE(countText(999), u"999"_s);
    QCOMPARE(countText(-1234567), QString(QChar(0x2212) + u"1,234,567"_s));
    QCOMPARE(plain(countText(10'000'000)), u"10 M"_s);
    QCOMPARE(quantityText(2.302585), u"2.30"_s);
    QCOMPARE(quantityText(0.11834), u"0.118"_s);
    QCOMPARE(quantityText(0.0011), u"0.0011"_s);
    QCOMPARE(plain(quantityText(3.1e-7)), u"3.1 × 10⁻⁷"_s);
    QCOMPARE(plain(quantityText(9.99e-7)), u"1.0 × 10⁻⁶"_s);
    QCOMPARE(quantityText(0), u"0"_s);
    QCOMPARE(quantityText(INFINITY), u"infinite"_s);
    QCOMPARE(pointsText(-0.0043), QString(QChar(0x2212) + u"0.43"_s));
    QCOMPARE(pointsText(0.121), u"+12.10"_s);
}

void TestNiceRange::labelsMoveApart()
{
    const std::vector<LabelWish> wishes{{100, 14}, {101, 14}, {99, 14}, {300, 14}, {5, 14}, {NAN, 14}};
    const auto positions = labelPositions(wishes, 0, 320);
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        QVERIFY(positions[i] >= 7 - 1e-9 && positions[i] <= 313 + 1e-9);
        for (std::size_t j = 0; j < i; ++j)
            QVERIFY(std::abs(positions[i] - positions[j]) >= 14 - 1e-9);
    }
    QVERIFY(positions[2] < positions[0] && positions[0] < positions[1]); // order is kept
    QVERIFY(std::abs(positions[0] - 100) < 1e-9); // and the cluster stays where it was
    QCOMPARE(positions[3], 299.0); // the one below pushed it up a little
    QVERIFY(labelsFit(wishes, 0, 320));
    QVERIFY(!labelsFit(wishes, 0, 60));
    const auto tight = labelPositions(wishes, 0, 60);
    for (const double y : tight)
        QVERIFY(y >= 0 && y <= 60);
    QVERIFY(labelPositions({}, 0, 10).empty());
}

QTEST_GUILESS_MAIN(TestNiceRange)
#include "test_nice_range.moc"
