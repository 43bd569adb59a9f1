// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The circuit page in the window: its tab, the place of its side panel, and the way from a wrong answer to its example.
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "tests/ui/window_session.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/circuit_failures.h"
#include "ui/pages/circuit_page.h"
#include "ui/theme/house_style.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using lookback::tests::WindowSession;

class TestCircuitWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wrongAnswersLeadToTheirExamples()
    {
        QTemporaryDir folder;
        WindowSession session(folder.filePath(u"window.ini"_s));
        RunConfig config = tests::FakeRunService::smallConfig("hybrid_square");
        config.pairs = 4;
        const run::RunId run = session.service.addRun(config, run::RunState::Finished, 400);
        session.open();
        session.action(ActionId::CircuitPage)->trigger();
        QCOMPARE(session.window->currentPage(), u"circuit"_s);
        auto *page = qobject_cast<CircuitPage *>(session.window->page(u"circuit"_s));
        QVERIFY(page);
        QTRY_VERIFY(page->loader().isCurrent(CircuitPart::Grid));
        QVERIFY(session.action(ActionId::ExportFigure)->isEnabled());
        page->showBelow(CircuitPage::Below::Failures);
        QTest::mouseClick(page->findChild<QPushButton *>(u"collectFailures"_s), Qt::LeftButton);
        QTRY_VERIFY(page->loader().failures());
        QTableView *list = page->failures()->view();
        auto *attention = qobject_cast<AttentionPage *>(session.window->page(u"attention"_s));
        // One of another sequence, then the first again: the page had an example of its own each time.
        for (const int row : {list->model()->rowCount() - 1, 0}) {
            session.window->showPage(u"circuit"_s);
            const circuit::WrongDigit wrong = page->loader().failures()->list[static_cast<std::size_t>(row)];
            list->setCurrentIndex(list->model()->index(row, 0));
            QTest::keyClick(list, Qt::Key_Return);
            QCOMPARE(session.window->currentPage(), u"attention"_s);
            QTRY_VERIFY(attention->isUpToDate());
            QCOMPARE(attention->view()->cell().query, wrong.position);
        }
        const std::unique_ptr<Figure> figure = attention->figure();
        QVERIFY(figure && figure->fileName().contains(u"_n8_"_s));
    }

    // Heads that are chosen on the page of the circuit can be left out at the right of a comparison of maps.
    void chosenHeadsCanBeCompared()
    {
        QTemporaryDir folder;
        WindowSession session(folder.filePath(u"window.ini"_s));
        session.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        session.open();
        session.window->showPage(u"circuit"_s);
        auto *page = qobject_cast<CircuitPage *>(session.window->page(u"circuit"_s));
        QTRY_VERIFY(page->loader().isCurrent(CircuitPart::Grid));
        page->setChosen({{1, 0}, {1, 2}});
        session.window->showPage(u"attention"_s);
        auto *attention = qobject_cast<AttentionPage *>(session.window->page(u"attention"_s));
        QTRY_VERIFY(attention->isUpToDate());
        auto *menu = attention->findChild<QMenu *>(u"compareMenu"_s);
        Q_EMIT menu->aboutToShow();
        QAction *without = menu->actions().at(2)->menu()->actions().at(1);
        QVERIFY2(without->text().contains(u"1:0, 1:2"_s), qPrintable(without->text()));
        without->trigger();
        QTRY_VERIFY(attention->isUpToDate() && attention->comparison()->difference());
        QCOMPARE(attention->comparison()->rightExample()->key.intervention.heads,
                 (std::vector<HeadChoice>{{1, 0}, {1, 2}}));
        const std::unique_ptr<Figure> figure = attention->figure();
        QVERIFY(figure && figure->fileName().contains(u"beside"_s));
        QTest::keyClick(attention->view(), Qt::Key_Escape);
        QVERIFY(!attention->comparison()->isOn());
    }

    void theSidePanelIsNeverCut()
    {
        QTemporaryDir folder;
        WindowSession session(folder.filePath(u"window.ini"_s));
        session.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        session.open();
        session.window->showPage(u"circuit"_s);
        auto *page = qobject_cast<CircuitPage *>(session.window->page(u"circuit"_s));
        QTRY_VERIFY(page->loader().isCurrent(CircuitPart::Grid));
        auto *panel = page->findChild<QWidget *>(u"removalPanel"_s);
        QVERIFY(panel);
        const QSize sizes[] = {{1440, 900}, {1024, 700}};
        for (const bool isDark : {false, true, false, true}) {
            applyHouseStyle(isDark);
            for (const QSize &size : sizes) {
                session.window->showPage(u"training"_s);
                QCoreApplication::processEvents();
                session.window->resize(size);
                session.action(ActionId::ResetLayout)->trigger();
                session.window->showPage(u"circuit"_s);
                const auto right = [&] { return panel->mapTo(session.window.get(), QPoint(panel->width(), 0)).x(); };
                QTRY_VERIFY2(panel->width() <= panel->parentWidget()->width() && right() <= session.window->width(),
                             qPrintable(u"%1 in %2, to %3 of %4"_s.arg(panel->width())
                                            .arg(panel->parentWidget()->width())
                                            .arg(right())
                                            .arg(session.window->width())));
            }
        }
        applyHouseStyle(false);
    }

    void remembersHowItIsDrawn()
    {
        QTemporaryDir folder;
        {
            WindowSession session(folder.filePath(u"window.ini"_s));
            session.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
            session.open();
            session.window->showPage(u"circuit"_s);
            qobject_cast<CircuitPage *>(session.window->page(u"circuit"_s))
                ->setQuantity(circuit::HeadMeasure::KeyMatching);
            session.window->remember();
        }
        WindowSession session(folder.filePath(u"window.ini"_s));
        session.open();
        QCOMPARE(session.window->currentPage(), u"circuit"_s);
        QCOMPARE(session.window->findChild<QComboBox *>(u"circuitQuantity"_s)->currentText(), u"Key matching"_s);
    }
};

QTEST_MAIN(TestCircuitWindow)
#include "test_circuit_window.moc"
