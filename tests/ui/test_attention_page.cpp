// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <memory>

#include "tests/patience.h"
#include "tests/ui/attention_desk.h"
#include "ui/figures/figure.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

using tests::AttentionDesk;
using tests::find;

class TestAttentionPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(u"fusion"_s); }

    // The mockup's example: what the page shows are the numbers of the fixture.
    void showsTheFixture()
    {
        AttentionDesk desk;
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
        AttentionDesk desk;
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
        AttentionDesk desk;
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

    // Delta attention has no softmax map: the page says so and draws the signed matrix about 0.
    void deltaAttentionIsSigned()
    {
        AttentionDesk desk;
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
        AttentionDesk desk;
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
        AttentionDesk desk;
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

    void historyGoesBack()
    {
        AttentionDesk desk;
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
        AttentionDesk desk;
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

        AttentionDesk other;
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
        AttentionDesk desk;
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
        AttentionDesk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.page.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&desk.page, testing::kPatience));
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
        AttentionDesk desk;
        desk.service.addFixture("hybrid_square");
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        QTest::mouseClick(find<QToolButton>(desk.page, "numbers"_L1), Qt::LeftButton);
        const auto *table = find<QTableView>(desk.page, "numbersTable"_L1);
        QVERIFY(table);
        QCOMPARE(table->model()->columnCount(), 7);
    }

    // Lines of a caption are fitted one by one: what fits is not cut because all of them together would not.
    void captionsOfSeveralLines()
    {
        QWidget parent;
        parent.resize(300, 200);
        QLabel *note = makeNote(&parent);
        note->setWordWrap(false);
        note->setText(u"Shown\nqueries 0–32\nkeys 0–54"_s);
        note->resize(note->sizeHint());
        QLabel plain(note->text(), &parent);
        plain.setFont(note->font());
        plain.setForegroundRole(note->foregroundRole());
        plain.resize(note->size());
        QCOMPARE(note->grab().toImage(), plain.grab().toImage());
        note->resize(note->width() / 2, note->height());
        QVERIFY(note->grab().toImage() != plain.grab(QRect(QPoint(0, 0), note->size())).toImage()); // elided
    }

    // At 1024 x 700 and below nothing is clipped and every function stays within reach.
    void narrowWindows()
    {
        AttentionDesk desk;
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
            for (const QLatin1StringView name : {"answerTable"_L1, "digitTable"_L1}) { // no title is cut
                const QHeaderView *header = find<QTableView>(desk.page, name)->horizontalHeader();
                for (int section = 0; header->isVisible() && section < header->count(); ++section)
                    QVERIFY2(header->sectionSize(section) >= header->sectionSizeHint(section), name.data());
            }
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
