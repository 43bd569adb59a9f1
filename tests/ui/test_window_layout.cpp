// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Where things stand in the window: tabs stay, tables are whole.
#include <QDockWidget>
#include <QHeaderView>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "tests/patience.h"
#include "tests/ui/attention_desk.h"
#include "tests/ui/window_session.h"
#include "ui/theme/house_style.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using run::RunState;
using tests::FakeRunService;
using tests::WindowSession;

class TestWindowLayout : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const { return m_folder.filePath(u"%1.ini"_s.arg(QLatin1StringView(QTest::currentTestFunction()))); }

private Q_SLOTS:
    void initTestCase()
    {
        QApplication::setStyle(u"fusion"_s);
        applyHouseStyle(false);
    }

    // Pages show other docks; the tabs are where the pointer left them.
    void tabsStayWhereTheyAre()
    {
        WindowSession session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.open();
        session.window->resize(1440, 900);
        auto *tabs = session.window->findChild<QTabBar *>(u"pages"_s);
        QVERIFY(tabs && tabs->count() == 4);
        auto *dock = session.window->findChild<QDockWidget *>(u"experiment-dock"_s);
        const auto places = [&] {
            QList<QRect> rects;
            for (int i = 0; i < tabs->count(); ++i)
                rects.append(
                    QRect(tabs->mapTo(session.window.get(), tabs->tabRect(i).topLeft()), tabs->tabRect(i).size()));
            return rects;
        };
        QVERIFY(dock->isVisible());
        QCoreApplication::processEvents();
        const QList<QRect> before = places();
        for (const QRect &place : before)
            QVERIFY(session.window->rect().contains(place));
        for (const int index : {2, 1, 0, 2}) {
            QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(index).center());
            QCOMPARE(tabs->currentIndex(), index);
            QCoreApplication::processEvents();
            QCOMPARE(dock->isVisible(), index == 0);
            QCOMPARE(places(), before);
        }
        session.action(ActionId::TrainingPage)->trigger();
        session.action(ActionId::ExperimentDock)->trigger(); // hidden by hand
        QCoreApplication::processEvents();
        QVERIFY(!dock->isVisible());
        QCOMPARE(places(), before);
    }

    // Every row of the table of digits is whole, whatever rows the style makes.
    void theTableOfDigitsIsWhole_data()
    {
        QTest::addColumn<double>("points");
        QTest::newRow("usual text") << 10.0;
        QTest::newRow("large text") << 16.0;
    }

    void theTableOfDigitsIsWhole()
    {
        QFETCH(const double, points);
        tests::AttentionDesk desk;
        QFont font = desk.page.font();
        font.setPointSizeF(points);
        desk.page.setFont(font);
        desk.service.addRun(FakeRunService::smallConfig("hybrid_square"), RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        auto *table = tests::find<QTableView>(desk.page, "digitTable"_L1);
        QVERIFY(table->model()->rowCount() == 4);
        QTRY_VERIFY(table->viewport()->height() >= table->verticalHeader()->length());
        const QRect last = table->visualRect(table->model()->index(3, 0));
        QVERIFY(table->viewport()->rect().contains(last));
        QVERIFY(last.height() >= QFontMetrics(table->font()).height());
    }
};

QTEST_MAIN(TestWindowLayout)
#include "test_window_layout.moc"
