// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <memory>

#include "tests/ui/fixture_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/figures/figure.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

/// A service, what hangs on it, and the page.
struct Desk {
    Desk()
    {
        page.setPalette(Theme::dark().palette());
        page.resize(1440, 800);
    }
    tests::FixtureService service;
    RunBridge bridge{&service};
    RunCollection collection{&bridge};
    AttentionPage page{&bridge, &collection};

    bool hasCall(const std::string &start) const
    {
        return std::ranges::any_of(service.calls(), [&](const std::string &call) { return call.starts_with(start); });
    }
    qsizetype count(const std::string &start) const
    {
        return std::ranges::count_if(service.calls(), [&](const std::string &call) { return call.starts_with(start); });
    }
};

template <typename Widget> Widget *find(const QWidget &page, QLatin1StringView name)
{
    return page.findChild<Widget *>(name);
}

} // namespace

class TestAttentionPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(u"fusion"_s); }

    // The mockup's example: what the page shows are the numbers of the fixture.
    void showsTheFixture()
    {
        Desk desk;
        const run::RunId run = desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.page.chooseHead({3, 2});
        desk.page.chooseAnswer(1, 0);
        QTRY_VERIFY(desk.page.isUpToDate());
        HeadMapView *view = desk.page.view();
        QCOMPARE(view->cell(), (MapCell{52, 37}));
        const auto map = tests::headOf(desk.service.fixture(run), 3, 2);
        QCOMPARE(view->values()->map(), *map);
        QVERIFY(std::abs(map->at(52, 0) - 0.32F) < 0.005F);
        QVERIFY(std::abs(map->at(52, 5) - 0.24F) < 0.005F);
        QVERIFY(std::abs(map->at(52, 37) - 0.25F) < 0.005F);
        QVERIFY2(desk.page.sentence().startsWith(u"Query 52 predicts the first value digit of key 442"_s),
                 qPrintable(desk.page.sentence()));
        QVERIFY(desk.page.sentence().contains(u"0.25"_s));
        QCOMPARE(find<QLabel>(desk.page, "headTitle"_L1)->text(), u"Layer 3, head 2"_s);
        QCOMPARE(find<QLabel>(desk.page, "verdict"_L1)->text(), u"wrong, 0 of 3"_s);
        QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(view);
        QCOMPARE(interface->text(QAccessible::Value), desk.page.sentence());

        // Pixels, with what lies over the cells switched off.
        MapDrawing drawing;
        drawing.hasEntries = drawing.hasOccurrences = false;
        find<MapBar>(desk.page, "mapBar"_L1)->setDrawing(drawing);
        view->setFit(HeadMapView::Fit::Whole);
        QImage image(view->viewport()->size(), QImage::Format_RGB32);
        view->viewport()->render(&image);
        const ColourTable colours(ColourMap::Magma, ColourScale::shared());
        for (int query = 0; query < 79; ++query) {
            for (int key = 0; key < 79; ++key) {
                if (std::abs(query - 52) <= 1)
                    continue; // the frame of the query row
                const QPoint place(static_cast<int>(view->keys().centre(key)),
                                   static_cast<int>(view->queries().centre(query)));
                const QRgb expected = key <= query ? colours.colourOf(map->at(query, key)) : Theme::dark().mask.rgb();
                QCOMPARE(image.pixel(place), expected);
            }
        }
    }

    void listsAnswersWithMarks()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        auto *table = find<QTableView>(desk.page, "answerTable"_L1);
        QCOMPARE(table->model()->rowCount(), 5);
        const QModelIndex third = table->model()->index(2, AnswerModel::Predicted);
        const auto run = third.data(AnswerModel::DigitsRole).value<DigitRun>();
        QCOMPARE(run.digits, u"287"_s);
        QCOMPARE(run.isRight, (QList<bool>{false, false, true}));
        QCOMPARE(third.data(Qt::AccessibleTextRole).toString(), u"2 wrong, 8 wrong, 7 right"_s);
        table->selectRow(2);
        QCOMPARE(desk.page.view()->cell().query, 7 * 8 + 4);
        QTest::mouseClick(find<QAbstractButton>(desk.page, "valueDigit2"_L1), Qt::LeftButton);
        QCOMPARE(desk.page.view()->cell().query, 7 * 8 + 6);
        QCOMPARE(find<QAbstractButton>(desk.page, "valueDigit2"_L1)->text(), u"7"_s);
    }

    void keyboard()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.page.chooseHead({3, 3});
        desk.page.chooseAnswer(0, 0);
        HeadMapView *view = desk.page.view();
        QTest::keyClick(view, Qt::Key_BracketRight); // round to the first head
        QCOMPARE(desk.page.grid()->choice(), (HeadChoice{0, 0}));
        QTest::keyClick(view, Qt::Key_BracketLeft);
        QTest::keyClick(view, Qt::Key_BracketLeft);
        QCOMPARE(desk.page.grid()->choice(), (HeadChoice{3, 2}));
        QTest::keyClick(view, Qt::Key_J);
        QCOMPARE(view->cell(), (MapCell{52, 37}));
        QTest::keyClick(view, Qt::Key_K);
        QCOMPARE(view->cell().query, 44);
        QTest::keyClick(view, Qt::Key_K); // round to the last
        QCOMPARE(view->cell().query, 76);
        QTest::keyClick(view, Qt::Key_F); // the next wrong one, its first wrong digit
        QCOMPARE(view->cell().query, 44);
        // Moving off the predicted digits leaves the buttons free, moving on chooses.
        QTest::keyClick(view, Qt::Key_Down);
        QVERIFY(find<QAbstractButton>(desk.page, "valueDigit1"_L1)->isChecked());
        QTest::keyClick(view, Qt::Key_Up);
        QTest::keyClick(view, Qt::Key_Up);
        QVERIFY(!find<QAbstractButton>(desk.page, "valueDigit0"_L1)->isChecked());
    }

    // S29: a hidden page costs nothing.
    void hiddenPageAsksNothing()
    {
        Desk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        QSignalSpy list(&desk.collection, &RunCollection::orderChanged);
        QVERIFY(list.wait());
        desk.page.setSequence(3);
        QVERIFY(!desk.hasCall("example"));
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.count("example"), 1);
        QCOMPARE(desk.count("maps"), 2); // a question a layer
        QCOMPARE(desk.page.view()->values()->map().queries, 127);
    }

    void lateAnswersAreDropped()
    {
        Desk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        const analysis::HeadMap first = desk.page.view()->values()->map();
        desk.service.holdAnswers(true);
        desk.page.setSequence(1);
        desk.page.setSequence(2);
        QSignalSpy shown(desk.page.view(), &HeadMapView::cellChanged);
        // The old picture stays, dimmed, until the new one is there.
        QTRY_VERIFY(desk.page.view()->isStale());
        QVERIFY(!find<QWidget>(desk.page, "predictionPanel"_L1)->isEnabled());
        QCOMPARE(desk.page.view()->values()->map(), first);
        QVERIFY(!find<QLabel>(desk.page, "busy"_L1)->text().isEmpty());
        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY(!desk.page.view()->isStale());
        QVERIFY(find<QWidget>(desk.page, "predictionPanel"_L1)->isEnabled());
        const analysis::Example expected =
            tests::FakeRunService::scriptedExample(tests::FakeRunService::smallConfig("hybrid_square"),
                                                   {.runFolder = "x", .step = 400, .n_keys = 8, .sequence = 2});
        const HeadChoice head = desk.page.grid()->choice();
        QCOMPARE(desk.page.view()->values()->map(),
                 tests::FakeRunService::scriptedMap(expected, head.layer, head.head));
        QVERIFY(find<QLabel>(desk.page, "busy"_L1)->text().isEmpty());
        QCOMPARE(desk.count("example"), 3);
    }

    // A head chosen while another layer is computed comes next, and an answer of the former choice does not replace it.
    void headChosenMeanwhile()
    {
        Desk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.holdAnswers(true);
        desk.page.setSequence(5);
        desk.page.chooseHead({1, 3});
        desk.page.chooseHead({0, 1});
        desk.page.chooseHead({1, 2});
        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.view()->values()->map().layer, 1);
        QCOMPARE(desk.page.view()->values()->map().head, 2);
    }

    void startsAtTheHeadThatLooksBack()
    {
        Desk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.grid()->choice().layer, 1); // layer 0 has a window and sees no first occurrence
    }

    void emptyWithoutRuns()
    {
        Desk desk;
        desk.page.show();
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_VERIFY(empty->isVisible());
        QCOMPARE(empty->title(), u"No heads yet"_s);
        QVERIFY(!desk.page.figure());
        QVERIFY(!desk.page.canZoom());
        QSignalSpy train(&desk.page, &AttentionPage::trainRequested);
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QCOMPARE(train.count(), 1);
    }

    void emptyBeforeTheFirstCheckpoint()
    {
        Desk desk;
        RunConfig config = tests::FakeRunService::smallConfig("hybrid_square");
        config.checkpoint_every = 200;
        desk.page.show();
        desk.service.train(
            {{.config = config, .preset = {}, .name = {}, .device = "auto", .threads = 1, .evaluateAtEnd = false}});
        desk.service.advance(); // initialising
        desk.service.advance(10);
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_COMPARE(empty->reason(), u"Heads need a checkpoint; this run has none before step 200."_s);
        QTRY_COMPARE(empty->button()->text(), u"Save one now"_s);
        QTRY_VERIFY(empty->button()->isVisible());
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QVERIFY(desk.hasCall("save"));
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY(!empty->isVisible());
        QVERIFY(desk.page.view()->values());
    }

    // The runs list and the page choose the same run; a run that goes away makes place for another.
    void followsTheSelectedRun()
    {
        Desk desk;
        const run::RunId first =
            desk.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        const run::RunId second =
            desk.service.addRun(tests::FakeRunService::smallConfig("hybrid"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        auto *runs = find<QComboBox>(desk.page, "runs"_L1);
        for (const run::RunId &id : {second, first, second}) {
            desk.collection.select(id);
            QTRY_COMPARE(runs->currentText(), desk.collection.find(id)->title);
            QTRY_VERIFY(desk.page.isUpToDate());
        }
        desk.collection.select({});
        QCOMPARE(runs->currentText(), desk.collection.find(second)->title);
        desk.service.removeFromView(second);
        QTRY_COMPARE(runs->count(), 1);
        QTRY_COMPARE(runs->currentText(), desk.collection.find(first)->title);
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.removeFromView(first);
        QTRY_VERIFY(find<EmptyState>(desk.page, "emptyState"_L1)->isVisible());
        QVERIFY(!desk.page.view()->values());
    }

    void followsTheNewestCheckpoint()
    {
        Desk desk;
        desk.page.show();
        const RunConfig config = tests::FakeRunService::smallConfig("rope");
        desk.service.train(
            {{.config = config, .preset = {}, .name = {}, .device = "auto", .threads = 1, .evaluateAtEnd = false}});
        desk.service.advance(); // initialising
        desk.service.advance(100);
        auto *checkpoints = find<QComboBox>(desk.page, "checkpoints"_L1);
        QTRY_COMPARE(checkpoints->currentText(), u"newest, step 100"_s);
        QTRY_VERIFY(desk.page.isUpToDate());
        const qsizetype before = desk.count("example");
        desk.service.advance(100);
        QTRY_COMPARE(checkpoints->currentText(), u"newest, step 200"_s);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.count("example"), before + 1);
        desk.page.setCheckpoint(100);
        desk.service.advance(100);
        QTRY_COMPARE(checkpoints->count(), 4);
        QCOMPARE(checkpoints->currentText(), u"step 100"_s); // a chosen one stays
    }

    // Delta attention has no softmax map: the page says so and draws the signed matrix about 0.
    void deltaAttentionIsSigned()
    {
        Desk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square_kda"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.page.chooseHead({0, 0});
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.view()->values()->map().kind, analysis::MapKind::RecurrenceMatrix);
        QVERIFY(isDiverging(desk.page.view()->colours().map()));
        QCOMPARE(desk.page.view()->colours().scale(), ColourScale::sharedSigned());
        QVERIFY(find<ColourBar>(desk.page, "colourBar"_L1)->spokenValue().startsWith(u"Signed weight"_s));
        QVERIFY(!find<QToolButton>(desk.page, "log"_L1)->isEnabled());
        QVERIFY(find<ElidedText>(desk.page, "headWords"_L1)->text().contains(u"no softmax map"_s));
        desk.page.chooseHead({1, 0});
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY(!isDiverging(desk.page.view()->colours().map()));
        QVERIFY(find<QToolButton>(desk.page, "log"_L1)->isEnabled());
    }

    // S31: another range or form is a choice and is written on the bar.
    void rangeIsWrittenOnTheBar()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        auto *bar = find<ColourBar>(desk.page, "colourBar"_L1);
        auto *drawing = find<MapBar>(desk.page, "mapBar"_L1);
        QCOMPARE(bar->spokenValue(), u"Attention weight, linear, all heads alike"_s);
        QCOMPARE(desk.page.view()->colours().scale(), ColourScale::shared());
        desk.page.chooseHead({1, 1});
        QCOMPARE(desk.page.view()->colours().scale(), ColourScale::shared()); // the same for every head
        MapDrawing changed;
        changed.isLog = true;
        drawing->setDrawing(changed);
        QCOMPARE(bar->spokenValue(), u"Attention weight, logarithmic, all heads alike"_s);
        changed.isLog = false;
        changed.range = RangeChoice::OwnMaximum;
        drawing->setDrawing(changed);
        QVERIFY(bar->spokenValue().contains(u"this head's own range, up to "_s));
        QCOMPARE(desk.page.view()->colours().scale().maximum,
                 static_cast<double>(desk.page.view()->values()->maximum()));
        changed.range = RangeChoice::RowMaximum;
        drawing->setDrawing(changed);
        QTRY_COMPARE(desk.page.view()->values()->rows(), ValuePyramid::Rows::ToTheirMaximum);
        QVERIFY(bar->spokenValue().startsWith(u"Weight as a share of its row's maximum"_s));
        desk.page.chooseHead({1, 2}); // the choice holds for the next head too
        QTRY_COMPARE(desk.page.view()->values()->map().head, 2);
        QCOMPARE(desk.page.view()->values()->rows(), ValuePyramid::Rows::ToTheirMaximum);
    }

    void themeHasItsOwnColours()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.view()->colours().map(), ColourMap::Magma);
        desk.page.setPalette(Theme::light().palette());
        QCOMPARE(desk.page.view()->colours().map(), ColourMap::Viridis);
        MapDrawing drawing;
        drawing.weights = ColourMap::Grey;
        find<MapBar>(desk.page, "mapBar"_L1)->setDrawing(drawing);
        desk.page.setPalette(Theme::dark().palette());
        QCOMPARE(desk.page.view()->colours().map(), ColourMap::Grey); // a choice outlives the theme
    }

    // S29: what cannot fit is refused with its cost, before it is tried.
    void refusesWhatCannotFit()
    {
        Desk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.clearCalls();
        desk.page.setKeys(1000);
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_VERIFY(empty->isVisible());
        QVERIFY2(empty->reason().contains(u"GiB"_s), qPrintable(empty->reason()));
        QVERIFY(!desk.hasCall("maps"));
        desk.page.setKeys(8);
        QTRY_VERIFY(desk.page.isUpToDate() && !empty->isVisible());
        QCOMPARE(desk.page.view()->values()->map().queries, 127);
    }

    void historyGoesBack()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.page.chooseHead({3, 2});
        desk.page.chooseAnswer(1, 0);
        const MapCell cell = desk.page.view()->cell();
        desk.page.chooseHead({1, 1});
        desk.page.chooseAnswer(3, 2);
        QVERIFY(desk.page.canGoBack());
        desk.page.goBack();
        QCOMPARE(desk.page.view()->cell(), cell);
        desk.page.goBack();
        QCOMPARE(desk.page.grid()->choice(), (HeadChoice{3, 2}));
        QVERIFY(desk.page.canGoForward());
        desk.page.goForward();
        desk.page.goForward();
        QCOMPARE(desk.page.grid()->choice(), (HeadChoice{1, 1}));
        QVERIFY(!desk.page.canGoForward());
    }

    void stateComesBack()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        MapDrawing drawing;
        drawing.isLog = true;
        drawing.hasEntries = false;
        drawing.weights = ColourMap::Cividis;
        find<MapBar>(desk.page, "mapBar"_L1)->setDrawing(drawing);
        desk.page.chooseHead({2, 1});
        const QVariantMap state = desk.page.viewState();

        Desk other;
        other.page.restoreViewState(state);
        other.service.addFixture("hybrid_square");
        other.page.show();
        QTRY_VERIFY(other.page.isUpToDate());
        QCOMPARE(other.page.grid()->choice(), (HeadChoice{2, 1}));
        QCOMPARE(find<MapBar>(other.page, "mapBar"_L1)->drawing(), drawing);
        other.page.restoreViewState(
            {{u"range"_s, 99}, {u"colours"_s, -7}, {u"keys"_s, u"many"_s}}); // nonsense is harmless
        QTRY_VERIFY(other.page.isUpToDate());
    }

    void figureIsWhatIsSeen()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.page.chooseHead({3, 2});
        const std::unique_ptr<Figure> figure = desk.page.figure();
        QVERIFY(figure);
        QCOMPARE(figure->fileName(), u"hybrid_square_layer3_head2_n5_sequence0"_s);
        QVERIFY(!renderFigure(*figure, {}).isNull());
        QSignalSpy asked(&desk.page, &Page::exportRequested);
        QTest::mouseClick(find<QToolButton>(desk.page, "export"_L1), Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
    }

    // Tab goes through the page in reading order: choose, draw, look, read.
    void tabOrder()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.page.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&desk.page));
        auto *first = find<QComboBox>(desk.page, "runs"_L1);
        first->setFocus();
        QStringList order;
        for (int i = 0; i < 40 && QApplication::focusWidget(); ++i) {
            const QString name = QApplication::focusWidget()->objectName();
            if (order.contains(name) && name == order.first())
                break;
            if (!order.contains(name))
                order << name;
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        }
        const QStringList landmarks{u"runs"_s,   u"checkpoints"_s, u"answers"_s, u"headGrid"_s,
                                    u"linear"_s, u"export"_s,      u"headMap"_s, u"answerTable"_s};
        qsizetype last = -1;
        for (const QString &landmark : landmarks) {
            QVERIFY2(order.indexOf(landmark) > last, qPrintable(landmark + u" in "_s + order.join(u", "_s)));
            last = order.indexOf(landmark);
        }
    }

    void numbersAreTheFigures()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        QTest::mouseClick(find<QToolButton>(desk.page, "numbers"_L1), Qt::LeftButton);
        const auto *table = find<QTableView>(desk.page, "numbersTable"_L1);
        QVERIFY(table);
        QCOMPARE(table->model()->columnCount(), 7);
    }

    // At 1024 x 700 and below nothing is clipped and every function stays within reach.
    void narrowWindows()
    {
        Desk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        for (const QSize &size : {QSize(1440, 800), QSize(1024, 560), QSize(860, 520), QSize(680, 420)}) {
            desk.page.resize(size);
            QCoreApplication::processEvents();
            const auto *bar = find<MapBar>(desk.page, "mapBar"_L1);
            for (const QWidget *child : bar->findChildren<QWidget *>(Qt::FindDirectChildrenOnly)) {
                if (child->isVisible())
                    QVERIFY2(bar->rect().contains(child->geometry()), qPrintable(child->objectName()));
            }
            QVERIFY(find<QWidget>(desk.page, "examplePanel"_L1)->width()
                    >= find<QWidget>(desk.page, "examplePanel"_L1)->minimumSizeHint().width());
            QVERIFY(desk.page.view()->viewport()->width() > 200);
        }
        auto *button = find<QToolButton>(desk.page, "predictionButton"_L1);
        QVERIFY(button->isVisible());
        QVERIFY(!find<QWidget>(desk.page, "predictionPanel"_L1)->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(find<QWidget>(desk.page, "predictionPanel"_L1)->isVisible());
    }
};

QTEST_MAIN(TestAttentionPage)
#include "test_attention_page.moc"
