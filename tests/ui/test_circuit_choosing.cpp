// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How sets of heads are chosen in the grid of the circuit page, by mouse and by keys, and the way back.
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "tests/ui/circuit_bench.h"
#include "ui/models/head_table_model.h"
#include "ui/pages/circuit_context.h"
#include "ui/pages/circuit_head_table.h"
#include "ui/pages/circuit_removal.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using circuit::HeadId;
using circuit::HeadMeasure;
using lookback::tests::CircuitBench;

namespace {

using HeadIds = std::vector<HeadId>;

/// The grid of a page and a mouse over it.
struct GridDesk : CircuitBench {
    HeadScoreGrid *grid() const { return page.grid(); }
    QPoint at(const HeadId &id) const { return grid()->cellRect(id).center().toPoint(); }
    void click(const HeadId &id, Qt::KeyboardModifiers keys = {})
    {
        QTest::mouseClick(grid(), Qt::LeftButton, keys, at(id));
    }
    void drag(const HeadId &from, const HeadId &to, Qt::KeyboardModifiers keys = {})
    {
        QTest::mousePress(grid(), Qt::LeftButton, keys, at(from));
        QTest::mouseMove(grid(), at(to));
    }
    void release(const HeadId &at_) { QTest::mouseRelease(grid(), Qt::LeftButton, {}, at(at_)); }
    HeadIds chosen() const
    {
        HeadIds heads = page.chosen();
        std::ranges::sort(heads);
        return heads;
    }
    bool openWithRun()
    {
        addRun();
        return open();
    }
};

} // namespace

class TestCircuitChoosing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void titlesToggleLayersAndColumns()
    {
        GridDesk desk;
        QVERIFY(desk.openWithRun());
        desk.page.setChosen({});
        const QPoint layer = desk.grid()->layerTitleRect(3).center().toPoint();
        QTest::mouseClick(desk.grid(), Qt::LeftButton, {}, layer);
        QCOMPARE(desk.chosen(), (HeadIds{{3, 0}, {3, 1}, {3, 2}, {3, 3}}));
        const QPoint column = desk.grid()->headTitleRect(1).center().toPoint();
        QTest::mouseClick(desk.grid(), Qt::LeftButton, {}, column);
        QCOMPARE(desk.chosen().size(), std::size_t(4 + 7)); // one of them was chosen before
        QTest::mouseClick(desk.grid(), Qt::LeftButton, {}, layer); // all of them are in: out they go
        QCOMPARE(desk.chosen().size(), std::size_t(7));
        QVERIFY(std::ranges::none_of(desk.chosen(), [](const HeadId &id) { return id.layer == 3; }));
        QTRY_VERIFY(desk.page.loader().isCurrent(CircuitPart::Knockout));
        QCOMPARE(desk.page.loader().knockout()->intervention.heads.size(), std::size_t(7));
    }

    void dragsChooseRectangles()
    {
        GridDesk desk;
        QVERIFY(desk.openWithRun());
        desk.click({7, 0});
        QSignalSpy changed(desk.grid(), &HeadScoreGrid::chosenChanged);
        desk.drag({1, 1}, {2, 3});
        QCOMPARE(desk.grid()->chosen().size(), std::size_t(6)); // seen while it is drawn,
        QCOMPARE(desk.page.chosen(), (HeadIds{{7, 0}})); // but measured once, at its end
        QCOMPARE(changed.size(), 0);
        desk.release({2, 3});
        QCOMPARE(changed.size(), 1);
        QCOMPARE(desk.chosen(), (HeadIds{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}}));
        QCOMPARE(desk.page.chosen().back(), (HeadId{2, 3})); // where it ended is the current one

        desk.drag({0, 0}, {0, 1}, Qt::ControlModifier); // adds
        desk.release({0, 1});
        QCOMPARE(desk.chosen().size(), std::size_t(8));
        desk.drag({5, 0}, {7, 3});
        QTest::keyClick(desk.grid(), Qt::Key_Escape); // given up
        QCOMPARE(desk.grid()->chosen().size(), std::size_t(8));
        desk.release({7, 3});
        QCOMPARE(desk.chosen().size(), std::size_t(8));

        QTest::mouseClick(desk.find<QToolButton>("addHeads"_L1), Qt::LeftButton);
        desk.drag({4, 0}, {5, 0}); // adds without a key
        desk.release({5, 0});
        QCOMPARE(desk.chosen().size(), std::size_t(10));
    }

    void shiftReachesFromTheLastChosen()
    {
        GridDesk desk;
        QVERIFY(desk.openWithRun());
        desk.click({2, 1});
        desk.click({3, 2}, Qt::ShiftModifier);
        QCOMPARE(desk.chosen(), (HeadIds{{2, 1}, {2, 2}, {3, 1}, {3, 2}}));
        desk.click({2, 0}, Qt::ShiftModifier); // from where the first one began
        QCOMPARE(desk.chosen(), (HeadIds{{2, 0}, {2, 1}}));
        desk.click({7, 3}, Qt::ControlModifier);
        desk.click({6, 3}, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(desk.chosen(), (HeadIds{{2, 0}, {2, 1}, {6, 3}, {7, 3}}));
    }

    void keysDoAllOfIt()
    {
        GridDesk desk;
        QVERIFY(desk.openWithRun());
        desk.click({4, 1});
        QTest::keyClick(desk.grid(), Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(desk.grid(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(desk.chosen(), (HeadIds{{4, 1}, {4, 2}, {5, 1}, {5, 2}}));
        QTest::keyClick(desk.grid(), Qt::Key_Up, Qt::ShiftModifier); // and back
        QCOMPARE(desk.chosen(), (HeadIds{{4, 1}, {4, 2}}));
        QTest::keyClick(desk.grid(), Qt::Key_L);
        QCOMPARE(desk.chosen(), (HeadIds{{4, 0}, {4, 1}, {4, 2}, {4, 3}}));
        QTest::keyClick(desk.grid(), Qt::Key_L);
        QVERIFY(desk.chosen().empty());
        QTest::keyClick(desk.grid(), Qt::Key_H);
        QCOMPARE(desk.chosen().size(), std::size_t(8));
        QTest::keyClick(desk.grid(), Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(desk.chosen().size(), std::size_t(32));
        QTest::keyClick(desk.grid(), Qt::Key_Delete);
        QVERIFY(desk.chosen().empty());
        QVERIFY(desk.grid()->spokenHelp().contains(u"L its layer"_s));
    }

    void whatMeansNothingIsADash()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        HeadTableView *table = bench.page.table();
        const auto shown = [table](int row, int role = Qt::DisplayRole) {
            return table->model()->index(row, HeadTableModel::Retrieval).data(role).toString();
        };
        // Last either way.
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            table->sortByColumn(HeadTableModel::Retrieval, order);
            QVERIFY(shown(0) != u"–"_s);
            QCOMPARE(shown(31), u"–"_s);
        }
        QVERIFY(shown(31, Qt::ToolTipRole).contains(u"sees 10 tokens"_s));
        bench.page.setQuantity(HeadMeasure::KeyMatching);
        QVERIFY(bench.page.grid()->cells().at({0, 0})->why.contains(u"sees 10 tokens"_s));

        // Where no answer is right, nothing was retrieved; the weight on the source is told.
        circuit::HeadTable early = *bench.page.loader().heads();
        early.rightAnswers = 0;
        for (circuit::HeadScores &head : early.heads)
            head.scores[HeadMeasure::Retrieval].reset();
        HeadTableModel model;
        model.setHeads(std::make_shared<const circuit::HeadTable>(early), nullptr);
        const QModelIndex cell = model.index(model.rowOf({7, 2}), HeadTableModel::Retrieval);
        QCOMPARE(cell.data().toString(), u"–"_s);
        QVERIFY(cell.data(Qt::ToolTipRole).toString().contains(u"answers is right"_s));
        QVERIFY(!cell.data(HeadTableModel::SortRole).isValid());
    }

    void layersHaveMeans()
    {
        const RunConfig config = tests::FakeRunService::smallConfig("hybrid_square");
        circuit::HeadTable table = tests::FakeRunService::scriptedHeads(config, 400, {});
        circuit::Scores scores;
        scores[HeadMeasure::Retrieval] = circuit::Measured{0.25, 0.2, 0.3};
        table.layerMeans = {{.layer = 0, .scores = {}}, {.layer = 1, .scores = scores}};
        table.groups = {{.layer = 1, .kvHead = 0, .scores = scores}, {.layer = 1, .kvHead = 1, .scores = {}}};
        const HeadCells cells = headCells(table, nullptr, HeadMeasure::Retrieval);
        QCOMPARE(cells.means.size(), std::size_t(2));
        QCOMPARE(cells.means[0], QString()); // a window
        QCOMPARE(cells.means[1], u"mean 0.25 ± 0.05; key-value heads 0.25 ± 0.05, –"_s);
    }

    void theLastColumnIsNotCut()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        HeadTableView *table = bench.page.table();
        int longest = 0;
        for (const QString &reading : headReadings())
            longest = std::max(longest, table->fontMetrics().horizontalAdvance(reading));
        for (const int width : {1440, 1024, 800, 1440}) {
            bench.page.resize(width, 600);
            QCoreApplication::processEvents();
            QVERIFY(table->columnWidth(HeadTableModel::Reading) > longest);
            const int end =
                table->columnViewportPosition(HeadTableModel::Reading) + table->columnWidth(HeadTableModel::Reading);
            if (width >= 1024)
                QVERIFY2(end <= table->viewport()->width(), qPrintable(u"%1 of %2"_s.arg(end).arg(width)));
            QCOMPARE(table->isColumnHidden(HeadTableModel::Negative), width < 1440);
        }
    }

    void backAndForward()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QVERIFY(!bench.page.canGoBack());
        QSignalSpy abilities(&bench.page, &Page::abilitiesChanged);
        QTest::mouseClick(bench.page.grid(), Qt::LeftButton, {},
                          bench.page.grid()->cellRect({1, 1}).center().toPoint());
        QVERIFY(bench.page.canGoBack());
        QVERIFY(!abilities.isEmpty());
        bench.page.goBack();
        QCOMPARE(bench.page.chosen(), (HeadIds{{7, 2}})); // as it was chosen at first
        QVERIFY(!bench.page.canGoBack());
        QVERIFY(bench.page.canGoForward());
        bench.page.goForward();
        QCOMPARE(bench.page.chosen(), (HeadIds{{1, 1}}));
        bench.page.goBack();
        // Another way ends the one forward; it holds the tab below, too.
        QTest::mouseClick(bench.find<QToolButton>("contextTab"_L1), Qt::LeftButton);
        QVERIFY(!bench.page.canGoForward());
        QVERIFY(bench.page.context()->isVisible());
        bench.page.goBack();
        QVERIFY(bench.page.table()->isVisible());
        bench.page.goForward();
        QVERIFY(bench.page.context()->isVisible());
    }
};

QTEST_MAIN(TestCircuitChoosing)
#include "test_circuit_choosing.moc"
