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

#include "tests/patience.h"
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

class TestHeadMapInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QApplication::setStyle(u"fusion"_s);
        m_fixture = tests::fixtureExample("hybrid_square");
    }

    void keyboardWalk()
    {
        HeadMapView view;
        view.resize(900, 600);
        view.show();
        QSignalSpy moved(&view, &HeadMapView::cellChanged);
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 3, 2)));
        view.setCell({52, 37});
        QCOMPARE(moved.count(), 1);
        const auto press = [&view](Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
            QTest::keyClick(&view, key, modifiers);
            return view.cell();
        };
        QCOMPARE(press(Qt::Key_Right), (MapCell{52, 38}));
        QCOMPARE(press(Qt::Key_Left), (MapCell{52, 37}));
        QCOMPARE(press(Qt::Key_Down), (MapCell{53, 37}));
        QCOMPARE(press(Qt::Key_Up), (MapCell{52, 37}));
        QCOMPARE(press(Qt::Key_PageDown), (MapCell{60, 37}));
        QCOMPARE(press(Qt::Key_PageUp), (MapCell{52, 37}));
        QCOMPARE(press(Qt::Key_Right, Qt::ControlModifier), (MapCell{52, 45}));
        QCOMPARE(press(Qt::Key_Home), (MapCell{52, 0}));
        QCOMPARE(press(Qt::Key_Left), (MapCell{52, 0})); // the edge holds
        QCOMPARE(press(Qt::Key_End), (MapCell{52, 52}));
        QCOMPARE(press(Qt::Key_Home, Qt::ControlModifier), (MapCell{0, 52}));
        QCOMPARE(press(Qt::Key_End, Qt::ControlModifier), (MapCell{78, 52}));
        QVERIFY(view.visibleCells().contains(52, 78)); // scrolled to it
        press(Qt::Key_Home, Qt::ControlModifier);
        QVERIFY(view.visibleCells().contains(52, 0));

        QSignalSpy heads(&view, &HeadMapView::headStepAsked);
        QSignalSpy answers(&view, &HeadMapView::answerStepAsked);
        QSignalSpy wrong(&view, &HeadMapView::wrongAnswerAsked);
        press(Qt::Key_BracketLeft);
        press(Qt::Key_BracketRight);
        QCOMPARE(heads.value(0).value(0).toInt(), -1);
        QCOMPARE(heads.value(1).value(0).toInt(), 1);
        press(Qt::Key_J);
        press(Qt::Key_K);
        QCOMPARE(answers.value(0).value(0).toInt(), 1);
        QCOMPARE(answers.value(1).value(0).toInt(), -1);
        press(Qt::Key_F);
        QCOMPARE(wrong.count(), 1);

        QVERIFY(!view.isPinned());
        press(Qt::Key_Return);
        QVERIFY(view.isPinned());
        press(Qt::Key_Escape);
        QVERIFY(!view.isPinned());
    }

    void keyboardZoom()
    {
        HeadMapView view;
        view.resize(900, 600);
        view.show();
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 3, 2)));
        view.setCell({52, 37});
        const double fitted = view.cellPixels();
        QCOMPARE(view.fit(), HeadMapView::Fit::Width);
        QTest::keyClick(&view, Qt::Key_Plus);
        QVERIFY(view.cellPixels() > fitted);
        QCOMPARE(view.fit(), HeadMapView::Fit::Free);
        QVERIFY(view.visibleCells().contains(37, 52));
        QTest::keyClick(&view, Qt::Key_0);
        QCOMPARE(view.fit(), HeadMapView::Fit::Whole);
        QCOMPARE(view.visibleCells(), QRect(0, 0, 79, 79));
        const double least = view.cellPixels();
        QTest::keyClick(&view, Qt::Key_Minus);
        QCOMPARE(view.cellPixels(), least); // nothing smaller than the whole
        QTest::keyClick(&view, Qt::Key_0);
        QCOMPARE(view.fit(), HeadMapView::Fit::Width);
        for (int i = 0; i < 40; ++i)
            QTest::keyClick(&view, Qt::Key_Plus);
        QVERIFY(view.cellPixels() <= 48.0);
    }

    void endStaysInTheWindow()
    {
        HeadMapView view;
        view.resize(900, 600);
        view.show();
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 2, 0)));
        QCOMPARE(view.values()->map().window, 10);
        view.setCell({52, 48});
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.cell(), (MapCell{52, 43})); // the first key that the query sees
    }

    void tabLeaves()
    {
        QWidget page;
        QVBoxLayout layout(&page);
        auto *view = new HeadMapView;
        auto *next = new QWidget;
        next->setFocusPolicy(Qt::StrongFocus);
        layout.addWidget(view);
        layout.addWidget(next);
        view->setExample(m_fixture.example);
        page.resize(600, 500);
        page.show();
        page.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&page, testing::kPatience));
        view->setFocus();
        QVERIFY(view->hasFocus());
        QTest::keyClick(view, Qt::Key_Tab);
        QTRY_VERIFY(next->hasFocus());
    }

    void focusIsSeen()
    {
        HeadMapView view;
        view.setPalette(Theme::dark().palette());
        view.resize(700, 500);
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 3, 2)));
        view.show();
        view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&view, testing::kPatience));
        view.setFocus();
        QTRY_VERIFY(view.hasFocus());
        const QImage image = pictureOf(view, 1.0);
        const AxisPlacement keys = view.keys();
        const AxisPlacement queries = view.queries();
        const QPoint edge(static_cast<int>(keys.origin) - 2, static_cast<int>(queries.origin) + 50);
        QCOMPARE(image.pixelColor(edge), Theme::dark().focus);
        view.clearFocus();
        QVERIFY(pictureOf(view, 1.0).pixelColor(edge) != Theme::dark().focus);
    }

    void mouseReadsZoomsAndPans()
    {
        HeadMapView view;
        view.resize(900, 600);
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 3, 2)));
        view.show();
        view.setCell({20, 3});
        const auto placeOf = [&view](MapCell cell) {
            return QPoint(static_cast<int>(view.keys().centre(cell.key)),
                          static_cast<int>(view.queries().centre(cell.query)));
        };
        QSignalSpy pointer(&view, &HeadMapView::pointerChanged);
        QTest::mouseMove(view.viewport(), placeOf({30, 12}));
        QTRY_COMPARE(view.pointerCell(), (MapCell{30, 12}));
        QCOMPARE(view.cell(), (MapCell{20, 3})); // reading does not choose
        QCOMPARE(pointer.count(), 1);
        view.setPinned(true);
        QCOMPARE(view.pointerCell(), (MapCell{20, 3}));
        view.setPinned(false);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, placeOf({31, 14}));
        QCOMPARE(view.cell(), (MapCell{31, 14}));

        const QPoint anchor = placeOf({25, 30});
        QWheelEvent wheel(anchor, view.viewport()->mapToGlobal(anchor), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        const double before = view.cellPixels();
        QApplication::sendEvent(view.viewport(), &wheel);
        QVERIFY(view.cellPixels() > before * 1.3);
        QVERIFY((placeOf({25, 30}) - anchor).manhattanLength()
                <= view.cellPixels()); // the cell stays under the pointer

        const QRect seen = view.visibleCells();
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, anchor);
        QTest::mouseMove(view.viewport(), anchor - QPoint(60, 80));
        QTest::mouseMove(view.viewport(), anchor - QPoint(120, 160));
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, anchor - QPoint(120, 160));
        QVERIFY(view.visibleCells().left() > seen.left());
        QVERIFY(view.visibleCells().top() > seen.top());
        QCOMPARE(view.cell(), (MapCell{31, 14})); // a drag chooses nothing
    }

    void speaks()
    {
        HeadMapView view;
        view.setExample(m_fixture.example);
        view.setValues(std::make_shared<ValuePyramid>(tests::headOf(m_fixture, 3, 2)));
        view.setAccessibleName(u"Attention of layer 3, head 2"_s);
        view.setReader([](MapCell cell) { return u"query %1, key %2"_s.arg(cell.query).arg(cell.key); });
        view.setCell({52, 37});
        QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(&view);
        QVERIFY(interface);
        QCOMPARE(interface->role(), QAccessible::Chart);
        QCOMPARE(interface->text(QAccessible::Name), u"Attention of layer 3, head 2"_s);
        QCOMPARE(interface->text(QAccessible::Value), u"query 52, key 37"_s);
        QVERIFY(!interface->text(QAccessible::Help).isEmpty());
        QVERIFY(interface->state().focusable);
    }

private:
    tests::FixtureExample m_fixture;
};

QTEST_MAIN(TestHeadMapInput)
#include "test_head_map_input.moc"
