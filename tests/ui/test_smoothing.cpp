// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cmath>
#include <limits>

#include "ui/charts/smoothing.h"

using namespace lookback::ui;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<CurvePoint> curve(std::initializer_list<double> values)
{
    std::vector<CurvePoint> points;
    for (const double value : values)
        points.push_back({double(points.size() + 1), value});
    return points;
}

} // namespace

class TestSmoothing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void offChangesNothing();
    void constantStaysConstant_data();
    void constantStaysConstant();
    void hasNoStartUpBias();
    void staysInsideTheValues();
    void startsAnewAfterGaps();
    void strangeStrengths();
};

void TestSmoothing::offChangesNothing()
{
    const auto points = curve({0.1, 7.3, 1e-9, 1e9, 0.3});
    QCOMPARE(smoothed(points, 0.0), points);
}

void TestSmoothing::constantStaysConstant_data()
{
    QTest::addColumn<double>("value");
    QTest::newRow("quarter") << 0.25;
    QTest::newRow("tenth") << 0.1;
    QTest::newRow("one") << 1.0;
    QTest::newRow("zero") << 0.0;
    QTest::newRow("tiny") << 3.3e-12;
    QTest::newRow("large") << 1234.5678e30;
}

void TestSmoothing::constantStaysConstant()
{
    QFETCH(const double, value);
    const std::vector<CurvePoint> points = [&] {
        std::vector<CurvePoint> list;
        for (int i = 1; i <= 5000; ++i)
            list.push_back({double(i), value});
        return list;
    }();
    for (const double strength : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999999, 1.0})
        QCOMPARE(smoothed(points, strength), points);
}

void TestSmoothing::hasNoStartUpBias()
{
    // Closed form: sum(b^i v) / sum(b^i).
    const auto points = curve({4.0, 1.0, -2.0, 8.0, 0.5, 0.25});
    for (const double strength : {0.3, 0.9, 0.99, 1.0}) {
        const auto result = smoothed(points, strength);
        for (std::size_t k = 0; k < points.size(); ++k) {
            double sum = 0;
            double weights = 0;
            for (std::size_t i = 0; i <= k; ++i) {
                const double weight = std::pow(strength, double(k - i));
                sum += weight * *points[i].y;
                weights += weight;
            }
            // 1e-13: some dozen roundings of numbers of size 1 to 10.
            QVERIFY(std::abs(*result[k].y - sum / weights) < 1e-13);
        }
    }
}

void TestSmoothing::staysInsideTheValues()
{
    std::vector<CurvePoint> points;
    for (int i = 1; i <= 4000; ++i)
        points.push_back({double(i), i % 7 == 0 ? 1.0 : i % 3 == 0 ? 0.0 : 0.9});
    for (const double strength : {0.5, 0.97, 1.0}) {
        for (const CurvePoint &point : smoothed(points, strength))
            QVERIFY(*point.y >= 0.0 && *point.y <= 1.0);
    }
}

void TestSmoothing::startsAnewAfterGaps()
{
    auto points = curve({1, 2, 3, 0, 10, 20, 30});
    for (const std::optional<double> gap :
         {std::optional(kNan), std::optional(double(INFINITY)), std::optional<double>()}) {
        points[3].y = gap;
        const auto result = smoothed(points, 0.9);
        const auto tail = smoothed(curve({10, 20, 30}), 0.9);
        QCOMPARE(result[3].y.has_value(), gap.has_value());
        for (std::size_t i = 0; i < tail.size(); ++i)
            QCOMPARE(*result[4 + i].y, *tail[i].y);
    }
}

void TestSmoothing::strangeStrengths()
{
    const auto points = curve({1, 2, 3});
    QCOMPARE(smoothed(points, kNan), points);
    QCOMPARE(smoothed(points, -3.0), points);
    QCOMPARE(smoothed(points, 7.0), smoothed(points, 1.0));
    QVERIFY(smoothed({}, 0.5).empty());
}

QTEST_GUILESS_MAIN(TestSmoothing)
#include "test_smoothing.moc"
