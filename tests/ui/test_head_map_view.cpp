// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include <cmath>
#include <limits>
#include <memory>

#include "tests/ui/fixture_example.h"
#include "tests/ui/head_map_bench.h"
#include "ui/heatmap/head_grid.h"
#include "ui/heatmap/head_map_view.h"
#include "ui/heatmap/map_overview.h"
#include "ui/heatmap/row_bars.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

using tests::Bench;
using tests::middleOf;
using tests::pictureOf;

class TestHeadMapView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QApplication::setStyle(u"fusion"_s);
        m_fixture = tests::fixtureExample("hybrid_square");
    }

    // The numbers under the colours: every visible cell of a real map, at three pixel ratios.
    void pixelsMatchTheMap_data()
    {
        QTest::addColumn<double>("pixelRatio");
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<bool>("isLog");
        for (const double ratio : {1.0, 1.5, 2.0}) {
            QTest::addRow("%g dark", ratio) << ratio << true << false;
            QTest::addRow("%g light, log", ratio) << ratio << false << true;
        }
    }
    void pixelsMatchTheMap()
    {
        QFETCH(double, pixelRatio);
        QFETCH(bool, isDark);
        QFETCH(bool, isLog);
        const Theme &theme = isDark ? Theme::dark() : Theme::light();
        QWidget page;
        page.setPalette(theme.palette());
        HeadMapView view(&page);
        page.resize(931, 641);
        view.setGeometry(11, 7, 913, 623); // at 1.5 the corner lies between two device pixels
        const ColourScale scale = isLog ? ColourScale::shared().asLog() : ColourScale::shared();
        const ColourTable colours(isDark ? ColourMap::Magma : ColourMap::Viridis, scale);
        view.setColours(colours);
        view.setEntriesShown(false);
        view.setOccurrencesShown(false);
        const auto map = tests::headOf(m_fixture, 3, 2);
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(map));
        page.show();
        view.setFit(HeadMapView::Fit::Whole);
        QCOMPARE(view.visibleCells(), QRect(0, 0, 79, 79));
        const QImage image = pictureOf(page, pixelRatio);
        const auto mask = theme.mask.rgb();
        QVERIFY(mask != colours.colourOf(0.0F));
        for (int query = 0; query < 79; ++query) {
            for (int key = 0; key < 79; ++key) {
                const QRgb found = image.pixel(middleOf(view, {query, key}, pixelRatio));
                const QRgb expected = map->isVisible(query, key) ? colours.colourOf(map->at(query, key)) : mask;
                if (found != expected)
                    QFAIL(qPrintable(u"query %1, key %2: %3 instead of %4"_s.arg(query)
                                         .arg(key)
                                         .arg(found, 0, 16)
                                         .arg(expected, 0, 16)));
            }
        }
    }

    // S28: whatever the size of the window and the scale of the screen.
    void thinLinesStayUnbroken_data()
    {
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("side");
        QTest::addColumn<double>("pixelRatio");
        for (const int n : {8, 32, 64, 256}) {
            for (const int side : {211, 340, 517, 700}) {
                for (const double ratio : {1.0, 1.5, 2.0})
                    QTest::addRow("n = %d in %d px at %g", n, side, ratio) << n << side << ratio;
            }
        }
    }
    void thinLinesStayUnbroken()
    {
        QFETCH(int, n);
        QFETCH(int, side);
        QFETCH(double, pixelRatio);
        Bench bench(n);
        const std::int64_t count = bench.example->positions;
        const std::int64_t column = count / 3;
        for (std::int64_t i = 0; i < count; ++i) {
            bench.at(i, i) = 1.0F;
            if (i > column)
                bench.at(i, column) = 1.0F;
        }
        QWidget page;
        page.setPalette(Theme::dark().palette());
        HeadMapView view(&page);
        view.setFocusPolicy(Qt::NoFocus);
        view.setEntriesShown(false);
        const ColourTable colours(ColourMap::Magma, ColourScale::shared());
        view.setColours(colours);
        page.resize(side + 140, side + 90);
        view.setGeometry(5, 3, side + 130, side + 80);
        bench.showIn(view);
        page.show();
        view.setFit(HeadMapView::Fit::Whole);
        const QImage image = pictureOf(page, pixelRatio);
        const QRgb bright = colours.colourOf(1.0F);
        // The axes of the picture are those of its own pixel ratio.
        const CellAxis axis(count, view.cellPixels() * pixelRatio);
        const QPoint corner = view.viewport()->mapTo(&page, QPoint(0, 0));
        const auto first = [pixelRatio](double coordinate) {
            return static_cast<int>(std::ceil(coordinate * pixelRatio - 1e-6));
        };
        const AxisPlacement keys = view.keys();
        const AxisPlacement queries = view.queries();
        const int left = first(corner.x() + keys.origin);
        const int top = first(corner.y() + queries.origin);
        int broken = 0;
        const int grid = view.cellPixels() >= 8.0 ? 1 : 0; // lines between cells lie on the first pixel of a cell
        for (int y = grid; y + grid < axis.pixels() - 1; ++y) {
            if (grid == 1 && axis.cellAt(y) != axis.cellAt(y - 1))
                continue;
            const std::int64_t cell = axis.cellAt(y);
            broken += image.pixel(left + axis.pixelOf(cell) + grid, top + y) == bright ? 0 : 1;
            if (cell > column)
                broken += image.pixel(left + axis.pixelOf(column) + grid, top + y) == bright ? 0 : 1;
        }
        QCOMPARE(broken, 0);
    }

    void dimsWhileStale()
    {
        HeadMapView view;
        view.setPalette(Theme::dark().palette());
        view.resize(700, 500);
        Bench bench(5);
        bench.at(40, 20) = 1.0F;
        bench.showIn(view);
        view.setColours(ColourTable(ColourMap::Magma, ColourScale::shared()));
        view.show();
        view.setFit(HeadMapView::Fit::Whole);
        const QPoint place = middleOf(view, {40, 20}, 1.0);
        const double bright = luminance(pictureOf(view, 1.0).pixel(place));
        view.setStale(true);
        QVERIFY(luminance(pictureOf(view, 1.0).pixel(place)) < 0.6 * bright);
        view.setStale(false);
        QCOMPARE(luminance(pictureOf(view, 1.0).pixel(place)), bright);
    }

    // Values of another example never land on this one's labels.
    void refusesForeignValues()
    {
        HeadMapView view;
        Bench five(5);
        Bench eight(8);
        five.showIn(view);
        const PyramidPointer before = view.values();
        view.setValues(std::make_shared<ValuePyramid>(eight.map));
        QCOMPARE(view.values(), before);
        view.setExample(eight.example);
        QVERIFY(!view.values());
        pictureOf(view, 1.0); // nothing to draw, and no crash
    }

    void rowSharesTheAxis()
    {
        for (const double zoom : {1.0, 1.7}) {
            QWidget page;
            QVBoxLayout layout(&page);
            layout.setContentsMargins(13, 9, 5, 3);
            auto *view = new HeadMapView;
            auto *bars = new RowBars(view);
            layout.addWidget(view, 1);
            layout.addWidget(bars);
            page.setPalette(Theme::dark().palette());
            page.resize(930, 640);
            view->setExample(m_fixture.example);
            bars->setExample(m_fixture.example);
            view->setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 3, 2)));
            page.show();
            view->setCellPixels(view->cellPixels() * zoom, {400, 200});
            view->setCell({52, 37});
            const AxisPlacement above = view->keys();
            const AxisPlacement below = bars->keys();
            for (std::int64_t key = above.firstVisible(); key <= above.endVisible(); ++key) {
                const double x = view->viewport()->mapTo(&page, QPoint(0, 0)).x() + above.edge(key);
                QCOMPARE(bars->mapTo(&page, QPoint(0, 0)).x() + below.edge(key), x);
            }
            // The bar of the first occurrence's digit stands under its column, in the colour of occurrences.
            QCOMPARE(sourcePosition(m_fixture.example->sequence, 52), 37);
            const QImage image = pictureOf(*bars, 1.0);
            const QPoint foot(static_cast<int>(below.centre(37)), static_cast<int>(bars->plot().bottom()) - 4);
            QCOMPARE(image.pixelColor(foot), Theme::dark().occurrence);
        }
    }

    void overviewFramesWhatIsSeen()
    {
        HeadMapView view;
        view.resize(900, 600);
        MapOverview overview(&view);
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 3, 2)));
        view.show();
        QCOMPARE(overview.cellPixels(), 2.0);
        view.setCellPixels(20.0, {300, 300});
        const QRect seen = view.visibleCells();
        QCOMPARE(overview.frame().toRect().width(), seen.width() * 2);
        overview.resize(overview.sizeHint());
        overview.show();
        QTest::mousePress(&overview, Qt::LeftButton, {}, QPoint(150, 150));
        QTest::mouseRelease(&overview, Qt::LeftButton, {}, QPoint(150, 150));
        QCOMPARE(view.visibleCells().right(), 78);
        QCOMPARE(view.visibleCells().bottom(), 78);
        QTest::mousePress(&overview, Qt::LeftButton, {}, QPoint(2, 2));
        QCOMPARE(view.visibleCells().topLeft(), QPoint(0, 0));
    }

    void gridOfHeads()
    {
        HeadGrid grid;
        grid.setPalette(Theme::dark().palette());
        const ColourTable colours(ColourMap::Magma, ColourScale::shared());
        grid.setColours(colours, ColourTable(ColourMap::DivergingDark, ColourScale::sharedSigned()));
        grid.setExample(m_fixture.example);
        grid.resize(272, grid.heightForWidth(272));
        for (std::size_t layer = 0; layer < 4; ++layer) {
            std::vector<PyramidPointer> heads;
            for (std::size_t head = 0; head < 4; ++head)
                heads.push_back(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, layer, head)));
            QVERIFY(!grid.hasPicture({static_cast<std::int64_t>(layer), 0}));
            grid.setLayer(static_cast<std::int64_t>(layer), heads);
        }
        grid.show();
        const QImage image = pictureOf(grid, 1.0);
        const QRect cell = grid.cellRect({3, 2});
        const CellAxis axis = CellAxis::fitted(79, cell.width());
        const ValuePyramid values(tests::headOf(m_fixture, 3, 2));
        for (int y = 0; y < cell.height(); ++y) {
            for (int x = 0; x < cell.width(); ++x) {
                const bool isVisible =
                    values.isAnyVisible(axis.cellAt(y), axis.cellEnd(y), axis.cellAt(x), axis.cellEnd(x));
                const QRgb expected = isVisible
                    ? colours.colourOf(values.extreme(axis.cellAt(y), axis.cellEnd(y), axis.cellAt(x), axis.cellEnd(x)))
                    : Theme::dark().mask.rgb();
                QCOMPARE(image.pixel(cell.topLeft() + QPoint(x, y)), expected);
            }
        }
        QSignalSpy chosen(&grid, &HeadGrid::headChosen);
        QTest::keyClick(&grid, Qt::Key_Down);
        QCOMPARE(grid.choice(), (HeadChoice{1, 0}));
        QTest::keyClick(&grid, Qt::Key_End);
        QCOMPARE(grid.choice(), (HeadChoice{1, 3}));
        QTest::mouseClick(&grid, Qt::LeftButton, {}, grid.cellRect({3, 2}).center());
        QCOMPARE(grid.choice(), (HeadChoice{3, 2}));
        QCOMPARE(chosen.count(), 3);
        QTest::keyClick(&grid, Qt::Key_Down); // the edge holds
        QCOMPARE(chosen.count(), 3);
        QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(&grid);
        QVERIFY(interface->text(QAccessible::Value).startsWith(u"Layer 3, head 2"_s));
    }

private:
    tests::FixtureExample m_fixture;
};

QTEST_MAIN(TestHeadMapView)
#include "test_head_map_view.moc"
