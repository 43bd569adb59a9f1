// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QStyleFactory>
#include <QTest>
#include <QToolButton>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/figure_helpers.h"
#include "tests/ui/train_desk.h"
#include "ui/bridge/run_bridge.h"
#include "ui/pages/readout_frame.h"
#include "ui/pages/train_page.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using lookback::tests::FakeRunService;
using lookback::tests::TrainDesk;

class TestTrainPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void emptyPageSaysWhatWillBeHere();
    void pointsArriveInBothCharts();
    void hiddenPagesWait();
    void hidingARunHidesItsCurves();
    void continuedRunsAreDrawnAnew();
    void readOutNamesAllRuns();
    void brokenLossIsNotHidden();
    void followButtonAndZoom();
    void stepsAndSmoothing();
    void selectionGoesBothWays();
    void removedRunsGo();
    void everythingHasAName();
    void seedsBecomeABand();
};

void TestTrainPage::initTestCase()
{
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QApplication::setPalette(Theme::light().palette());
}

void TestTrainPage::emptyPageSaysWhatWillBeHere()
{
    TrainDesk desk;
    QVERIFY(!desk.page.lossChart()->isVisible());
    QVERIFY(!desk.page.figure());
    QVERIFY(!desk.page.canZoom());
    QVERIFY(!desk.find<QToolButton>(u"exportButton"_s)->isEnabled());
    desk.train({"rope"});
    QTRY_VERIFY(desk.page.lossChart()->isVisible());
    QVERIFY(desk.page.canZoom());
    QVERIFY(desk.find<QToolButton>(u"exportButton"_s)->isEnabled());
}

void TestTrainPage::pointsArriveInBothCharts()
{
    TrainDesk desk;
    desk.train({"rope", "hybrid_square"});
    desk.advance(5);
    for (const run::RunId &id : desk.runs.order()) {
        const QString key = QString::fromStdString(id);
        for (const LineChart *chart : {desk.page.lossChart(), desk.page.accuracyChart()}) {
            const auto points = chart->data(key)->points();
            QVERIFY(points.size() >= 5);
            const RunCollection::Run *run = desk.runs.find(id);
            for (std::size_t i = 0; i < points.size(); ++i) {
                QCOMPARE(points[i].x, double(run->metrics()[i].step));
                QCOMPARE(points[i].y,
                         chart == desk.page.lossChart() ? run->metrics()[i].loss : run->metrics()[i].retrievalAcc);
            }
        }
    }
    desk.advance(5); // appended, not doubled
    QCOMPARE(desk.pointsOf(desk.runs.order()[0]), desk.runs.find(desk.runs.order()[0])->metrics().size());
    // Colours of both runs are in the picture, in both charts.
    for (LineChart *chart : {desk.page.lossChart(), desk.page.accuracyChart()}) {
        QSignalSpy refreshed(chart, &LineChart::refreshed);
        QTRY_VERIFY(!refreshed.isEmpty()
                    || tests::countPixels(chart->grab().toImage(), Theme::light().shades[0][0].line) > 5);
        for (const run::RunId &id : desk.runs.order())
            QTRY_VERIFY(tests::countPixels(chart->grab().toImage(), desk.runs.styleOf(id, Theme::light()).line) > 5);
    }
}

void TestTrainPage::hiddenPagesWait()
{
    TrainDesk desk;
    desk.train({"rope"});
    desk.advance(3);
    const run::RunId id = desk.runs.order()[0];
    const std::size_t before = desk.pointsOf(id);
    desk.page.hide();
    QSignalSpy refreshed(desk.page.lossChart(), &LineChart::refreshed);
    QSignalSpy arrived(&desk.runs, &RunCollection::metricsChanged);
    for (int i = 0; i < 10; ++i)
        desk.service.advance(100);
    QTRY_VERIFY(!arrived.isEmpty());
    QCOMPARE(desk.pointsOf(id), before);
    QCOMPARE(refreshed.size(), 0);
    desk.page.show();
    QCOMPARE(desk.pointsOf(id), desk.runs.find(id)->metrics().size());
}

void TestTrainPage::hidingARunHidesItsCurves()
{
    TrainDesk desk;
    desk.train({"rope", "hybrid"});
    desk.advance(4);
    const run::RunId id = desk.runs.order()[0];
    const SeriesStyle other = desk.runs.styleOf(desk.runs.order()[1], Theme::light());
    desk.runs.setShown(id, false);
    for (const LineChart *chart : {desk.page.lossChart(), desk.page.accuracyChart()}) {
        for (const ChartCurve &curve : chart->curves())
            QCOMPARE(curve.isShown, curve.id.toStdString() != id);
    }
    QCOMPARE(desk.runs.styleOf(desk.runs.order()[1], Theme::light()), other);
    // The same by key: Space in the chart hides the selected run.
    desk.runs.select(desk.runs.order()[1]);
    QTest::keyClick(desk.page.lossChart(), Qt::Key_Space);
    QVERIFY(!desk.runs.find(desk.runs.order()[1])->isShown);
    QVERIFY(!desk.page.figure()); // nothing is shown
}

void TestTrainPage::continuedRunsAreDrawnAnew()
{
    TrainDesk desk;
    desk.train({"rope"});
    desk.advance(12);
    const run::RunId id = desk.runs.order()[0];
    // The log is cut back to a checkpoint and goes on with other values.
    run::MetricsUpdate update;
    update.run = id;
    run::MetricsRecord record;
    record.step = 500;
    record.loss = 1.25;
    record.retrievalAcc = 0.5;
    update.records = {record};
    Q_EMIT desk.bridge.metricsArrived({update});
    const auto points = desk.page.lossChart()->data(QString::fromStdString(id))->points();
    QCOMPARE(points.back().x, 500.0);
    QCOMPARE(*points.back().y, 1.25);
    for (std::size_t i = 1; i < points.size(); ++i)
        QVERIFY(points[i].x > points[i - 1].x); // never back and forth
}

void TestTrainPage::readOutNamesAllRuns()
{
    TrainDesk desk;
    desk.train({"rope", "hybrid_square", "hybrid"});
    desk.advance(8);
    auto *readout = desk.page.findChild<ReadoutFrame *>();
    QVERIFY(!readout->isVisible());
    QTest::keyClick(desk.page.lossChart(), Qt::Key_End);
    QTest::keyClick(desk.page.lossChart(), Qt::Key_Left);
    QTRY_VERIFY(readout->isVisible());
    QVERIFY(readout->head().startsWith("Step "_L1));
    QCOMPARE(readout->rows().size(), std::size_t(3));
    // By accuracy, best first; the values are logged ones.
    double last = 2;
    for (const ReadoutFrame::Row &row : readout->rows()) {
        QCOMPARE(row.values.size(), 2);
        const double accuracy = row.values[1].chopped(2).toDouble();
        QVERIFY(accuracy <= last * 100);
        last = accuracy / 100;
    }
    QVERIFY(desk.page.rect().contains(readout->geometry()));
    QTest::keyClick(desk.page.lossChart(), Qt::Key_Escape);
    QVERIFY(!readout->isVisible());
}

void TestTrainPage::brokenLossIsNotHidden()
{
    TrainDesk desk;
    desk.service.breakLossAt("rope", 400);
    desk.train({"rope"});
    desk.advance(8);
    QTest::keyClick(desk.page.lossChart(), Qt::Key_End);
    auto *readout = desk.page.findChild<ReadoutFrame *>();
    QTRY_VERIFY(readout->isVisible());
    QCOMPARE(readout->rows().at(0).values.at(0), u"not a number"_s);
    QTRY_VERIFY(tests::countPixels(desk.page.lossChart()->grab().toImage(), Theme::light().wrong) > 0);
    const auto figure = desk.page.figure();
    QVERIFY(figure->provenance().join(u' ').contains("loss not a number from step 400"_L1));
}

void TestTrainPage::followButtonAndZoom()
{
    TrainDesk desk;
    desk.train({"rope"});
    desk.advance(6);
    auto *follow = desk.find<QToolButton>(u"followButton"_s);
    QVERIFY(follow->isChecked());
    desk.page.zoomIn();
    QVERIFY(!follow->isChecked());
    const Range held = desk.page.lossChart()->xAxis().range;
    desk.advance(20);
    QCOMPARE(desk.page.lossChart()->xAxis().range, held);
    QTest::mouseClick(follow, Qt::LeftButton);
    QVERIFY(follow->isChecked());
    QTRY_VERIFY(desk.page.lossChart()->xAxis().range.upper >= 2500);
    QTRY_COMPARE(desk.page.accuracyChart()->xAxis().range, desk.page.lossChart()->xAxis().range);
}

void TestTrainPage::stepsAndSmoothing()
{
    TrainDesk desk;
    desk.train({"rope"});
    desk.advance(10);
    desk.find<QComboBox>(u"stepScale"_s)->setCurrentIndex(1);
    QTRY_COMPARE(desk.page.lossChart()->xAxis().scale, Scale::Log10);
    QCOMPARE(desk.page.lossChart()->xAxis().range.lower, 1.0);
    desk.find<QSlider>(u"smoothing"_s)->setValue(90);
    const auto figure = desk.page.figure();
    QVERIFY(figure->provenance().join(u' ').contains("Smoothed 0.9"_L1));
    QVERIFY(!desk.find<QSlider>(u"smoothing"_s)->accessibleDescription().isEmpty());
}

void TestTrainPage::selectionGoesBothWays()
{
    TrainDesk desk;
    desk.train({"rope", "hybrid"});
    desk.advance(3);
    desk.runs.select(desk.runs.order()[1]);
    for (const ChartCurve &curve : desk.page.lossChart()->curves())
        QCOMPARE(curve.isSelected, curve.id.toStdString() == desk.runs.order()[1]);
    QTest::keyClick(desk.page.accuracyChart(), Qt::Key_Up);
    QCOMPARE(desk.runs.selected(), desk.runs.order()[0]);
}

void TestTrainPage::removedRunsGo()
{
    TrainDesk desk;
    desk.train({"rope", "hybrid"}, 300);
    desk.service.advanceToEnd();
    QTRY_VERIFY(!desk.service.isActive()
                && desk.runs.find(desk.runs.order()[0])->snapshot.state == run::RunState::Finished);
    const run::RunId id = desk.runs.order()[0];
    desk.service.removeFromView(id);
    QTRY_COMPARE(desk.runs.order().size(), std::size_t(1));
    QVERIFY(!desk.page.lossChart()->data(QString::fromStdString(id)));
    QCOMPARE(desk.page.lossChart()->curves().size(), std::size_t(1));
}

void TestTrainPage::everythingHasAName()
{
    TrainDesk desk;
    for (const QWidget *widget : desk.page.findChildren<QWidget *>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(&desk.page))
            continue;
        QVERIFY2(!widget->accessibleName().isEmpty() || !widget->toolTip().isEmpty(), qPrintable(widget->objectName()));
    }
}

void TestTrainPage::seedsBecomeABand()
{
    TrainDesk desk;
    auto *button = desk.find<QToolButton>(u"seedBandButton"_s);
    std::vector<run::RunId> ids;
    for (const std::uint64_t seed : {0, 1, 2})
        ids.push_back(desk.service.addRun(tests::paperConfig("rope", seed), run::RunState::Finished, 15000));
    ids.push_back(desk.service.addRun(tests::paperConfig("hybrid"), run::RunState::Finished, 15000));
    QTRY_COMPARE(desk.page.lossChart()->curves().size(), std::size_t(4));
    for (const run::RunId &id : ids)
        QTRY_VERIFY(desk.pointsOf(id) > 100);
    QVERIFY(button->isEnabled());
    button->click();
    QCOMPARE(desk.page.lossChart()->curves().size(), std::size_t(5));
    const ChartCurve band = desk.page.lossChart()->curves().back();
    QCOMPARE(band.label, u"rope · 3 of 3 seeds"_s);
    // Median, lowest and highest of the logged values.
    for (const LineChart *chart : {desk.page.lossChart(), desk.page.accuracyChart()}) {
        const CurveData *data = chart->data(band.id);
        QCOMPARE(data->points().size(), desk.pointsOf(ids[0]));
        for (std::size_t i = 0; i < data->points().size(); ++i) {
            std::vector<double> values;
            for (std::size_t seed = 0; seed < 3; ++seed)
                values.push_back(*chart->data(QString::fromStdString(ids[seed]))->points()[i].y);
            std::ranges::sort(values);
            QCOMPARE(*data->points()[i].y, values[1]);
            QVERIFY((data->intervals()[i] == IntervalPoint{data->points()[i].x, values[0], values[2]}));
        }
    }
    const auto curveOf = [&](const run::RunId &id) {
        return *std::ranges::find(desk.page.lossChart()->curves(), QString::fromStdString(id), &ChartCurve::id);
    };
    QVERIFY(curveOf(ids[0]).isFaint && curveOf(ids[0]).label.isEmpty());
    QVERIFY(!curveOf(ids[3]).isFaint);
    QVERIFY2(button->toolTip().contains(u" of 3 seeds of rope learned\nLearned: at least 95"_s),
             qPrintable(button->toolTip()));
    // An outlier can be chosen, and taken out.
    Q_EMIT desk.page.lossChart()->curveChosen(QString::fromStdString(ids[1]));
    QVERIFY(curveOf(ids[1]).isSelected);
    QCOMPARE(curveOf(ids[1]).label, desk.runs.find(ids[1])->title);
    Q_EMIT desk.page.lossChart()->curveChosen(band.id); // is no run
    QCOMPARE(desk.runs.selected(), ids[1]);
    desk.runs.setShown(ids[1], false);
    QCOMPARE(desk.page.lossChart()->curves().back().label, u"rope · 2 of 3 seeds"_s);
    QVERIFY(desk.page.figure()->csv().contains(u"rope · 2 of 3 seeds"_s));
    const QVariantMap state = desk.page.viewState();
    button->click();
    QCOMPARE(desk.page.lossChart()->curves().size(), std::size_t(4));
    desk.page.restoreViewState(state);
    QCOMPARE(desk.page.lossChart()->curves().size(), std::size_t(5));
}

QTEST_MAIN(TestTrainPage)
#include "test_train_page.moc"
