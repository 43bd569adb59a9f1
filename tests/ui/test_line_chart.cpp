// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QSignalSpy>
#include <QStyleFactory>
#include <QTest>

#include <cmath>
#include <limits>

#include "tests/patience.h"
#include "tests/ui/figure_helpers.h"
#include "tests/ui/line_chart_desk.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using namespace lookback::tests;

class TestLineChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void curvesLieWhereTheNumbersAre();
    void gapsStayGaps();
    void appendedPointsAppear();
    void hiddenCurvesKeepTheirStyleAndComeBack();
    void offScaleIsAnnouncedAndOneClickAway();
    void labelsNameEveryCurve();
    void smoothingKeepsLoggedValues();
    void redrawsAreMerged();
    void hiddenChartsDoNothing();
    void longRunsAreThinned();
    void followsThePalette();
    void describesItself();
    void strangeData();
    void seedsAreHairLinesUnlessSelected();
    void manyIntervalsShowTheirExtremes();
};

void TestLineChart::initTestCase()
{
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QApplication::setPalette(Theme::light().palette());
}

void TestLineChart::curvesLieWhereTheNumbersAre()
{
    Desk desk;
    for (const ChartCurve &curve : desk.chart->curves()) {
        for (const double step : {1050.0, 5050.0, 9050.0}) {
            const double value = *desk.chart->data(curve.id)->points().front().y;
            QCOMPARE(desk.colourAt(step, value).name(), curve.style.line.name());
        }
    }
    // And on a logarithmic step axis.
    desk.view.setScale(Scale::Log10);
    desk.view.setAutomaticRange({1, 10000});
    desk.settle();
    QCOMPARE(desk.colourAt(350, 0.5).name(), desk.chart->curves()[0].style.line.name());
}

void TestLineChart::gapsStayGaps()
{
    Desk desk(1);
    const QString line = desk.chart->curves()[0].style.line.name();
    for (const std::optional<double> broken :
         {std::optional(kNan), std::optional(double(INFINITY)), std::optional<double>(), std::optional(0.0)}) {
        auto points = Desk::points(0.5);
        for (CurvePoint &point : points) {
            if (point.x >= 4000 && point.x <= 6000)
                point.y = broken;
        }
        points[80].y = 0.5; // a lone value
        points[79].y = points[81].y = broken;
        desk.chart->setPoints(u"a"_s, points);
        desk.settle();
        QCOMPARE(desk.colourAt(3850, 0.5).name(), line);
        QVERIFY(desk.colourAt(5050, 0.5).name() != line);
        QCOMPARE(desk.colourAt(6150, 0.5).name(), line);
        QCOMPARE(desk.colourAt(points[80].x, 0.5).name(), line);
        const QImage image = desk.picture();
        const bool isMarked = tests::countPixels(image, Theme::light().wrong) > 0;
        QCOMPARE(isMarked, broken && !std::isfinite(*broken));
    }
    // Broken from somewhere on: the curve ends there, at full length before.
    auto points = Desk::points(0.5);
    for (CurvePoint &point : points) {
        if (point.x >= 5000)
            point.y = kNan;
    }
    desk.chart->setPoints(u"a"_s, points);
    desk.settle();
    QCOMPARE(desk.colourAt(4850, 0.5).name(), line);
    QVERIFY(desk.colourAt(7000, 0.5).name() != line);
}

void TestLineChart::appendedPointsAppear()
{
    Desk desk(1);
    const QString line = desk.chart->curves()[0].style.line.name();
    desk.chart->setPoints(u"a"_s, Desk::points(0.5, 100, 3000));
    desk.settle();
    QVERIFY(desk.colourAt(5050, 0.5).name() != line);
    desk.chart->appendPoints(u"a"_s, Desk::points(0.5, 3100, 9000));
    desk.settle();
    QCOMPARE(desk.colourAt(5050, 0.5).name(), line);
    QCOMPARE(desk.chart->data(u"a"_s)->points().size(), std::size_t(90));
}

void TestLineChart::hiddenCurvesKeepTheirStyleAndComeBack()
{
    Desk desk(9);
    auto curves = desk.chart->curves();
    const auto before = curves;
    curves[1].isShown = false;
    desk.chart->setCurves(curves);
    desk.settle();
    QVERIFY(desk.colourAt(5050, 0.25).name() != curves[1].style.line.name());
    QCOMPARE(desk.colourAt(5050, 0.5).name(), curves[0].style.line.name()); // the others are not recoloured
    curves[1].isShown = true;
    desk.chart->setCurves(curves);
    desk.settle();
    QCOMPARE(desk.colourAt(5050, 0.25).name(), before[1].style.line.name());
    // A curve that goes takes its points along, and nothing else.
    curves.erase(curves.begin());
    desk.chart->setCurves(curves);
    desk.settle();
    QVERIFY(!desk.chart->data(u"a"_s));
    QCOMPARE(desk.colourAt(5050, 0.25).name(), before[1].style.line.name());
}

void TestLineChart::offScaleIsAnnouncedAndOneClickAway()
{
    Desk desk(1);
    auto points = Desk::points(0.5);
    points[3].y = 1e25;
    points[7].y = 1e22;
    desk.chart->setPoints(u"a"_s, points);
    desk.settle();
    desk.picture();
    QVERIFY(desk.chart->yAxis().range.upper < 1000);
    QVERIFY2(desk.chart->offScaleText().startsWith("2 values off scale"_L1), qPrintable(desk.chart->offScaleText()));
    // The note stands in the upper left corner of the plot.
    const QPoint note = desk.chart->plotArea().topLeft().toPoint() + QPoint(30, 10);
    QTest::mouseClick(desk.chart.get(), Qt::LeftButton, {}, note);
    desk.settle();
    QVERIFY(desk.chart->isFullRange());
    QVERIFY(desk.chart->yAxis().range.upper >= 1e25);
    desk.picture();
    QTest::mouseClick(desk.chart.get(), Qt::LeftButton, {}, note);
    desk.settle();
    QVERIFY(!desk.chart->isFullRange());
}

void TestLineChart::labelsNameEveryCurve()
{
    Desk desk(9);
    desk.chart->resize(700, 420);
    desk.settle();
    desk.picture();
    const auto rects = desk.chart->labelRects();
    QCOMPARE(rects.size(), std::size_t(9));
    for (std::size_t i = 0; i < rects.size(); ++i) {
        QVERIFY(!rects[i].second.isNull());
        QVERIFY(rects[i].second.left() > desk.chart->plotArea().right());
        for (std::size_t j = 0; j < i; ++j)
            QVERIFY(!rects[i].second.adjusted(0, 1, 0, -1).intersects(rects[j].second.adjusted(0, 1, 0, -1)));
    }
    // Too low for all: some are left out, and counted.
    desk.chart->resize(700, 130);
    desk.settle();
    desk.picture();
    int drawn = 0;
    for (const auto &[id, rect] : desk.chart->labelRects())
        drawn += rect.isNull() ? 0 : 1;
    QVERIFY(drawn >= 1 && drawn < 9);
}

void TestLineChart::smoothingKeepsLoggedValues()
{
    Desk desk(1);
    auto points = Desk::points(0.5);
    for (std::size_t i = 0; i < points.size(); i += 2)
        points[i].y = 0.05;
    desk.chart->setPoints(u"a"_s, points);
    desk.settle();
    const QImage plain = desk.picture();
    desk.chart->setSmoothing(0.95);
    desk.settle();
    QVERIFY(desk.picture() != plain);
    QCOMPARE(*desk.chart->data(u"a"_s)->at(300)->y, 0.05); // what a read-out reads
    // A constant is drawn the same, smoothed or not.
    desk.chart->setSmoothing(0);
    desk.chart->setPoints(u"a"_s, Desk::points(0.5));
    desk.settle();
    const QColor raw = desk.colourAt(5050, 0.5);
    desk.chart->setSmoothing(0.99);
    desk.settle();
    QCOMPARE(desk.colourAt(5050, 0.5).name(), raw.name());
}

void TestLineChart::redrawsAreMerged()
{
    Desk desk(1);
    desk.settle();
    QSignalSpy refreshed(desk.chart.get(), &LineChart::refreshed);
    for (int i = 0; i < 500; ++i) {
        const CurvePoint point{10100.0 + i, 0.5};
        desk.chart->appendPoints(u"a"_s, std::span(&point, 1));
    }
    QTRY_VERIFY(!refreshed.isEmpty());
    QCOMPARE(refreshed.size(), 1);
    QCOMPARE(desk.chart->data(u"a"_s)->points().size(), std::size_t(600));
}

void TestLineChart::hiddenChartsDoNothing()
{
    Desk desk(1);
    desk.chart->hide();
    QSignalSpy refreshed(desk.chart.get(), &LineChart::refreshed);
    for (int i = 0; i < 50; ++i) {
        const CurvePoint point{10100.0 + i, 0.5};
        desk.chart->appendPoints(u"a"_s, std::span(&point, 1));
        QCoreApplication::processEvents();
    }
    QCOMPARE(refreshed.size(), 0);
    desk.chart->show();
    QTRY_COMPARE(refreshed.size(), 1); // and catches up at once
}

void TestLineChart::longRunsAreThinned()
{
    Desk desk(3);
    for (const ChartCurve &curve : std::vector<ChartCurve>(desk.chart->curves())) {
        std::vector<CurvePoint> points;
        for (int i = 1; i <= 150000; ++i)
            points.push_back({i / 15.0, 0.3 + 0.001 * (i % 7)});
        points[77777].y = 3.0; // the one bad step
        desk.chart->setPoints(curve.id, std::move(points));
    }
    desk.settle();
    const QString line = desk.chart->curves()[2].style.line.name();
    bool isSeen = false;
    const QImage image = desk.picture();
    const QPoint peak = desk.chart->positionOf(77778 / 15.0, 3.0).toPoint();
    for (int dx = -2; dx <= 2; ++dx)
        isSeen |= image.pixelColor(peak + QPoint(dx, 3)).name() == line;
    QVERIFY(isSeen);
}

void TestLineChart::followsThePalette()
{
    Desk desk(1);
    QCOMPARE(desk.picture().pixelColor(3, 3), Theme::light().base);
    desk.chart->setPalette(Theme::dark().palette());
    desk.settle();
    QCOMPARE(desk.picture().pixelColor(3, 3), Theme::dark().base);
}

void TestLineChart::describesItself()
{
    Desk desk(2);
    desk.view.setCrossHair(300.0);
    desk.chart->setAccessibleName(u"Loss by step"_s);
    QAccessibleInterface *spoken = QAccessible::queryAccessibleInterface(desk.chart.get());
    QVERIFY(spoken);
    QCOMPARE(spoken->role(), QAccessible::Chart);
    QCOMPARE(spoken->text(QAccessible::Name), u"Loss by step"_s);
    const QString value = u"Step 300: curve a 0.500, curve b 0.250"_s;
    QCOMPARE(spoken->text(QAccessible::Value), value);
    // Axes, curves and the value at the pointer.
    const QString description = spoken->text(QAccessible::Description);
    QVERIFY2(description.startsWith("Across: Step, 0 to 10,000. Up: Loss, "_L1), qPrintable(description));
    QVERIFY2(description.endsWith(" 2 curves. "_L1 + value + u'.'), qPrintable(description));
    QVERIFY(spoken->text(QAccessible::Help).contains("Left and Right"_L1));
    desk.view.setCrossHair(std::nullopt);
    QCOMPARE(spoken->text(QAccessible::Value), QString());
    QVERIFY(spoken->text(QAccessible::Description).endsWith(" 2 curves."_L1));
    std::vector<ChartCurve> curves = desk.chart->curves();
    curves[1].isShown = false;
    desk.chart->setCurves(curves);
    QVERIFY(spoken->text(QAccessible::Description).endsWith(" 1 curve, 1 hidden."_L1));
    desk.chart->setFocus();
    desk.chart->activateWindow();
    QTRY_VERIFY(desk.chart->hasFocus());
    QCOMPARE(desk.picture().pixelColor(1, 200).name(), Theme::light().focus.name()); // the frame
}

void TestLineChart::strangeData()
{
    Desk desk(1);
    const std::vector<std::vector<CurvePoint>> lists{
        {},
        {{1, 0.5}},
        {{1, kNan}},
        {{1, std::nullopt}, {2, std::nullopt}},
        {{1, 0.0}, {2, -1.0}},
        {{1, 1e300}, {2, 1e-300}},
        {{0, 0.5}, {1e15, 0.5}},
    };
    for (const auto &points : lists) {
        for (const Scale scale : {Scale::Linear, Scale::Log10}) {
            desk.view.setScale(scale);
            desk.chart->setPoints(u"a"_s, points);
            desk.settle();
            QVERIFY(!desk.picture().isNull());
        }
    }
    // Every other value broken, 2,000 of them: more segments than series.
    std::vector<CurvePoint> points;
    for (int i = 1; i <= 2000; ++i)
        points.push_back({i * 5.0, i % 4 == 0 ? kNan : 0.5});
    desk.view.setScale(Scale::Linear);
    desk.view.setAutomaticRange({0, 10000});
    desk.chart->setPoints(u"a"_s, points);
    desk.settle();
    desk.view.setRange({5000, 5100}); // also there, beyond the last series
    desk.settle();
    QCOMPARE(desk.colourAt(5007, 0.5).name(), desk.chart->curves()[0].style.line.name());
    QVERIFY(desk.colourAt(5000 + 4.9, 0.5).name() != QString());
    desk.chart->setCurves({});
    desk.settle();
    QVERIFY(!desk.picture().isNull());
}

void TestLineChart::seedsAreHairLinesUnlessSelected()
{
    Desk desk(2);
    const QString line = desk.chart->curves()[0].style.line.name();
    QCOMPARE(desk.colourAt(5050, 0.5).name(), line);
    std::vector<ChartCurve> curves = desk.chart->curves();
    curves[0].isFaint = true;
    curves[0].label.clear();
    desk.chart->setCurves(curves);
    desk.settle();
    QVERIFY(desk.colourAt(5050, 0.5).name() != line);
    QCOMPARE(desk.chart->labelRects().size(), std::size_t(1));
    desk.view.setCrossHair(300.0);
    QCOMPARE(desk.chart->spokenValue(), u"Step 300: curve b 0.250"_s);
    curves[0].isSelected = true;
    desk.chart->setCurves(curves);
    desk.settle();
    QCOMPARE(desk.colourAt(5050, 0.5).name(), line);
}

void TestLineChart::manyIntervalsShowTheirExtremes()
{
    // 100,000 intervals in a few hundred columns: one that is high, in the middle, is still seen.
    Desk desk(1);
    std::vector<IntervalPoint> intervals;
    for (int step = 1; step <= 100000; ++step)
        intervals.push_back({step * 0.1, 0.4, step > 49990 && step < 50010 ? 0.62 : 0.45});
    desk.chart->setIntervals(u"a"_s, intervals);
    desk.settle();
    QVERIFY(desk.colourAt(2000, 0.43) != Theme::light().base); // filled
    QCOMPARE(desk.colourAt(2000, 0.58).name(), Theme::light().base.name());
    const QImage image = desk.picture();
    const QPoint place = (desk.chart->positionOf(5000, 0.58) * image.devicePixelRatio()).toPoint();
    bool isSeen = false;
    for (int x = place.x() - 3; x <= place.x() + 3; ++x)
        isSeen |= image.pixelColor(x, place.y()) != Theme::light().base;
    QVERIFY(isSeen);
}

QTEST_MAIN(TestLineChart)
#include "test_line_chart.moc"
