// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "tests/ui/circuit_bench.h"
#include "ui/charts/bar_histogram.h"
#include "ui/charts/line_chart.h"
#include "ui/figures/figure.h"
#include "ui/models/head_table_model.h"
#include "ui/models/time_text.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/circuit_failures.h"
#include "ui/pages/circuit_removal.h"
#include "ui/pages/circuit_timeline.h"
#include "ui/pages/page_bar.h"
#include "ui/widgets/checkpoint_slider.h"
#include "ui/widgets/primary_button.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using circuit::HeadId;
using circuit::HeadMeasure;
using lookback::tests::CircuitBench;

namespace {

/// The column of a row of the table, as shown.
QString shown(const QTableView *table, int row, int column)
{
    return table->model()->index(row, column).data().toString();
}

} // namespace

class TestCircuitPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void measuresWhenShown()
    {
        CircuitBench bench;
        bench.addRun();
        QTRY_VERIFY(!bench.collection.order().empty());
        QCOMPARE(bench.count("circuit"), 0); // a hidden page asks for nothing
        QVERIFY(bench.open());
        QCOMPARE(bench.count("circuit heads"), 1);
        QCOMPARE(bench.count("circuit grid"), 1);
        QCOMPARE(bench.page.grid()->cells().cells.size(), std::size_t(32));
        // The head whose removal costs most is chosen, and stands first in the table.
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{7, 2}}));
        QCOMPARE(shown(bench.page.table(), 0, HeadTableModel::Head), u"L7 H2"_s);
        QCOMPARE(shown(bench.page.table(), 0, HeadTableModel::Reading), u"copies the value"_s);
        QCOMPARE(shown(bench.page.table(), 0, HeadTableModel::Sees), u"no position"_s);
        QCOMPARE(bench.find<QLabel>("removalTitle"_L1)->text(), u"Without layer 7, head 2"_s);
        // One head alone is known from the grid: it is not measured twice.
        QCOMPARE(bench.count("circuit knockout"), 0);
        QCOMPARE(bench.count("circuit example under"), 1);
    }

    void clicksChooseHeads()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        HeadScoreGrid *grid = bench.page.grid();
        const auto click = [&](const HeadId &id, Qt::KeyboardModifiers keys) {
            QTest::mouseClick(grid, Qt::LeftButton, keys, grid->cellRect(id).center().toPoint());
        };
        click({0, 1}, {});
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{0, 1}}));
        QCOMPARE(bench.page.table()->selectionModel()->selectedRows().size(), 1);
        click({1, 1}, Qt::ControlModifier);
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{0, 1}, {1, 1}}));
        QCOMPARE(bench.page.table()->selectionModel()->selectedRows().size(), 2);
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Knockout));
        QCOMPARE(bench.count("circuit knockout"), 1);
        QCOMPARE(bench.page.loader().knockout()->intervention.heads, bench.page.chosen());
        QVERIFY(bench.find<QLabel>("removalResult"_L1)->text().contains(u"→"_s));
        QVERIFY(bench.find<QLabel>("removalInterval"_L1)->text().contains(u"paired 95 % interval"_s));
        QVERIFY(bench.find<QLabel>("removalAnswers"_L1)->text().contains(u"McNemar p < 0.001"_s));
        click({1, 1}, Qt::ControlModifier); // and out again
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{0, 1}}));
        auto *add = bench.find<QToolButton>("addHeads"_L1);
        QTest::mouseClick(add, Qt::LeftButton); // plain clicks add now
        click({7, 0}, {});
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{0, 1}, {7, 0}}));
        QTest::mouseClick(bench.find<QToolButton>("clearHeads"_L1), Qt::LeftButton);
        QVERIFY(bench.page.chosen().empty());
        QVERIFY(!bench.page.loader().knockout());
        QCOMPARE(bench.find<QLabel>("removalTitle"_L1)->text(), u"Nothing removed"_s);
    }

    void keysChooseHeads()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        HeadScoreGrid *grid = bench.page.grid();
        QTest::keyClick(grid, Qt::Key_Left);
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{7, 1}}));
        QTest::keyClick(grid, Qt::Key_Up, Qt::ControlModifier); // only moves
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{7, 1}}));
        QCOMPARE(grid->current(), (HeadId{6, 1}));
        QTest::keyClick(grid, Qt::Key_Space);
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{7, 1}, {6, 1}}));
        QVERIFY(grid->spokenValue().startsWith(u"Layer 6, head 1 (window 10): change in points when removed"_s));
        QVERIFY(grid->spokenValue().contains(u"not distinguishable here"_s));
        QTest::keyClick(grid, Qt::Key_Delete);
        QVERIFY(bench.page.chosen().empty());
    }

    void tableSelectionIsTheChoice()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QTableView *table = bench.page.table();
        table->selectRow(1);
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{0, 1}}));
        QCOMPARE(bench.page.grid()->chosen(), bench.page.chosen());
        auto *filter = bench.find<QLineEdit>("headFilter"_L1);
        filter->setText(u"matches"_s);
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(shown(table, 0, HeadTableModel::Head), u"L1 H1"_s);
        filter->clear();
        table->sortByColumn(HeadTableModel::Previous, Qt::DescendingOrder);
        QCOMPARE(shown(table, 0, HeadTableModel::Head), u"L0 H1"_s);
        // Inside a window nothing is retrieved: a dash, below all numbers.
        QCOMPARE(shown(table, 0, HeadTableModel::Retrieval), u"–"_s);
    }

    void anyMeasureColoursTheGrid()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QVERIFY(bench.page.grid()->cells().isSigned);
        QVERIFY(!bench.page.grid()->cells().at({2, 2})->isDistinguishable);
        auto *quantities = bench.find<QComboBox>("circuitQuantity"_L1);
        QCOMPARE(quantities->count(), int(circuit::kHeadMeasures) + 1);
        bench.page.setQuantity(HeadMeasure::Retrieval);
        QCOMPARE(quantities->currentText(), u"Retrieval"_s);
        QVERIFY(!bench.page.grid()->cells().isSigned);
        QCOMPARE(bench.page.grid()->cells().maximum, 1.0);
        QVERIFY(!bench.page.grid()->cells().at({0, 0})->value); // it has a window
        QVERIFY(*bench.page.grid()->cells().at({7, 2})->value > 0.9);
        QCOMPARE(bench.find<QLabel>("gridTitle"_L1)->text(), u"Retrieval"_s);
        bench.page.setQuantity(HeadMeasure::MeanDistance);
        QVERIFY(bench.page.grid()->cells().maximum > 40.0);
    }

    void exampleBeforeAndAfter()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        auto *table = bench.find<QTableWidget>("underTable"_L1);
        QVERIFY(table->isVisible());
        QCOMPARE(table->columnCount(), 4);
        QVERIFY(table->item(0, 0)->text().startsWith(u"Truth of "_s));
        QCOMPARE(table->item(1, 1)->text(), table->item(0, 1)->text());
        QVERIFY(table->item(1, 1)->font().underline()); // not by colour alone
        QVERIFY(table->item(3, 2)->text() != table->item(0, 2)->text());
        QVERIFY(!table->item(3, 2)->font().underline());
        const QString truth = table->item(0, 1)->text() + table->item(0, 2)->text() + table->item(0, 3)->text();
        QTest::mouseClick(bench.find<QPushButton>("nextAnswer"_L1), Qt::LeftButton);
        QVERIFY(truth != table->item(0, 1)->text() + table->item(0, 2)->text() + table->item(0, 3)->text());
        bench.find<QSpinBox>("circuitSequence"_L1)->setValue(3);
        QTRY_COMPARE(bench.page.loader().example()->before.key.sequence, 3);
        QCOMPARE(bench.count("circuit example under"), 2);
    }

    void emptyAndFailed()
    {
        CircuitBench bench;
        bench.page.show();
        auto *empty = bench.find<EmptyState>("emptyState"_L1);
        QTRY_VERIFY(empty->isVisible());
        QSignalSpy train(&bench.page, &Page::trainRequested);
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QCOMPARE(train.size(), 1);

        const run::RunId none =
            bench.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Running, 20);
        QTRY_VERIFY(empty->reason().contains(u"before step 100"_s));
        QCOMPARE(empty->button()->text(), u"Save one now"_s);
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QCOMPARE(bench.count("save"), 1);
        QTRY_VERIFY(bench.isMeasured());
        QVERIFY(!empty->isVisible());

        bench.service.failCircuit("\"rope-seed0\": the checkpoint of step 20 is damaged.");
        QTest::mouseClick(bench.find<QToolButton>("measureAgain"_L1), Qt::LeftButton);
        QTRY_VERIFY(empty->isVisible());
        QVERIFY(empty->reason().contains(u"is damaged"_s));
        const qsizetype asked = bench.count("circuit heads");
        bench.service.failCircuit({});
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QTRY_VERIFY(bench.isMeasured());
        QVERIFY(!empty->isVisible());
        QCOMPARE(bench.count("circuit heads"), asked + 1); // asked once, not over and over
    }

    void smallestSets()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QTest::mouseClick(bench.find<QPushButton>("smallestSets"_L1), Qt::LeftButton);
        auto *path = bench.find<QTableWidget>("breakingPath"_L1);
        QVERIFY(path);
        QCOMPARE(
            bench.find<QLabel>("setsConditions"_L1)->text(),
            u"Step 800, n = 8, removed: mean output; 32 sequences, as every step tries every head (the page: 256)."_s);
        QTRY_COMPARE(path->rowCount(), 2);
        QCOMPARE(path->item(0, 0)->text(), u"L7 H2"_s);
        QTest::mouseClick(bench.find<QPushButton>("removeBreaking"_L1), Qt::LeftButton);
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{7, 2}, {0, 1}}));
        QCOMPARE(bench.page.removal()->removal(), circuit::Removal::Mean); // as they were found
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Knockout));
        QCOMPARE(bench.page.loader().knockout()->intervention.removal, circuit::Removal::Mean);
    }

    void wrongAnswers()
    {
        CircuitBench bench;
        const run::RunId run = bench.addRun();
        QVERIFY(bench.open());
        QTest::mouseClick(bench.find<QToolButton>("failuresTab"_L1), Qt::LeftButton);
        QTest::mouseClick(bench.find<QPushButton>("collectFailures"_L1), Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().failures());
        QTableView *list = bench.page.failures()->view();
        QVERIFY(list->model()->rowCount() > 0);
        QVERIFY(bench.find<BarHistogram>("failuresByDistance"_L1)->spokenValue().contains(u"unknown"_s));
        QVERIFY(bench.page.failures()->summary().contains(u"answers wrong"_s));
        const circuit::WrongDigit &first = bench.page.loader().failures()->list.front();
        QSignalSpy asked(&bench.page, &Page::exampleRequested);
        list->setCurrentIndex(list->model()->index(0, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(asked.size(), 1);
        const auto target = asked.front().front().value<ExampleTarget>();
        QCOMPARE(target.run, run);
        QCOMPARE(target.step, 800);
        QCOMPARE(target.entry, first.entry);
        QCOMPARE(target.digit, first.digit);
    }

    void figures()
    {
        CircuitBench bench;
        QVERIFY(!bench.page.figure());
        bench.addRun();
        QVERIFY(bench.open());
        QSignalSpy asked(&bench.page, &Page::exportRequested);
        auto *menu = bench.find<QMenu>("exportMenu"_L1);
        menu->actions().at(0)->trigger();
        QCOMPARE(asked.size(), 1);
        QCOMPARE(bench.page.figure()->fileName(), u"hybrid_square_step800_n8_heads_removal"_s);
        QCOMPARE(bench.page.figure()->csv().count(u"\r\n"_s), 33);
        QVERIFY(bench.page.figure()->npy().contains("'shape': (32,), }"));
        QVERIFY(!renderFigure(*bench.page.figure(), {}).isNull());
        menu->actions().at(3)->trigger();
        QCOMPARE(bench.page.figure()->fileName(), u"hybrid_square_step800_n8_head_table"_s);
        QVERIFY(!renderFigure(*bench.page.figure(), {}).isNull());
        QTest::mouseClick(bench.find<QPushButton>("followHeads"_L1), Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Timeline));
        menu->actions().at(1)->trigger();
        QCOMPARE(bench.page.figure()->fileName(), u"hybrid_square_n8_head_timeline"_s);
        QCOMPARE(bench.page.figure()->csv().count(u"\r\n"_s), 8 * 32 + 1);
        QVERIFY(bench.page.figure()->npy().contains("'shape': (256,), }"));
        QCOMPARE(bench.page.figure()->frames(), 0U);
        menu->actions().at(2)->trigger();
        QCOMPARE(bench.page.figure()->fileName(), u"hybrid_square_n8_retrieval_frames"_s);
        QCOMPARE(bench.page.figure()->frames(), 8U);
        QCOMPARE(bench.page.figure()->csv().count(u"\r\n"_s), 8 * 32 + 1);
        QVERIFY(!renderFigure(*bench.page.figure(), {}).isNull());
        QTest::mouseClick(bench.find<QToolButton>("numbers"_L1), Qt::LeftButton);
        auto *numbers = bench.find<QTableView>("numbersTable"_L1);
        QVERIFY(numbers);
        QCOMPARE(numbers->model()->rowCount(), 32);
    }

    void lightDarkAndNarrow()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QTest::mouseClick(bench.find<QPushButton>("followHeads"_L1), Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Timeline));
        const QImage dark = bench.page.grab().toImage();
        bench.page.setPalette(Theme::light().palette());
        QVERIFY(bench.page.grab().toImage() != dark);
        for (const QSize &size : {QSize(1440, 800), QSize(1024, 560), QSize(800, 460)}) {
            bench.page.resize(size);
            QCoreApplication::processEvents();
            QVERIFY2(bench.page.grid()->width() >= bench.page.grid()->minimumSizeHint().width(),
                     qPrintable(QString::number(size.width())));
            const QWidget *removal = bench.find<QWidget>("removalPanel"_L1)->parentWidget();
            QVERIFY(removal->mapTo(&bench.page, removal->rect().topRight()).x() < bench.page.width());
            // The plot ends left of the box of steps, and with it the slider's knob at the last checkpoint.
            const auto *loss = bench.find<LineChart>("circuitLoss"_L1);
            const auto *steps = bench.find<QComboBox>("circuitSteps"_L1);
            const auto right = [&] { return loss->mapTo(&bench.page, loss->plotArea().topRight()).x(); };
            const int box = steps->mapTo(&bench.page, QPoint()).x();
            QTRY_VERIFY2(right() + 8.0 <= box, qPrintable(QString::number(right())));
            const auto *bar = bench.page.findChild<PageBar *>();
            for (const QWidget *child : bar->findChildren<QWidget *>(Qt::FindDirectChildrenOnly)) {
                if (child->isVisible())
                    QVERIFY2(bar->rect().contains(child->geometry()), qPrintable(child->objectName()));
            }
        }
    }
};

QTEST_MAIN(TestCircuitPage)
#include "test_circuit_page.moc"
