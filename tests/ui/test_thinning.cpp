// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "ui/charts/thinning.h"

using namespace Qt::StringLiterals;
using namespace lookback::ui;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<CurvePoint> noisy(int count)
{
    std::mt19937 generator(7);
    std::normal_distribution<double> noise(0.0, 0.1);
    std::vector<CurvePoint> points;
    for (int i = 1; i <= count; ++i)
        points.push_back({double(i), std::exp(-i / (count / 5.0) + noise(generator))});
    return points;
}

qsizetype pointsOf(const ThinnedCurve &curve)
{
    qsizetype count = 0;
    for (const auto &segment : curve.segments)
        count += qsizetype(segment.size());
    return count;
}

} // namespace

class TestThinning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shortCurvesAreKeptWhole();
    void extremesOfEveryColumnSurvive_data();
    void extremesOfEveryColumnSurvive();
    void oneBadStepIsSeen();
    void pointsAreLoggedOnes();
    void brokenValuesLeaveGaps_data();
    void brokenValuesLeaveGaps();
    void manyBreaks();
    void zoomKeepsNeighbours();
    void logStepsKeepTheBeginning();
    void offScaleIsCounted();
    void emptyAndSingle();
};

void TestThinning::shortCurvesAreKeptWhole()
{
    const auto points = noisy(300);
    const ThinnedCurve curve =
        thinned(points, {Scale::Linear, {1, 300}, {}, {}, {}}, {Scale::Log10, {1e-3, 10}, {}, {}, {}}, 200);
    QCOMPARE(curve.segments.size(), std::size_t(1));
    QCOMPARE(pointsOf(curve), 300);
    for (std::size_t i = 0; i < points.size(); ++i)
        QCOMPARE(curve.segments[0][i], QPointF(points[i].x, *points[i].y));
}

void TestThinning::extremesOfEveryColumnSurvive_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("columns");
    QTest::addColumn<bool>("isLog");
    QTest::newRow("150,000 in 800") << 150000 << 800 << false;
    QTest::newRow("odd sizes") << 7919 << 613 << false;
    QTest::newRow("one column") << 500 << 1 << false;
    QTest::newRow("log steps") << 150000 << 800 << true;
}

void TestThinning::extremesOfEveryColumnSurvive()
{
    QFETCH(const int, count);
    QFETCH(const int, columns);
    QFETCH(const bool, isLog);
    const auto points = noisy(count);
    const Axis x{isLog ? Scale::Log10 : Scale::Linear, {1, double(count)}, {}, {}, {}};
    const ThinnedCurve curve = thinned(points, x, {Scale::Log10, {1e-4, 10}, {}, {}, {}}, columns);
    QCOMPARE(curve.segments.size(), std::size_t(1));
    const auto &segment = curve.segments[0];
    QVERIFY2(pointsOf(curve) <= 2 * columns + 4, qPrintable(QString::number(pointsOf(curve))));
    QCOMPARE(segment.front(), QPointF(points.front().x, *points.front().y));
    QCOMPARE(segment.back(), QPointF(points.back().x, *points.back().y));
    QVERIFY(std::ranges::is_sorted(segment, std::less_equal<>(), &QPointF::x));

    // The twin: extremes of each column, by brute force over the logged points and over the thinned ones.
    const auto extremes = [&](const auto &list, auto xOf, auto yOf) {
        std::map<int, std::pair<double, double>> result;
        for (const auto &point : list) {
            const int column = int(std::floor(x.share(xOf(point)) * columns));
            auto [at, isNew] = result.try_emplace(column, yOf(point), yOf(point));
            at->second.first = std::min(at->second.first, yOf(point));
            at->second.second = std::max(at->second.second, yOf(point));
        }
        return result;
    };
    const auto expected = extremes(
        points, [](const CurvePoint &p) { return p.x; }, [](const CurvePoint &p) { return *p.y; });
    const auto found = extremes(
        segment, [](const QPointF &p) { return p.x(); }, [](const QPointF &p) { return p.y(); });
    // floor(share * columns) and the function's own arithmetic may differ by a rounding error at borders of columns, so
    // a column may lose an extreme to its neighbour; the picture is the same then. Allow one column, and one in a
    // hundred.
    int different = 0;
    for (const auto &[column, pair] : expected)
        different += found.contains(column) && found.at(column) == pair ? 0 : 1;
    QVERIFY2(different <= 1 + columns / 100, qPrintable(u"%1 of %2 columns"_s.arg(different).arg(columns)));
}

void TestThinning::oneBadStepIsSeen()
{
    for (const int bad : {1, 2, 777, 74999, 149999, 150000}) {
        std::vector<CurvePoint> points;
        for (int i = 1; i <= 150000; ++i)
            points.push_back({double(i), i == bad ? 9.0 : 0.5});
        for (const int columns : {97, 700, 1920}) {
            const ThinnedCurve curve = thinned(points, {Scale::Linear, {1, 150000}, {}, {}, {}},
                                               {Scale::Linear, {0, 10}, {}, {}, {}}, columns);
            const auto &segment = curve.segments.at(0);
            const auto spike = std::ranges::max_element(segment, {}, &QPointF::y);
            QCOMPARE(*spike, QPointF(bad, 9.0));
            QCOMPARE(segment.size() > 2, true);
        }
    }
}

void TestThinning::pointsAreLoggedOnes()
{
    const auto points = noisy(20000);
    const ThinnedCurve curve =
        thinned(points, {Scale::Linear, {1, 20000}, {}, {}, {}}, {Scale::Linear, {0, 2}, {}, {}, {}}, 300);
    for (const QPointF &point : curve.segments.at(0))
        QCOMPARE(*points[std::size_t(point.x()) - 1].y, point.y());
}

void TestThinning::brokenValuesLeaveGaps_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<bool>("isMissing");
    QTest::addColumn<int>("kind");
    QTest::newRow("not a number") << kNan << false << int(BreakKind::NotANumber);
    QTest::newRow("infinite") << kInfinity << false << int(BreakKind::PlusInfinity);
    QTest::newRow("minus infinite") << -kInfinity << false << int(BreakKind::MinusInfinity);
    QTest::newRow("missing") << 0.0 << true << int(BreakKind::Missing);
    QTest::newRow("zero on a log axis") << 0.0 << false << int(BreakKind::NotPositive);
    QTest::newRow("negative on a log axis") << -1.0 << false << int(BreakKind::NotPositive);
}

void TestThinning::brokenValuesLeaveGaps()
{
    QFETCH(const double, value);
    QFETCH(const bool, isMissing);
    QFETCH(const int, kind);
    for (const int count : {1000, 100000}) { // whole and thinned
        for (const int length : {1, 20, count / 2}) {
            auto points = noisy(count);
            const int from = count / 2;
            const int to = std::min(from + length - 1, count);
            for (int step = from; step <= to; ++step)
                points[std::size_t(step) - 1].y = isMissing ? std::nullopt : std::optional(value);
            const ThinnedCurve curve = thinned(points, {Scale::Linear, {1, double(count)}, {}, {}, {}},
                                               {Scale::Log10, {1e-4, 10}, {}, {}, {}}, 640);
            QCOMPARE(curve.breaks.size(), std::size_t(1));
            QCOMPARE(curve.breaks[0].x, double(from));
            QCOMPARE(curve.breaks[0].lastX, double(to));
            QCOMPARE(curve.breaks[0].count, std::int64_t(to - from + 1));
            QCOMPARE(int(curve.breaks[0].kind), kind);
            QCOMPARE(curve.segments.size(), std::size_t(to == count ? 1 : 2));
            // The neighbours are the last and first point of their segments: the gap is exactly as wide as it is.
            QCOMPARE(curve.segments[0].back().x(), double(from - 1));
            if (to < count)
                QCOMPARE(curve.segments[1].front().x(), double(to + 1));
            QVERIFY(!breakText(curve.breaks[0]).isEmpty());
        }
    }
    QCOMPARE(breakText({500, 500, BreakKind::NotANumber, 1}), u"not a number at step 500"_s);
    QCOMPARE(breakText({500, 1520, BreakKind::NotANumber, 3}), u"not a number from step 500 to 1,520"_s);
}

void TestThinning::manyBreaks()
{
    std::vector<CurvePoint> points;
    for (int i = 1; i <= 1000; ++i)
        points.push_back({double(i), i % 2 == 0 ? kNan : 1.0});
    const ThinnedCurve curve =
        thinned(points, {Scale::Linear, {1, 1000}, {}, {}, {}}, {Scale::Linear, {0, 2}, {}, {}, {}}, 100);
    QCOMPARE(curve.segments.size(), std::size_t(500));
    QCOMPARE(curve.breaks.size(), std::size_t(500));

    // Neighbouring breaks of different kinds are told apart.
    points = {{1, 1.0}, {2, kNan}, {3, kInfinity}, {4, std::nullopt}, {5, 1.0}};
    const ThinnedCurve mixed =
        thinned(points, {Scale::Linear, {1, 5}, {}, {}, {}}, {Scale::Linear, {0, 2}, {}, {}, {}}, 100);
    QCOMPARE(mixed.breaks.size(), std::size_t(3));
    QCOMPARE(mixed.segments.size(), std::size_t(2));
}

void TestThinning::zoomKeepsNeighbours()
{
    std::vector<CurvePoint> points;
    for (int i = 0; i <= 100; ++i)
        points.push_back({i * 100.0, double(i)});
    const ThinnedCurve curve =
        thinned(points, {Scale::Linear, {1050, 1950}, {}, {}, {}}, {Scale::Linear, {0, 100}, {}, {}, {}}, 500);
    QCOMPARE(curve.segments.at(0).front().x(), 1000.0);
    QCOMPARE(curve.segments.at(0).back().x(), 2000.0);
    // Between two points: still the line through the view.
    const ThinnedCurve inside =
        thinned(points, {Scale::Linear, {1010, 1020}, {}, {}, {}}, {Scale::Linear, {0, 100}, {}, {}, {}}, 500);
    QCOMPARE(inside.segments.at(0).size(), std::size_t(2));
}

void TestThinning::logStepsKeepTheBeginning()
{
    const auto points = noisy(150000);
    const ThinnedCurve curve =
        thinned(points, {Scale::Log10, {1, 150000}, {}, {}, {}}, {Scale::Log10, {1e-4, 10}, {}, {}, {}}, 700);
    // The first ten steps have columns of their own on a log axis.
    for (std::size_t i = 0; i < 10; ++i)
        QCOMPARE(curve.segments.at(0)[i], QPointF(points[i].x, *points[i].y));
    const std::vector<CurvePoint> zero{{0, 1.0}, {1, 1.0}, {2, 1.0}};
    QCOMPARE(pointsOf(thinned(zero, {Scale::Log10, {1, 2}, {}, {}, {}}, {Scale::Linear, {0, 2}, {}, {}, {}}, 700)), 2);
}

void TestThinning::offScaleIsCounted()
{
    auto points = noisy(1000);
    points[0].y = 5000.0;
    points[999].y = 1e-9;
    const ThinnedCurve curve =
        thinned(points, {Scale::Linear, {1, 1000}, {}, {}, {}}, {Scale::Log10, {1e-4, 10}, {}, {}, {}}, 100);
    QCOMPARE(curve.above, 1);
    QCOMPARE(curve.below, 1);
    QCOMPARE(curve.segments.at(0).front().y(), 5000.0); // still there: the line leaves the picture
}

void TestThinning::emptyAndSingle()
{
    const Axis x{Scale::Linear, {0, 1}, {}, {}, {}};
    QVERIFY(thinned({}, x, x, 100).segments.empty());
    const std::vector<CurvePoint> one{{0.5, 0.5}};
    QCOMPARE(pointsOf(thinned(one, x, x, 100)), 1);
    const std::vector<CurvePoint> broken{{0.5, kNan}};
    QVERIFY(thinned(broken, x, x, 100).segments.empty());
    QCOMPARE(thinned(broken, x, x, 100).breaks.size(), std::size_t(1));
}

QTEST_GUILESS_MAIN(TestThinning)
#include "test_thinning.moc"
