// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStyleFactory>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "tests/patience.h"
#include "tests/ui/accuracy_desk.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/figure_helpers.h"
#include "ui/bridge/run_bridge.h"
#include "ui/dialogs/evaluate_dialog.h"
#include "ui/models/csv_model.h"
#include "ui/pages/accuracy_page.h"
#include "ui/pages/comparison_panel.h"
#include "ui/pages/evaluation_panel.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using lookback::tests::AccuracyDesk;
using lookback::tests::FakeRunService;

namespace {

AccuracyFigureCurve curveOf(const std::string &variant, const std::vector<std::int64_t> &exact)
{
    AccuracyFigureCurve curve;
    curve.run.record.config = tests::paperConfig(variant);
    curve.curve.evaluationSeed = 1;
    eval::AccuracyPoint point;
    point.n_keys = 64;
    point.contextTokens = 1024;
    point.sequences = std::int64_t(exact.size());
    point.answers = 64 * point.sequences;
    point.exactBySequence = exact;
    for (const std::int64_t right : exact)
        point.exact += right;
    point.accuracy = double(point.exact) / double(point.answers);
    curve.curve.points = {point};
    return curve;
}

} // namespace

class TestAccuracyPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void publishedCurvesAreThereFromTheStart();
    void modelIsAModel();
    void curvesLieWhereTheNumbersAre();
    void valuesFollowThePointer();
    void switchesHideCurves();
    void selectionGoesBothWays();
    void errorRate();
    void unfinishedRunsCarryTheirStep();
    void comparisonInWords();
    void comparisonRefusesOtherSequences();
    void hiddenPageWaits();
    void figureIsWhatIsSeen();
    void listBeginsWithValuesOfOwnRuns();
    void buttonsAreWholeInANarrowWindow();
    void seedsBecomeABand();
};

void TestAccuracyPage::initTestCase()
{
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QApplication::setPalette(Theme::light().palette());
}

void TestAccuracyPage::publishedCurvesAreThereFromTheStart()
{
    AccuracyDesk desk(std::vector<std::string>{});
    QCOMPARE(desk.page->chart()->curves().size(), std::size_t(9));
    for (const ChartCurve &curve : desk.page->chart()->curves())
        QVERIFY(curve.isShown && curve.style.isHollow && curve.label.endsWith("published"_L1));
    QVERIFY(desk.page->figure());
    QVERIFY(!desk.find<QPushButton>(u"evaluateCheckpointButton"_s)->isEnabled());
    QVERIFY(desk.find<QPushButton>(u"evaluateCheckpointButton"_s)->toolTip().contains("checkpoint"_L1));
    QVERIFY(desk.find<QLabel>(u"accuracyCaption"_s)->text().contains("128 sequences a point"_L1));
}

void TestAccuracyPage::modelIsAModel()
{
    AccuracyDesk desk;
    AccuracyModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setEntries(desk.own(), desk.published());
    QCOMPARE(model.rowCount(model.groupIndex(AccuracyModel::OwnGroup)), 2);
    QCOMPARE(model.rowCount(model.groupIndex(AccuracyModel::PublishedGroup)), 9);
    model.setContext(1024, false);
    model.setEntries(desk.own(), {});
    model.setEntries({}, {});
}

void TestAccuracyPage::curvesLieWhereTheNumbersAre()
{
    AccuracyDesk desk({"hybrid_square_kda"});
    desk.find<QPushButton>(u"allPublishedButton"_s)->click();
    desk.settle();
    const QImage image = desk.page->chart()->grab().toImage();
    const QColor line = Theme::light().seriesStyle(model::Family::Kda, model::LogitForm::Squared).line;
    for (const eval::AccuracyPoint &point : desk.own()[0].curve.curve.points) {
        const QPointF place = desk.page->chart()->positionOf(double(point.contextTokens), point.accuracy);
        QCOMPARE(image.pixelColor(int(place.x()), int(place.y())).name(), line.name());
    }
}

void TestAccuracyPage::valuesFollowThePointer()
{
    AccuracyDesk desk;
    auto *where = desk.find<QLabel>(u"pointerText"_s);
    QCOMPARE(where->text(), u"at n = 256, 4,096 tokens"_s);
    QTest::keyClick(desk.page->chart(), Qt::Key_Home);
    QCOMPARE(where->text(), u"at the pointer: n = 8, 128 tokens"_s);
    QTest::keyClick(desk.page->chart(), Qt::Key_Right);
    QVERIFY(where->text().contains("n = 12"_L1));
    // The mouse snaps to evaluated lengths.
    QTest::mouseMove(desk.page->chart(), desk.page->chart()->positionOf(1100, 0.5).toPoint());
    QTRY_VERIFY(where->text().contains("n = 64, 1,024 tokens"_L1));
}

void TestAccuracyPage::switchesHideCurves()
{
    AccuracyDesk desk;
    auto *list = desk.find<QTreeView>(u"accuracyList"_s);
    const QString key = desk.own()[1].key;
    list->setCurrentIndex(desk.page->model()->indexOf(key));
    QTest::keyClick(list, Qt::Key_Space);
    QVERIFY(!desk.curve(key)->isShown);
    QTest::keyClick(list, Qt::Key_Space);
    QVERIFY(desk.curve(key)->isShown);
    // The runs dock's switch too, and all published curves at once.
    desk.runs->setShown(desk.own()[1].runId.toStdString(), false);
    QVERIFY(!desk.curve(key)->isShown);
    desk.find<QPushButton>(u"allPublishedButton"_s)->click();
    for (const AccuracyModel::Entry &entry : desk.published())
        QVERIFY(!entry.isShown);
    QVERIFY(!desk.find<QLabel>(u"accuracyCaption"_s)->text().contains("published"_L1));
}

void TestAccuracyPage::selectionGoesBothWays()
{
    AccuracyDesk desk;
    desk.runs->select(desk.own()[1].runId.toStdString());
    QVERIFY(desk.curve(desk.own()[1].key)->isSelected);
    Q_EMIT desk.page->chart()->curveChosen(desk.own()[0].key);
    QCOMPARE(desk.runs->selected(), desk.own()[0].runId.toStdString());
    Q_EMIT desk.page->chart()->curveChosen(desk.published()[3].key); // published ones are no runs
    QVERIFY(desk.curve(desk.published()[3].key)->isSelected);
    QCOMPARE(desk.runs->selected(), desk.own()[0].runId.toStdString());
}

void TestAccuracyPage::errorRate()
{
    AccuracyDesk desk;
    desk.find<QToolButton>(u"errorButton"_s)->click();
    desk.settle();
    QCOMPARE(desk.page->chart()->yAxis().scale, Scale::Log10);
    const auto points = desk.page->chart()->data(desk.own()[0].key)->points();
    QVERIFY(std::abs(*points[0].y - (1 - desk.own()[0].curve.curve.points[0].accuracy)) < 1e-12);
    QCOMPARE(desk.page->figure()->fileName(), u"error_rate_vs_context"_s);
    desk.find<QToolButton>(u"exactButton"_s)->click();
    desk.settle();
    QCOMPARE(desk.page->chart()->yAxis().scale, Scale::Linear);
}

void TestAccuracyPage::unfinishedRunsCarryTheirStep()
{
    AccuracyDesk desk({"rope"});
    const RunConfig config = tests::paperConfig("rope");
    const run::AccuracyUpdate update{desk.ids[0], {FakeRunService::scriptedAccuracy(config, 2000, {8, 16, 32}, 128)}};
    Q_EMIT desk.bridge->accuracyArrived({update});
    QVERIFY(desk.own()[0].name.contains("step 2,000 of 15,000"_L1));
    QVERIFY(desk.curve(desk.own()[0].key)->label.contains("step 2,000 of 15,000"_L1));
    QVERIFY(desk.page->figure()->csv().contains("step 2,000 of 15,000"_L1));
}

void TestAccuracyPage::comparisonInWords()
{
    const auto better = curveOf("hybrid_square", {64, 63, 64, 64, 63, 64, 64, 64});
    const auto worse = curveOf("rope", {20, 25, 22, 24, 21, 23, 22, 26});
    const ComparisonText difference = compareAt(better, worse, 1024);
    QVERIFY2(difference.isDifference && difference.text.startsWith("n = 64: +"_L1), qPrintable(difference.text));
    QVERIFY(compareAt(worse, better, 1024).text.startsWith(u"n = 64: −"_s));
    const auto equal = curveOf("hybrid", {64, 64, 63, 64, 64, 63, 64, 64});
    const ComparisonText none = compareAt(better, equal, 1024);
    QVERIFY2(!none.isDifference && none.text.contains("no difference shown"_L1), qPrintable(none.text));
    QVERIFY(compareAt(better, worse, 2048).text.contains("not evaluated for both"_L1));

    AccuracyDesk desk;
    const auto *panel = desk.page->findChild<ComparisonPanel *>();
    QTest::keyClick(desk.page->chart(), Qt::Key_Home);
    QVERIFY(panel->lines()[0].startsWith("n = 8:"_L1));
    QVERIFY(panel->lines()[1].startsWith("n = 256:"_L1));
}

void TestAccuracyPage::comparisonRefusesOtherSequences()
{
    const auto first = curveOf("hybrid", {64, 63, 64});
    auto otherSeed = curveOf("rope", {20, 25, 22});
    otherSeed.curve.evaluationSeed = 2;
    auto otherDigits = curveOf("rope", {20, 25, 22});
    otherDigits.run.record.config.key_digits = 4;
    for (const AccuracyFigureCurve &second : {otherSeed, otherDigits, curveOf("rope", {20, 25})})
        QVERIFY(compareAt(first, second, 1024).text.contains("not the same sequences"_L1));
}

void TestAccuracyPage::hiddenPageWaits()
{
    AccuracyDesk desk({"rope"});
    desk.page->hide();
    QSignalSpy refreshed(desk.page->chart(), &LineChart::refreshed);
    const RunConfig config = tests::paperConfig("rope");
    const run::AccuracyUpdate update{desk.ids[0], {FakeRunService::scriptedAccuracy(config, 15000, {8, 16}, 32)}};
    Q_EMIT desk.bridge->accuracyArrived({update});
    QCOMPARE(desk.own()[0].curve.curve.points.size(), std::size_t(12));
    QCOMPARE(refreshed.size(), 0);
    desk.page->show();
    QCOMPARE(desk.own()[0].curve.curve.points.size(), std::size_t(2));
}

void TestAccuracyPage::figureIsWhatIsSeen()
{
    AccuracyDesk desk;
    desk.find<QPushButton>(u"allPublishedButton"_s)->click();
    Q_EMIT desk.page->chart()->curveToggled(desk.own()[0].key);
    const auto figure = desk.page->figure();
    const auto records = parseCsv(figure->csv());
    QCOMPARE(records.size(), std::size_t(1 + 12));
    QCOMPARE(records[1][2].toStdString(), desk.own()[1].curve.curve.variant);
    desk.page->zoomIn();
    desk.settle();
    QVERIFY(renderFigure(*desk.page->figure(), {}) != renderFigure(*figure, {})); // the zoomed view is exported
    desk.page->goBack();
    desk.settle();
    QCOMPARE(renderFigure(*desk.page->figure(), {}), renderFigure(*figure, {}));
}

void TestAccuracyPage::listBeginsWithValuesOfOwnRuns()
{
    AccuracyDesk desk(std::vector<std::string>{});
    QCOMPARE(desk.page->model()->context(), 4096); // of the published curves
    RunConfig config = tests::paperConfig("rope");
    config.evaluation_n = {2, 4, 8, 32};
    desk.service.addRun(config, run::RunState::Finished, 15000);
    QTRY_COMPARE(desk.evaluated(), std::size_t(1));
    QCOMPARE(desk.page->model()->context(), 32 * 16);
    const QModelIndex row = desk.page->model()->indexOf(desk.own()[0].key);
    QVERIFY(row.siblingAtColumn(AccuracyModel::ExactColumn).data().toString() != u"–"_s);
}

void TestAccuracyPage::buttonsAreWholeInANarrowWindow()
{
    AccuracyDesk desk;
    for (const int width : {1024, 1100, 1440}) {
        desk.page->resize(width, 600);
        QRect before;
        for (const QString &name : {u"exactButton"_s, u"errorButton"_s}) {
            const auto *button = desk.find<QToolButton>(name);
            QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(u"%1 at %2"_s.arg(name).arg(width)));
            const QRect place = button->geometry();
            QVERIFY(!place.intersects(before));
            before = place;
        }
        const auto *last = desk.find<QToolButton>(u"exportButton"_s);
        QVERIFY(last->geometry().right() <= last->parentWidget()->width());
    }
}

void TestAccuracyPage::seedsBecomeABand()
{
    AccuracyDesk desk({"rope"});
    auto *button = desk.find<QPushButton>(u"seedBandButton"_s);
    QVERIFY(!button->isEnabled());
    QVERIFY(button->toolTip().contains("no two"_L1));
    for (const std::uint64_t seed : {1, 2})
        desk.ids.push_back(desk.service.addRun(tests::paperConfig("rope", seed), run::RunState::Finished, 15000));
    QTRY_COMPARE(desk.evaluated(), std::size_t(3));
    QVERIFY(button->isEnabled());
    button->click();
    // The band stands before its seeds: median, lowest and highest of them.
    QCOMPARE(desk.own().size(), std::size_t(4));
    const AccuracyModel::Entry &band = desk.own()[0];
    QCOMPARE(band.name, u"rope · 3 of 3 seeds"_s);
    QCOMPARE(band.curve.learned, u"0 of 3 seeds of rope learned"_s);
    for (const eval::AccuracyPoint &point : band.curve.curve.points) {
        std::vector<double> values;
        for (std::size_t i = 1; i < 4; ++i)
            values.push_back(pointAt(desk.own()[i].curve.curve, point.contextTokens)->accuracy);
        std::ranges::sort(values);
        QCOMPARE(point.low, values[0]);
        QCOMPARE(point.accuracy, values[1]);
        QCOMPARE(point.high, values[2]);
    }
    QCOMPARE(desk.curve(band.key)->label, band.name);
    const QString seed = desk.own()[2].key;
    QVERIFY(desk.curve(seed)->isFaint && desk.curve(seed)->isShown && desk.curve(seed)->label.isEmpty());
    // An outlier can be chosen, and taken out: the band says so.
    Q_EMIT desk.page->chart()->curveChosen(seed);
    QVERIFY(desk.curve(seed)->isSelected);
    QCOMPARE(desk.curve(seed)->label, desk.own()[2].curve.run.title);
    Q_EMIT desk.page->chart()->curveToggled(seed);
    QCOMPARE(desk.own()[0].name, u"rope · 2 of 3 seeds"_s);
    QVERIFY(!desk.curve(seed)->isShown);
    // Without the band they are curves like others.
    Q_EMIT desk.page->chart()->curveToggled(desk.own()[0].key);
    QVERIFY(!desk.curve(desk.own()[1].key)->isFaint);
    Q_EMIT desk.page->chart()->curveToggled(desk.own()[0].key);
    QVERIFY(desk.curve(desk.own()[1].key)->isFaint);
    QVERIFY(desk.find<QLabel>(u"accuracyCaption"_s)->text().contains("each seed as a hair line"_L1));
    const QVariantMap state = desk.page->viewState();
    button->click();
    QCOMPARE(desk.own().size(), std::size_t(3));
    desk.page->restoreViewState(state);
    QCOMPARE(desk.own().size(), std::size_t(4));
}

QTEST_MAIN(TestAccuracyPage)
#include "test_accuracy_page.moc"
