// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window against a fake service: train, look, stop, close, come back.
#include <QAccessible>
#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLayout>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>
#include <QUndoStack>
#include <QtTest>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/window_session.h"
#include "ui/actions/action_set.h"
#include "ui/docks/experiment_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/models/runs_model.h"
#include "ui/pages/welcome_page.h"
#include "ui/settings/settings.h"
#include "ui/widgets/fitting_area.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using run::RunState;
using tests::FakeRunService;
using tests::smallSetup;
using tests::WindowSession;

namespace {

/// Rows below the header of a figure's CSV.
int csvRows(const Page *page)
{
    const std::unique_ptr<Figure> figure = page->figure();
    return figure ? static_cast<int>(figure->csv().trimmed().count(u'\n')) : 0;
}

void drop(QWidget *target, const QString &path)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(target, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(target, &event);
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const { return m_folder.filePath(u"%1.ini"_s.arg(QLatin1StringView(QTest::currentTestFunction()))); }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void theFirstStartTrainsWithOneButton()
    {
        WindowSession session(file());
        session.open();
        QVERIFY(session.window->isWelcomeShown());
        QVERIFY(!session.window->experiment()->trainButton()->isPrimary()); // one filled button a view
        QVERIFY(!session.action(ActionId::ExportFigure)->isEnabled());
        session.service.setAutomatic(50);
        session.window->welcome()->tryButton()->click();
        QVERIFY(!session.window->isWelcomeShown() || session.runs.order().empty());
        QTRY_COMPARE(session.runs.order().size(), 2U);
        QVERIFY(!session.window->isWelcomeShown());
        QVERIFY(session.hasCall("train hybrid_square seed 0"));
        QTRY_VERIFY(!session.service.isActive());
        session.deliver();
        for (const run::RunId &id : session.runs.order()) {
            QCOMPARE(session.stateOf(id), u"Finished"_s);
            QVERIFY(!session.runs.find(id)->accuracy.empty()); // evaluated by itself
        }
        session.action(ActionId::Welcome)->trigger();
        QVERIFY(session.window->isWelcomeShown());
    }

    void referenceRunsAreShownAndNamed()
    {
        WindowSession session(file());
        session.open();
        session.window->introduceReferenceRuns();
        QVERIFY(session.hasCall("add reference runs"));
        QCOMPARE(session.window->currentPage(), u"accuracy"_s);
        QVERIFY(session.window->messages()->sentence().startsWith(u"These runs came with Lookback"_s));
        session.window->messages()->dismiss();
        session.window->showPage(u"training"_s);
        session.action(ActionId::AddReferenceRuns)->trigger(); // from the menu, nothing else changes
        QCOMPARE(session.window->currentPage(), u"training"_s);
        QVERIFY(session.window->messages()->sentence().isEmpty());
    }

    void twoRunsFillEveryPage()
    {
        WindowSession session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope", "hybrid_square"}));
        session.action(ActionId::Train)->trigger();
        QTRY_COMPARE(session.runs.order().size(), 2U);
        QCOMPARE(session.window->currentPage(), u"training"_s);
        session.service.advance(1);
        session.service.advance(100);
        session.deliver();
        QTRY_VERIFY(csvRows(session.window->page(u"training"_s)) >= 22); // 11 points of each run
        QTRY_VERIFY(session.action(ActionId::ExportFigure)->isEnabled());
        QTRY_VERIFY(session.window->windowTitle().contains(u"2 runs · Lookback"_s));
        session.service.advanceToEnd();
        session.deliver();
        session.action(ActionId::AccuracyPage)->trigger();
        QCOMPARE(session.window->currentPage(), u"accuracy"_s);
        QTRY_VERIFY(csvRows(session.window->page(u"accuracy"_s)) >= 10);
        session.action(ActionId::AttentionPage)->trigger();
        QTRY_VERIFY(session.window->page(u"attention"_s)->figure() != nullptr);
        QTRY_COMPARE(session.window->windowTitle(), u"Attention · Lookback"_s);
        session.action(ActionId::CopyFigure)->trigger();
        QVERIFY(!QGuiApplication::clipboard()->image().isNull());
    }

    void eachPageRemembersItsDocks()
    {
        WindowSession session(file());
        session.open();
        const auto *runs = session.window->findChild<QDockWidget *>(u"runs-dock"_s);
        const auto *experiment = session.window->findChild<QDockWidget *>(u"experiment-dock"_s);
        QVERIFY(runs->isVisible() && experiment->isVisible());
        session.window->showPage(u"attention"_s);
        QVERIFY(!runs->isVisible() && !experiment->isVisible());
        session.action(ActionId::RunsDock)->trigger();
        QVERIFY(runs->isVisible() && !experiment->isVisible());
        session.action(ActionId::PreviousPage)->trigger();
        QCOMPARE(session.window->currentPage(), u"accuracy"_s);
        QVERIFY(!runs->isVisible());
        session.action(ActionId::NextPage)->trigger();
        QVERIFY(runs->isVisible());
        session.action(ActionId::ResetLayout)->trigger();
        QVERIFY(!runs->isVisible());
    }

    void closingWhileTrainingAsks()
    {
        WindowSession session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope", "hybrid", "rope_square"}));
        session.action(ActionId::Train)->trigger();
        session.service.advance(1);
        session.service.advance(50);
        session.deliver();
        QSignalSpy closed(session.window.get(), &MainWindow::closed);
        session.window->close();
        QVERIFY(session.window->isVisible());
        QPointer<QMessageBox> question = session.window->closeQuestion();
        QVERIFY(question && question->isVisible());
        QVERIFY(question->informativeText().contains(u"hybrid · seed 0"_s));
        QCOMPARE(question->defaultButton()->objectName(), u"keep-training"_s); // the harmless one
        question->button(QMessageBox::Cancel)->click();
        QVERIFY(!session.hasCall("stop all"));
        QTRY_VERIFY(!session.window->closeQuestion());

        session.window->close();
        session.window->closeQuestion()->findChild<QPushButton *>(u"stop-and-save"_s)->click();
        QVERIFY(session.hasCall("stop all"));
        QCOMPARE(closed.size(), 0); // still stopping
        session.window->close(); // impatient: nothing happens twice
        QVERIFY(session.window->isVisible());
        session.service.advance(1);
        QTRY_COMPARE(closed.size(), 1);
        QVERIFY(!session.window->isVisible());
        for (const run::RunId &id : session.runs.order())
            QVERIFY(!RunCollection::isActive(session.runs.find(id)->snapshot.state));
    }

    void aSignalStopsWithoutAsking()
    {
        WindowSession session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        session.action(ActionId::Train)->trigger();
        session.service.advance(1);
        session.service.advance(50);
        session.deliver();
        QSignalSpy closed(session.window.get(), &MainWindow::closed);
        session.window->quitOrderly();
        QVERIFY(!session.window->closeQuestion());
        session.service.advance(1);
        QTRY_COMPARE(closed.size(), 1);
    }

    void theNextStartIsAsTheLastEnd()
    {
        const QString settings = file();
        {
            WindowSession session(settings);
            session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
            session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Finished, 400);
            session.open();
            session.window->resize(1100, 760);
            session.window->experiment()->setSetup(smallSetup({"hybrid_square_kda"}));
            session.window->experiment()->setAdvancedOpen(true);
            session.runs.setShown("/runs/rope-seed0", false);
            session.runs.select("/runs/hybrid-seed0");
            session.window->runsPanel()->view()->horizontalHeader()->resizeSection(RunsModel::State, 140);
            session.window->showPage(u"accuracy"_s);
            QVERIFY(session.window->close());
        }
        WindowSession session(settings);
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Finished, 400);
        session.open();
        QCOMPARE(session.window->size(), QSize(1100, 760));
        QCOMPARE(session.window->currentPage(), u"accuracy"_s);
        QVERIFY(session.window->experiment()->setup() == smallSetup({"hybrid_square_kda"}));
        QVERIFY(session.window->experiment()->isAdvancedOpen());
        QTRY_COMPARE(session.runs.order().size(), 2U);
        QVERIFY(!session.runs.find("/runs/rope-seed0")->isShown);
        QCOMPARE(session.runs.selected(), run::RunId("/runs/hybrid-seed0"));
        QCOMPARE(session.window->runsPanel()->view()->horizontalHeader()->sectionSize(RunsModel::State), 140);
        QVERIFY(!session.window->isWelcomeShown());
    }

    void aKilledProgramComesBackAsItTrained()
    {
        const QString settings = file();
        WindowSession killed(settings);
        killed.open();
        killed.window->experiment()->setSetup(smallSetup({"hybrid"}));
        killed.action(ActionId::Train)->trigger();
        killed.deliver(); // and never closes

        WindowSession session(settings);
        session.open();
        QVERIFY(session.window->experiment()->setup() == smallSetup({"hybrid"}));
    }

    void aMessageOfTheStatusBarStandsAlone()
    {
        WindowSession session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        session.action(ActionId::Train)->trigger();
        session.window->statusBar()->showMessage(u"A hint"_s);
        session.service.advance(1);
        session.service.advance(50);
        session.deliver();
        const auto *steps = session.window->findChild<QLabel *>(u"steps"_s);
        const auto *activity = session.window->findChild<QLabel *>(u"activity"_s);
        QTRY_VERIFY(!steps->text().isEmpty());
        QVERIFY(!activity->isVisible());
        QVERIFY(!steps->isVisible());
        session.window->statusBar()->clearMessage();
        QVERIFY(activity->isVisible());
        QVERIFY(steps->isVisible());
    }

    void nothingIsCutInASmallWindow_data()
    {
        QTest::addColumn<int>("points");
        QTest::newRow("usual text") << 10;
        QTest::newRow("large text") << 14;
    }

    void nothingIsCutInASmallWindow()
    {
        QFETCH(int, points);
        const QFont usual = QApplication::font();
        const auto restore = qScopeGuard([&usual] { QApplication::setFont(usual); });
        QFont font = usual;
        font.setPointSize(points);
        QApplication::setFont(font);
        WindowSession session(file());
        session.open();
        QVERIFY(session.window->minimumWidth() <= 1024 && session.window->minimumHeight() <= 700);
        for (const QSize &size : {session.window->minimumSize(), QSize(1024, 700)}) {
            for (const bool isOpen : {false, true}) {
                session.window->resize(size);
                ExperimentPanel *panel = session.window->experiment();
                panel->setAdvancedOpen(isOpen);
                QCoreApplication::processEvents();
                QCoreApplication::processEvents();
                QCOMPARE(session.window->size(), size);
                const QLayout *column = panel->layout();
                for (int i = 0; i < column->count(); ++i) {
                    const QRect part = column->itemAt(i)->geometry();
                    QVERIFY2(panel->rect().adjusted(0, 0, 0, 1).contains(part), qPrintable(QString::number(i)));
                    for (int j = 0; j < i; ++j)
                        QVERIFY(!part.intersects(column->itemAt(j)->geometry()));
                }
                const auto *area = panel->findChild<FittingArea *>();
                QTRY_VERIFY(area->widget()->width() <= area->viewport()->width()); // once its scroll bar has come
                QVERIFY(area->height() >= 3 * panel->fontMetrics().height());
                for (const QLabel *label : session.window->welcome()->findChildren<QLabel *>()) {
                    if (label->isVisible() && label->wordWrap())
                        QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
                }
            }
        }
    }

    void settingsOfAnotherTimeDoNoHarm()
    {
        const QString settings = file();
        {
            Settings written(settings);
            written.setup.setValue(u"{\"kind\": \"lookback-set-up\", \"version\": 99}"_s);
            written.geometry.setValue("rubbish");
            written.state.setValue("rubbish");
            written.runsHeader.setValue("rubbish");
            written.page.setValue(u"a page that is gone"_s);
            written.selectedRun.setValue(u"/a/run/that/is/gone"_s);
            written.setViewStateOf(u"training"_s, {{u"smoothing"_s, u"much"_s}});
        }
        WindowSession session(settings);
        session.open();
        QCOMPARE(session.window->currentPage(), u"training"_s);
        QVERIFY(session.window->experiment()->setup() == ExperimentSetup::initial());
    }

    void whatGoesWrongIsSaid()
    {
        WindowSession session(file());
        session.open();
        session.service.failAt("rope", 30, "The disk is full.");
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        session.action(ActionId::Train)->trigger();
        session.service.advance(1);
        session.deliver();
        session.service.advance(50);
        session.deliver();
        QCOMPARE(session.window->messages()->sentence(), u"rope · seed 0 failed. The disk is full."_s);
        session.service.tellNotice({{}, "Cannot delete \"rope\": permission denied.", "EACCES"});
        session.deliver();
        QCOMPARE(session.window->messages()->sentence(), u"Cannot delete \"rope\": permission denied."_s);
    }

    void droppedFoldersAndSetUpsOpen()
    {
        WindowSession session(file());
        session.open();
        QDir folder(m_folder.path());
        QVERIFY(folder.mkpath(u"other runs"_s));
        drop(session.window.get(), folder.filePath(u"other runs"_s));
        QTRY_VERIFY(session.hasCall("open " + folder.filePath(u"other runs"_s).toStdString()));
        QCOMPARE(session.settings.recentFolders.value().front(), folder.filePath(u"other runs"_s));

        QFile setup(folder.filePath(u"mine.json"_s));
        QVERIFY(setup.open(QIODevice::WriteOnly));
        setup.write(QByteArray::fromStdString(smallSetup({"partial_rope"}).toJson()));
        setup.close();
        drop(session.window.get(), setup.fileName());
        QTRY_VERIFY(session.window->experiment()->setup() == smallSetup({"partial_rope"}));
        QCOMPARE(session.window->undoStack()->undoText(), u"open set-up mine.json"_s);

        QVERIFY(setup.open(QIODevice::WriteOnly));
        setup.write("{}");
        setup.close();
        drop(session.window.get(), setup.fileName());
        QTRY_VERIFY(session.window->messages()->sentence().contains(u"not a Lookback set-up"_s));

        QFile picture(folder.filePath(u"picture.png"_s));
        QVERIFY(picture.open(QIODevice::WriteOnly));
        picture.close();
        drop(session.window.get(), picture.fileName());
        QTRY_VERIFY(session.window->statusBar()->currentMessage().contains(u"neither"_s));
    }

    void everythingThatTakesFocusHasAName()
    {
        WindowSession session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.open();
        session.deliver();
        for (const char *page : {"training", "accuracy", "attention", "circuit"}) {
            session.window->showPage(QLatin1StringView(page));
            session.deliver();
            for (QWidget *widget : session.window->findChildren<QWidget *>()) {
                if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible()
                    || widget->objectName().startsWith(u"qt_"_s))
                    continue;
                QAccessibleInterface *spoken = QAccessible::queryAccessibleInterface(widget);
                QVERIFY(spoken);
                const QString name = spoken->text(QAccessible::Name) + spoken->text(QAccessible::Description);
                QVERIFY2(
                    !name.isEmpty(),
                    qPrintable(u"%1 %2 on %3 says nothing"_s.arg(QLatin1StringView(widget->metaObject()->className()),
                                                                 widget->objectName(), QLatin1StringView(page))));
            }
        }
    }
};

QTEST_MAIN(TestMainWindow)
#include "test_main_window.moc"
