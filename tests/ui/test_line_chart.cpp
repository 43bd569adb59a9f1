// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QSignalSpy>
#include <QStyleFactory>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <limits>

#include "tests/ui/figure_helpers.h"
#include "ui/charts/line_chart.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

LineChart::Abscissa steps()
{
    LineChart::Abscissa abscissa;
    abscissa.axis = [](const Range &range, Scale scale, int most) { return stepAxis(range, scale, most); };
    abscissa.widestNumber = u"10,000"_s;
    abscissa.text = [](double step) { return countText(std::llround(step)); };
    abscissa.name = u"Step"_s;
    return abscissa;
}

LineChart::Quantity loss()
{
    LineChart::Quantity quantity;
    quantity.axis = [](const Range &range, int most) { return quantityAxis(range, most, u"Loss"_s); };
    quantity.range = lossRange;
    quantity.limits = {1e-12, 1e12};
    quantity.text = quantityText;
    quantity.widestNumber = u"0.0001"_s;
    return quantity;
}

/// A chart of 600 x 400 pixels with some solid curves of 100 logged steps each, value 0.5 unless changed.
struct Desk {
    explicit Desk(int count = 3)
    {
        view.setAutomaticRange({0, 10000});
        chart = std::make_unique<LineChart>(&view, steps(), loss());
        chart->resize(600, 400);
        std::vector<ChartCurve> curves;
        const model::Family families[] = {model::Family::FullRope, model::Family::Kda, model::Family::HybridWindow};
        for (int i = 0; i < count; ++i) {
            ChartCurve curve;
            curve.id = QString(QChar(u'a' + i));
            curve.label = u"curve %1"_s.arg(curve.id);
            curve.style = Theme::light().seriesStyle(families[i % 3], model::LogitForm::Squared, i / 3);
            curves.push_back(curve);
        }
        chart->setCurves(curves);
        for (int i = 0; i < count; ++i)
            chart->setPoints(curves[std::size_t(i)].id, points(0.5 / (i + 1)));
        show();
    }
    static std::vector<CurvePoint> points(double value, double from = 100, double to = 10000)
    {
        std::vector<CurvePoint> list;
        for (double step = from; step <= to; step += 100)
            list.push_back({step, value});
        return list;
    }
    void show()
    {
        chart->show();
        settle();
    }
    /// Until what was asked for is on screen.
    void settle()
    {
        QSignalSpy refreshed(chart.get(), &LineChart::refreshed);
        chart->setBottomNumbers(true); // asks for a refresh
        QTRY_VERIFY(!refreshed.isEmpty());
    }
    QImage picture() { return chart->grab().toImage(); }
    QColor colourAt(double x, double y)
    {
        const QImage image = picture();
        // Between logged steps, where no two pieces of the line meet. The pixel that holds the place: a line of 2 px
        // covers it whole, wherever in it the place lies.
        const QPointF place = chart->positionOf(x, y) * image.devicePixelRatio();
        return image.pixelColor(int(std::floor(place.x())), int(std::floor(place.y())));
    }
    QPoint at(double xShare, double yShare) const
    {
        const QRectF area = chart->plotArea();
        return QPointF(area.left() + xShare * area.width(), area.bottom() - yShare * area.height()).toPoint();
    }
    void wheel(const QPoint &position, int turns, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event(position, chart->mapToGlobal(position), {}, {0, 120 * turns}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(chart.get(), &event);
    }

    XView view;
    std::unique_ptr<LineChart> chart;
};

} // namespace

class TestLineChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void curvesLieWhereTheNumbersAre();
    void gapsStayGaps();
    void appendedPointsAppear();
    void hiddenCurvesKeepTheirStyleAndComeBack();
    void followsUntilZoomedThenHolds();
    void holdsThroughSettings();
    void zoomBoxWheelAndPan();
    void escapeCancels();
    void keysMoveTheCrossHair();
    void keysZoomAndChoose();
    void crossHairSnapsToLoggedSteps();
    void offScaleIsAnnouncedAndOneClickAway();
    void labelsNameEveryCurve();
    void clickingLabels();
    void smoothingKeepsLoggedValues();
    void redrawsAreMerged();
    void hiddenChartsDoNothing();
    void longRunsAreThinned();
    void followsThePalette();
    void describesItself();
    void strangeData();
    void twoChartsShareTheirSteps();
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

void TestLineChart::followsUntilZoomedThenHolds()
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

void TestLineChart::holdsThroughSettings()
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

void TestLineChart::zoomBoxWheelAndPan()
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

void TestLineChart::escapeCancels()
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

void TestLineChart::keysMoveTheCrossHair()
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

void TestLineChart::keysZoomAndChoose()
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

void TestLineChart::crossHairSnapsToLoggedSteps()
{
    Desk desk;
    QTest::mouseMove(desk.chart.get(), desk.at(0.3337, 0.4));
    QTRY_VERIFY(desk.view.crossHair());
    QCOMPARE(std::fmod(*desk.view.crossHair(), 100.0), 0.0);
    QVERIFY(std::abs(*desk.view.crossHair() - 3337) <= 60 + 20);
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

void TestLineChart::clickingLabels()
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
    QCOMPARE(desk.chart->accessibleDescription(), u"Step 300: curve a 0.500, curve b 0.250"_s);
    desk.view.setCrossHair(std::nullopt);
    QCOMPARE(desk.chart->accessibleDescription(), QString());
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

void TestLineChart::twoChartsShareTheirSteps()
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
    QVERIFY(other.accessibleDescription().startsWith("Step 500"_L1));
}

QTEST_MAIN(TestLineChart)
#include "test_line_chart.moc"
