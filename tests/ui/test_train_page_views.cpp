// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Views of the training page: figure, table, history of zooms, what is remembered, theme.
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QStyleFactory>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/figure_helpers.h"
#include "tests/ui/train_desk.h"
#include "ui/dialogs/numbers_dialog.h"
#include "ui/models/csv_model.h"
#include "ui/pages/train_page.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using lookback::tests::FakeRunService;
using lookback::tests::TrainDesk;

class TestTrainPageViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void figureIsWhatIsSeen();
    void numbersAreATable();
    void historyOfViews();
    void viewStateIsRemembered();
    void themeChange();
};

void TestTrainPageViews::initTestCase()
{
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QApplication::setPalette(Theme::light().palette());
}

void TestTrainPageViews::figureIsWhatIsSeen()
{
    TrainDesk desk;
    desk.train({"rope", "hybrid_square"});
    desk.advance(10);
    desk.runs.setShown(desk.runs.order()[1], false);
    const auto figure = desk.page.figure();
    QVERIFY(figure);
    const auto records = parseCsv(figure->csv());
    for (std::size_t i = 1; i < records.size(); ++i)
        QCOMPARE(records[i][2], u"rope"_s);
    QCOMPARE(records.size(), 1 + desk.runs.find(desk.runs.order()[0])->metrics().size());
    QVERIFY(figure->provenance().join(u' ').contains("lookback-cli train --variant rope"_L1));
    const QImage image = renderFigure(*figure, {});
    QVERIFY(tests::countPixels(image, desk.runs.styleOf(desk.runs.order()[0], Theme::light()).line) > 100);
    QCOMPARE(tests::countPixels(image, desk.runs.styleOf(desk.runs.order()[1], Theme::light()).line), 0);
}

void TestTrainPageViews::numbersAreATable()
{
    TrainDesk desk;
    desk.train({"rope"});
    desk.advance(4);
    QTest::mouseClick(desk.find<QToolButton>(u"numbersButton"_s), Qt::LeftButton);
    auto *dialog = desk.page.findChild<NumbersDialog *>();
    QVERIFY(dialog && dialog->isVisible());
    const auto *table = dialog->findChild<QTableView *>();
    QCOMPARE(table->model()->rowCount(), int(desk.runs.find(desk.runs.order()[0])->metrics().size()));
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"copyCsvButton"_s), Qt::LeftButton);
    QVERIFY(QApplication::clipboard()->text().startsWith("run,title,variant"_L1));
    dialog->reject();
}

void TestTrainPageViews::historyOfViews()
{
    TrainDesk desk;
    desk.train({"rope"});
    desk.advance(10);
    QVERIFY(!desk.page.canGoBack());
    QSignalSpy abilities(&desk.page, &Page::abilitiesChanged);
    const Range whole = desk.page.lossChart()->xAxis().range;
    desk.page.zoomIn();
    QVERIFY(desk.page.canGoBack());
    QVERIFY(!abilities.isEmpty());
    const Range zoomed = desk.page.lossChart()->xAxis().range;
    desk.page.goBack();
    QTRY_COMPARE(desk.page.lossChart()->xAxis().range, whole);
    QVERIFY(desk.page.canGoForward());
    desk.page.goForward();
    QTRY_COMPARE(desk.page.lossChart()->xAxis().range, zoomed);
}

void TestTrainPageViews::viewStateIsRemembered()
{
    TrainDesk first;
    first.find<QComboBox>(u"stepScale"_s)->setCurrentIndex(1);
    first.find<QSlider>(u"smoothing"_s)->setValue(70);
    TrainDesk second;
    second.page.restoreViewState(first.page.viewState());
    QCOMPARE(second.find<QComboBox>(u"stepScale"_s)->currentIndex(), 1);
    QCOMPARE(second.find<QSlider>(u"smoothing"_s)->value(), 70);
    second.page.restoreViewState(
        {{u"stepScale"_s, 77}, {u"smoothing"_s, u"x"_s}, {u"splitter"_s, 5}}); // nonsense does no harm
    QCOMPARE(second.find<QComboBox>(u"stepScale"_s)->currentIndex(), 1);
}

void TestTrainPageViews::themeChange()
{
    TrainDesk desk;
    desk.train({"rope"});
    desk.advance(3);
    QApplication::setPalette(Theme::dark().palette());
    QTRY_COMPARE(desk.page.lossChart()->curves()[0].style.line, Theme::dark().shades[0][0].line);
    QTRY_COMPARE(desk.page.lossChart()->grab().toImage().pixelColor(4, 4), Theme::dark().base);
    QApplication::setPalette(Theme::light().palette());
    QTRY_COMPARE(desk.page.lossChart()->curves()[0].style.line, Theme::light().shades[0][0].line);
}

QTEST_MAIN(TestTrainPageViews)
#include "test_train_page_views.moc"
