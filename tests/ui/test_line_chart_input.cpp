// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Pointer and keys of LineChart.
#include <QApplication>
#include <QSignalSpy>
#include <QStyleFactory>
#include <QTest>

#include <cmath>

#include "tests/patience.h"
#include "tests/ui/line_chart_desk.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using namespace lookback::tests;

class TestLineChartInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void followsUntilZoomedThenHolds();
    void holdsThroughSettings();
    void zoomBoxWheelAndPan();
    void escapeCancels();
    void keysMoveTheCrossHair();
    void keysZoomAndChoose();
    void crossHairSnapsToLoggedSteps();
    void clickingLabels();
    void twoChartsShareTheirSteps();
};

void TestLineChartInput::initTestCase()
{
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QApplication::setPalette(Theme::light().palette());
}

void TestLineChartInput::followsUntilZoomedThenHolds()
{
    Desk desk;
    desk.view.setAutomaticRange({0, 20000});
    desk.settle();
    QCOMPARE(desk.chart->xAxis().range, (Range{0, 20000}));

    QSignalSpy following(&desk.view, &XView::followingChanged);
    QSignalSpy changed(desk.chart.get(), &LineChart::viewChanged);
    desk.wheel(desk.at(0.25, 0.5), 3);
    QCOMPARE(following.size(), 1);
    QCOMPARE(changed.size(), 1);
    QVERIFY(!desk.view.isFollowing());
    desk.settle();
    const Range x = desk.chart->xAxis().range;
    const Range y = desk.chart->yAxis().range;
    QVERIFY(x.width() < 20000);

    // Data go on; the view does not move.
    desk.view.setAutomaticRange({0, 50000});
    desk.chart->appendPoints(u"a"_s, Desk::points(1e-5, 10100, 40000));
    desk.settle();
    QCOMPARE(desk.chart->xAxis().range, x);
    QCOMPARE(desk.chart->yAxis().range, y);

    // One action follows again.
    desk.view.setFollowing(true);
    desk.settle();
    QCOMPARE(desk.chart->xAxis().range, (Range{0, 50000}));
    QVERIFY(desk.chart->yAxis().range.lower <= 1e-5);
}

void TestLineChartInput::holdsThroughSettings()
{
    Desk desk;
    desk.wheel(desk.at(0.5, 0.5), 4);
    desk.settle();
    const Range x = desk.chart->xAxis().range;
    const Range y = desk.chart->yAxis().range;
    desk.chart->setSmoothing(0.9);
    desk.chart->setLabelsShown(false);
    auto curves = desk.chart->curves();
    curves[0].isShown = false;
    curves[2].isSelected = true;
    desk.chart->setCurves(curves);
    desk.chart->resize(700, 300);
    desk.view.setScale(Scale::Log10);
    desk.settle();
    QCOMPARE(desk.chart->xAxis().range, x);
    QCOMPARE(desk.chart->yAxis().range, y);
    desk.view.setScale(Scale::Linear);
    desk.settle();
    QCOMPARE(desk.chart->xAxis().range, x);
}

void TestLineChartInput::zoomBoxWheelAndPan()
{
    Desk desk;
    // A box from 20 to 60 % of the steps and 30 to 70 % of the height.
    const Axis x = desk.chart->xAxis();
    const Axis y = desk.chart->yAxis();
    const auto drag = [&](Qt::MouseButton button, Qt::KeyboardModifiers modifiers, const QPoint &from,
                          const QPoint &to) {
        QTest::mousePress(desk.chart.get(), button, modifiers, from);
        QMouseEvent move(QEvent::MouseMove, to, desk.chart->mapToGlobal(to), Qt::NoButton, button, modifiers);
        QApplication::sendEvent(desk.chart.get(), &move);
        QTest::mouseRelease(desk.chart.get(), button, modifiers, to);
        desk.settle();
    };
    drag(Qt::LeftButton, {}, desk.at(0.2, 0.7), desk.at(0.6, 0.3));
    const Range boxed = desk.chart->xAxis().range;
    // One pixel is 20 steps here.
    QVERIFY2(std::abs(boxed.lower - x.valueAt(0.2)) < 40 && std::abs(boxed.upper - x.valueAt(0.6)) < 40,
             qPrintable(QString::number(boxed.lower)));
    QVERIFY(std::abs(std::log10(desk.chart->yAxis().range.upper / y.valueAt(0.7))) < 0.03);

    // Panning moves without a change of width.
    for (const auto &[button, modifiers] : {std::pair(Qt::MiddleButton, Qt::KeyboardModifiers()),
                                            std::pair(Qt::LeftButton, Qt::KeyboardModifiers(Qt::ShiftModifier))}) {
        const Range before = desk.chart->xAxis().range;
        drag(button, modifiers, desk.at(0.5, 0.5), desk.at(0.4, 0.5));
        const Range after = desk.chart->xAxis().range;
        QVERIFY(std::abs(after.width() - before.width()) < 1e-6);
        QVERIFY(std::abs(after.lower - before.lower - 0.1 * before.width()) < 20);
    }

    // The wheel zooms at the pointer: what is under it stays there.
    const double under = desk.chart->xAxis().valueAt(0.75);
    desk.wheel(desk.at(0.75, 0.5), 2);
    desk.settle();
    QVERIFY(std::abs(desk.chart->xAxis().share(under) - 0.75) < 0.01);
    const Range y2 = desk.chart->yAxis().range;
    desk.wheel(desk.at(0.5, 0.5), 1, Qt::ControlModifier);
    desk.settle();
    QCOMPARE(desk.chart->yAxis().range, y2); // Ctrl: steps alone

    // Out again and again ends at everything and some air.
    for (int i = 0; i < 60; ++i)
        desk.wheel(desk.at(0.5, 0.5), -1);
    desk.settle();
    QVERIFY(desk.chart->xAxis().range.width() <= 10000 * 1.21);
    // In again and again ends at a range that still has numbers.
    for (int i = 0; i < 200; ++i)
        desk.wheel(desk.at(0.5, 0.5), 1);
    desk.settle();
    QVERIFY(desk.chart->xAxis().range.width() > 0);
    QVERIFY(desk.chart->yAxis().range.width() > 0);
    QVERIFY(!desk.picture().isNull());
}

void TestLineChartInput::escapeCancels()
{
    Desk desk;
    const Range x = desk.chart->xAxis().range;
    QTest::mousePress(desk.chart.get(), Qt::LeftButton, {}, desk.at(0.2, 0.7));
    QTest::mouseMove(desk.chart.get(), desk.at(0.6, 0.3));
    QTest::keyClick(desk.chart.get(), Qt::Key_Escape);
    QTest::mouseRelease(desk.chart.get(), Qt::LeftButton, {}, desk.at(0.6, 0.3));
    desk.settle();
    QCOMPARE(desk.chart->xAxis().range, x);
    QVERIFY(desk.view.isFollowing());
    desk.view.setCrossHair(300.0);
    QTest::keyClick(desk.chart.get(), Qt::Key_Escape);
    QVERIFY(!desk.view.crossHair());
}

void TestLineChartInput::keysMoveTheCrossHair()
{
    Desk desk;
    LineChart *chart = desk.chart.get();
    // Curves that were logged at different steps: the cross-hair stops at each of them.
    chart->setPoints(u"b"_s, {{150, 0.2}, {250, 0.2}});
    desk.settle();
    QTest::keyClick(chart, Qt::Key_Home);
    QCOMPARE(desk.view.crossHair(), std::optional(100.0));
    for (const double expected : {150.0, 200.0, 250.0, 300.0, 400.0}) {
        QTest::keyClick(chart, Qt::Key_Right);
        QCOMPARE(desk.view.crossHair(), std::optional(expected));
    }
    QTest::keyClick(chart, Qt::Key_Left);
    QCOMPARE(desk.view.crossHair(), std::optional(300.0));
    QTest::keyClick(chart, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(desk.view.crossHair(), std::optional(1300.0));
    QTest::keyClick(chart, Qt::Key_PageDown);
    QCOMPARE(desk.view.crossHair(), std::optional(2300.0));
    QTest::keyClick(chart, Qt::Key_End);
    QCOMPARE(desk.view.crossHair(), std::optional(10000.0));
    QTest::keyClick(chart, Qt::Key_Right);
    QCOMPARE(desk.view.crossHair(), std::optional(10000.0)); // there is nothing further
}

void TestLineChartInput::keysZoomAndChoose()
{
    Desk desk;
    LineChart *chart = desk.chart.get();
    QTest::keyClick(chart, Qt::Key_Plus);
    desk.settle();
    QVERIFY(chart->xAxis().range.width() < 10000);
    QTest::keyClick(chart, Qt::Key_Minus);
    QTest::keyClick(chart, Qt::Key_0);
    desk.settle();
    QCOMPARE(chart->xAxis().range, (Range{0, 10000}));
    QVERIFY(desk.view.isFollowing());

    QSignalSpy chosen(chart, &LineChart::curveChosen);
    QSignalSpy toggled(chart, &LineChart::curveToggled);
    QTest::keyClick(chart, Qt::Key_Down);
    QCOMPARE(chosen.takeFirst().at(0).toString(), u"a"_s);
    auto curves = chart->curves();
    curves[0].isSelected = true;
    chart->setCurves(curves);
    QTest::keyClick(chart, Qt::Key_Down);
    QCOMPARE(chosen.takeFirst().at(0).toString(), u"b"_s);
    QTest::keyClick(chart, Qt::Key_Space);
    QCOMPARE(toggled.takeFirst().at(0).toString(), u"a"_s);
}

void TestLineChartInput::crossHairSnapsToLoggedSteps()
{
    Desk desk;
    QTest::mouseMove(desk.chart.get(), desk.at(0.3337, 0.4));
    QTRY_VERIFY(desk.view.crossHair());
    QCOMPARE(std::fmod(*desk.view.crossHair(), 100.0), 0.0);
    QVERIFY(std::abs(*desk.view.crossHair() - 3337) <= 60 + 20);
}

void TestLineChartInput::clickingLabels()
{
    Desk desk;
    desk.picture();
    QSignalSpy chosen(desk.chart.get(), &LineChart::curveChosen);
    QSignalSpy toggled(desk.chart.get(), &LineChart::curveToggled);
    const auto rects = desk.chart->labelRects();
    QTest::mouseClick(desk.chart.get(), Qt::LeftButton, {}, rects[1].second.center().toPoint());
    QCOMPARE(chosen.takeFirst().at(0).toString(), u"b"_s);
    QTest::mouseClick(desk.chart.get(), Qt::LeftButton, Qt::ControlModifier, rects[2].second.center().toPoint());
    QCOMPARE(toggled.takeFirst().at(0).toString(), u"c"_s);
}

void TestLineChartInput::twoChartsShareTheirSteps()
{
    Desk desk;
    LineChart other(&desk.view, steps(), loss());
    other.resize(600, 200);
    other.setCurves(desk.chart->curves());
    other.show();
    desk.wheel(desk.at(0.5, 0.5), 2);
    desk.settle();
    QTRY_COMPARE(other.xAxis().range, desk.chart->xAxis().range);
    QCOMPARE(other.plotArea().left(), desk.chart->plotArea().left());
    QCOMPARE(other.plotArea().right(), desk.chart->plotArea().right());
    desk.view.setCrossHair(500.0);
    QVERIFY(other.spokenValue().startsWith("Step 500"_L1));
}

QTEST_MAIN(TestLineChartInput)
#include "test_line_chart_input.moc"
