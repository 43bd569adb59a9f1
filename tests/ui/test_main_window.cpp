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
#include <QLineEdit>
#include <QMenu>
#include <QLayout>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>
#include <QUndoStack>
#include <QtTest>

#include "tests/ui/fake_run_service.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
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

namespace {

/// One session of the program: a window on a fake service, with settings in a file.
struct Session {
    FakeRunService service;
    Settings settings;
    RunBridge bridge{&service};
    RunCollection runs{&bridge};
    std::unique_ptr<MainWindow> window;

    explicit Session(const QString &file) : settings(file) { }

    void open()
    {
        window = std::make_unique<MainWindow>(&bridge, &runs, &settings);
        service.openFolder("/runs");
        window->show();
        deliver();
    }
    void deliver()
    {
        QTRY_VERIFY(service.takesNothing());
        QCoreApplication::processEvents();
    }
    QAction *action(ActionId id) const { return window->actions()->action(id); }
    bool hasCall(const std::string &call) const
    {
        return std::ranges::find(service.calls(), call) != service.calls().end();
    }
    QString stateOf(const run::RunId &id) const { return RunsModel::stateTitle(runs.find(id)->snapshot.state); }
    QPushButton *barButton() const { return window->messages()->findChild<QPushButton *>(); }
};

ExperimentSetup smallSetup(std::vector<std::string> variants)
{
    ExperimentSetup setup;
    setup.variants = std::move(variants);
    setup.config = FakeRunService::smallConfig("rope");
    return setup;
}

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
        Session session(file());
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

    void twoRunsFillEveryPage()
    {
        Session session(file());
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
        Session session(file());
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

    void runsArePausedContinuedAndStopped()
    {
        Session session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope", "hybrid"}));
        session.action(ActionId::Train)->trigger();
        session.deliver();
        QTRY_COMPARE(session.window->runsPanel()->selectedRuns().size(), 1U); // the first new run
        QTableView *view = session.window->runsPanel()->view();
        view->selectAll();
        QVERIFY(!session.action(ActionId::PauseRun)->isEnabled()); // queued
        session.service.advance(1);
        session.service.advance(20);
        session.deliver();
        QVERIFY(session.action(ActionId::PauseRun)->isEnabled());
        QVERIFY(!session.action(ActionId::ResumeRun)->isEnabled());
        QVERIFY(!session.action(ActionId::DeleteRun)->isEnabled());
        session.action(ActionId::PauseRun)->trigger();
        session.deliver();
        QCOMPARE(session.stateOf(session.runs.order().front()), u"Paused"_s);
        session.action(ActionId::ResumeRun)->trigger();
        session.action(ActionId::SaveCheckpoint)->trigger();
        session.service.advance(1);
        session.action(ActionId::StopRun)->trigger();
        session.service.advance(1);
        session.deliver();
        for (const run::RunId &id : session.runs.order()) {
            QCOMPARE(session.stateOf(id), u"Stopped"_s);
            QVERIFY(!session.runs.find(id)->snapshot.checkpointSteps.empty());
        }
        session.action(ActionId::EvaluateRun)->trigger();
        session.service.advanceToEnd();
        session.deliver();
        QCOMPARE(session.runs.find(session.runs.order().front())->accuracy.size(), 1U);
        session.action(ActionId::ToggleCurve)->trigger();
        QVERIFY(!session.runs.find(session.runs.order().front())->isShown);
        session.action(ActionId::CopyCommand)->trigger();
        const QString command = QGuiApplication::clipboard()->text();
        QVERIFY2(command.startsWith(u"lookback-cli train --variant"_s) && command.contains(u"--set d_model=32"_s),
                 qPrintable(command));
    }

    void deletingOffersUndoInPlace()
    {
        Session session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Stopped, 200);
        session.open();
        QTRY_COMPARE(session.runs.order().size(), 2U);
        session.window->runsPanel()->view()->selectAll();
        session.action(ActionId::DeleteRun)->trigger();
        session.deliver();
        QCOMPARE(session.runs.order().size(), 0U);
        MessageBar *bar = session.window->runsPanel()->messages();
        QCOMPARE(bar->sentence(), u"2 runs were moved to the trash."_s);
        bar->findChild<QPushButton *>()->click();
        session.deliver();
        QCOMPARE(session.runs.order().size(), 2U);
        QCOMPARE(bar->sentence(), QString());
        QVERIFY(!session.action(ActionId::RestoreRun)->isEnabled());
    }

    void closingWhileTrainingAsks()
    {
        Session session(file());
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
        Session session(file());
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
            Session session(settings);
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
        Session session(settings);
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
        Session killed(settings);
        killed.open();
        killed.window->experiment()->setSetup(smallSetup({"hybrid"}));
        killed.action(ActionId::Train)->trigger();
        killed.deliver(); // and never closes

        Session session(settings);
        session.open();
        QVERIFY(session.window->experiment()->setup() == smallSetup({"hybrid"}));
    }

    void aMessageOfTheStatusBarStandsAlone()
    {
        Session session(file());
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
        Session session(file());
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
                QVERIFY(area->widget()->width() <= area->viewport()->width());
                QVERIFY(area->height() >= 3 * panel->fontMetrics().height());
                for (const QLabel *label : session.window->welcome()->findChildren<QLabel *>()) {
                    if (label->isVisible() && label->wordWrap())
                        QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
                }
            }
        }
    }

    void theListOfRunsIsFiltered()
    {
        Session session(file());
        for (const char *variant : {"rope", "hybrid", "hybrid_square", "partial_rope"})
            session.service.addRun(FakeRunService::smallConfig(variant), RunState::Finished, 400);
        session.service.addRun(FakeRunService::smallConfig("hybrid", 3), RunState::Stopped, 200);
        session.open();
        session.window->showPage(u"attention"_s); // where the list is hidden
        session.action(ActionId::FindRun)->trigger();
        RunsPanel *panel = session.window->runsPanel();
        QVERIFY(panel->isVisible() && panel->filter()->isVisible());
        QCOMPARE(QApplication::focusWidget(), panel->filter());
        QTest::keyClicks(panel->filter(), u"HYBRID"_s);
        QCOMPARE(panel->view()->model()->rowCount(), 3);
        QCOMPARE(panel->summary(), u"3 of 5 shown"_s);
        QTest::keyClicks(panel->filter(), u" stopped"_s);
        QCOMPARE(panel->view()->model()->rowCount(), 1);
        QTest::keyClick(panel->filter(), Qt::Key_Down);
        QCOMPARE(panel->selectedRuns(), std::vector<run::RunId>{"/runs/hybrid-seed3"});
        panel->filter()->setFocus();
        QTest::keyClicks(panel->filter(), u" nothing"_s);
        QCOMPARE(panel->view()->model()->rowCount(), 0);
        QVERIFY(panel->selectedRuns().empty()); // nothing happens to what is not seen
        QVERIFY(!session.action(ActionId::DeleteRun)->isEnabled());
        QTest::keyClick(panel->filter(), Qt::Key_Escape);
        QVERIFY(!panel->filter()->isVisible());
        QCOMPARE(panel->view()->model()->rowCount(), 5);
    }

    void longRunsAreToldToWhoLooksElsewhere()
    {
        Session session(file());
        session.open();
        QSignalSpy work(session.window.get(), &MainWindow::workChanged);
        QSignalSpy ended(session.window.get(), &MainWindow::endedUnseen);
        QWidget other;
        other.show();
        QApplication::setActiveWindow(&other);
        QVERIFY(!session.window->isActiveWindow());
        ExperimentSetup setup = smallSetup({"rope"}); // 33 s by the fake's clock
        session.window->experiment()->setSetup(setup);
        session.action(ActionId::Train)->trigger();
        QTRY_COMPARE(work.size(), 1);
        QVERIFY(!work.takeFirst().front().toString().isEmpty());
        session.service.advanceToEnd();
        session.deliver();
        QTRY_COMPARE(work.size(), 1);
        QVERIFY(work.takeFirst().front().toString().isEmpty());
        QCOMPARE(ended.size(), 0);

        setup.config = FakeRunService::smallConfig("rope", 0, 2000);
        session.window->experiment()->setSetup(setup);
        session.action(ActionId::Train)->trigger();
        session.deliver();
        session.service.advanceToEnd();
        session.deliver();
        QTRY_COMPARE(ended.size(), 1);
        QCOMPARE(ended.front().front().toString(), u"rope · seed 0 (2) has finished"_s);

        session.settings.alertsAtEnd.setValue(false);
        session.settings.keepsAwake.setValue(false);
        work.clear();
        setup.config = FakeRunService::smallConfig("rope", 0, 3000);
        session.window->experiment()->setSetup(setup);
        session.action(ActionId::Train)->trigger();
        session.deliver();
        session.service.advanceToEnd();
        session.deliver();
        QTRY_VERIFY(!session.service.isActive());
        QCOMPARE(ended.size(), 1);
        QCOMPARE(work.size(), 0);
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
        Session session(settings);
        session.open();
        QCOMPARE(session.window->currentPage(), u"training"_s);
        QVERIFY(session.window->experiment()->setup() == ExperimentSetup::initial());
    }

    void interruptedRunsAreOffered()
    {
        Session session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Interrupted, 250);
        session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Finished, 400);
        session.open();
        QTRY_COMPARE(session.window->messages()->sentence(),
                     u"A run was interrupted. Can go on: rope · seed 0 at step 200."_s);
        session.barButton()->click();
        QVERIFY(session.hasCall("resume rope-seed0"));
        QCOMPARE(session.window->messages()->sentence(), QString());
    }

    void interruptedRunsWithoutACheckpointAreOfferedToo()
    {
        Session session(file());
        const std::vector<std::string> variants = {"hybrid", "partial_rope", "rope", "rope_square"};
        for (const std::string &variant : variants)
            session.service.addRun(FakeRunService::smallConfig(variant), RunState::Interrupted,
                                   variant == "rope" ? 250 : 3);
        session.open();
        QTRY_VERIFY(!session.window->messages()->sentence().isEmpty());
        const QString sentence = session.window->messages()->sentence();
        QVERIFY2(sentence.startsWith(u"4 runs were interrupted."_s), qPrintable(sentence));
        QVERIFY2(sentence.contains(u"rope · seed 0 at step 200."_s), qPrintable(sentence));
        QVERIFY2(sentence.contains(
                     u"starts again at step 0: hybrid · seed 0, partial_rope · seed 0, rope_square · seed 0"_s),
                 qPrintable(sentence));
        session.barButton()->click();
        for (const std::string &variant : variants)
            QVERIFY(session.hasCall("resume " + variant + "-seed0"));
    }

    void trainingTheSameAgainAsksOnce()
    {
        Session session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        const auto trained = [&] {
            return std::ranges::count_if(session.service.calls(),
                                         [](const std::string &call) { return call.starts_with("train "); });
        };
        const auto question = [&] { return session.window->experiment()->copyQuestion(); };
        const auto press = [&](const QString &button) {
            auto *found = question()->findChild<QPushButton *>(button);
            QVERIFY(found);
            found->click();
            QTRY_VERIFY(!question());
        };
        for (int i = 0; i < 3; ++i)
            session.action(ActionId::Train)->trigger(); // at once: the first is not even in the list
        QCOMPARE(trained(), 1);
        QVERIFY(question() && question()->text().contains(u"already in this folder"_s));
        QCOMPARE(question()->findChildren<QPushButton *>(u"train-others"_s).size(), 0);
        QCOMPARE(question()->defaultButton(), question()->button(QMessageBox::Cancel)); // the harmless one
        QTest::keyClick(question(), Qt::Key_Return);
        QTRY_VERIFY(!question());
        QCOMPARE(trained(), 1);

        session.service.advanceToEnd();
        session.deliver();
        session.action(ActionId::Train)->trigger();
        QVERIFY2(question()->text().contains(u"rope · seed 0 (finished)"_s), qPrintable(question()->text()));
        press(u"train-copies"_s);
        QCOMPARE(trained(), 2);
        session.deliver();

        // Another variant beside it: only what is new, unless copies are wanted.
        session.window->experiment()->setSetup(smallSetup({"rope", "hybrid"}));
        session.action(ActionId::Train)->trigger();
        QVERIFY2(question()->text().startsWith(u"rope · seed 0"_s), qPrintable(question()->text()));
        press(u"train-others"_s);
        QCOMPARE(trained(), 3);
        QCOMPARE(session.service.calls().back(), std::string("train hybrid seed 0"));

        // Other settings are another run.
        ExperimentSetup other = smallSetup({"rope"});
        other.config.batch += 1;
        session.window->experiment()->setSetup(other);
        session.action(ActionId::Train)->trigger();
        QVERIFY(!question());
        QCOMPARE(trained(), 4);
    }

    void trainingWhatWasStoppedOffersToContinue()
    {
        Session session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Stopped, 200);
        session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Failed, 200);
        session.open();
        QTRY_COMPARE(session.runs.order().size(), 2U);
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        session.action(ActionId::Train)->trigger();
        QMessageBox *question = session.window->experiment()->copyQuestion();
        QVERIFY(question && question->text().contains(u"(stopped)"_s));
        question->findChild<QPushButton *>(u"train-others"_s)->click();
        QVERIFY(session.hasCall("resume rope-seed0"));
        QTRY_VERIFY(!session.window->experiment()->copyQuestion());
        session.window->experiment()->setSetup(smallSetup({"hybrid"}));
        session.action(ActionId::Train)->trigger(); // a failed one may simply be tried again
        QVERIFY(!session.window->experiment()->copyQuestion());
    }

    void whatGoesWrongIsSaid()
    {
        Session session(file());
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
        Session session(file());
        session.open();
        QDir folder(m_folder.path());
        QVERIFY(folder.mkpath(u"other runs"_s));
        drop(session.window.get(), folder.filePath(u"other runs"_s));
        QVERIFY(session.hasCall("open " + folder.filePath(u"other runs"_s).toStdString()));
        QCOMPARE(session.settings.recentFolders.value().front(), folder.filePath(u"other runs"_s));

        QFile setup(folder.filePath(u"mine.json"_s));
        QVERIFY(setup.open(QIODevice::WriteOnly));
        setup.write(QByteArray::fromStdString(smallSetup({"partial_rope"}).toJson()));
        setup.close();
        drop(session.window.get(), setup.fileName());
        QVERIFY(session.window->experiment()->setup() == smallSetup({"partial_rope"}));
        QCOMPARE(session.window->undoStack()->undoText(), u"open set-up mine.json"_s);

        QVERIFY(setup.open(QIODevice::WriteOnly));
        setup.write("{}");
        setup.close();
        drop(session.window.get(), setup.fileName());
        QVERIFY(session.window->messages()->sentence().contains(u"not a Lookback set-up"_s));

        QFile picture(folder.filePath(u"picture.png"_s));
        QVERIFY(picture.open(QIODevice::WriteOnly));
        picture.close();
        drop(session.window.get(), picture.fileName());
        QVERIFY(session.window->statusBar()->currentMessage().contains(u"neither"_s));
    }

    void everythingThatTakesFocusHasAName()
    {
        Session session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.open();
        session.deliver();
        for (const char *page : {"training", "accuracy", "attention"}) {
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
