// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with runs: pause, stop, delete, filter, continue, train the same again.
#include <QAction>
#include <QClipboard>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

#include <csignal>

#include "tests/core/file_size_limit.h"
#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/window_session.h"
#include "ui/actions/action_set.h"
#include "ui/docks/experiment_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/settings/settings.h"
#include "ui/widgets/message_bar.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using run::RunState;
using tests::FakeRunService;
using tests::smallSetup;
using tests::WindowSession;

class TestMainWindowRuns : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const { return m_folder.filePath(u"%1.ini"_s.arg(QLatin1StringView(QTest::currentTestFunction()))); }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    /// A full disk when a training starts: the window says that it will not remember, and trains.
    void settingsThatCannotBeWrittenAreSaid()
    {
        std::signal(SIGXFSZ, SIG_IGN);
        WindowSession session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        {
            const test::FileSizeLimit limit(100);
            session.action(ActionId::Train)->trigger();
            session.deliver();
        }
        QVERIFY2(session.window->messages()->sentence().contains(u"cannot be written"_s),
                 qPrintable(session.window->messages()->sentence()));
        session.service.advanceToEnd();
        session.deliver();
        QCOMPARE(session.stateOf(session.runs.order().front()), u"Finished"_s);
    }

    void runsArePausedContinuedAndStopped()
    {
        WindowSession session(file());
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

    void whatCouldNotBeSavedKeepsTheWindowOpen()
    {
        WindowSession session(file());
        session.open();
        session.service.failAt("rope", 51, "The disk is full.");
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        session.action(ActionId::Train)->trigger();
        session.service.advance(1);
        session.service.advance(50);
        session.deliver();
        QSignalSpy closed(session.window.get(), &MainWindow::closed);
        session.window->close();
        session.window->closeQuestion()->findChild<QPushButton *>(u"stop-and-save"_s)->click();
        session.service.advance(1); // fails instead of stopping
        QTRY_COMPARE(session.window->messages()->sentence(),
                     u"Not saved. rope · seed 0: The disk is full. Close again to leave without it."_s);
        QVERIFY(session.window->isVisible());
        QCOMPARE(closed.size(), 0);
        session.window->close();
        QCOMPARE(closed.size(), 1);
    }

    void theListOfRunsIsFiltered()
    {
        WindowSession session(file());
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
        WindowSession session(file());
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
        QVERIFY(!session.service.isActive());
        session.deliver();
        QCOMPARE(ended.size(), 1);
        QCOMPARE(work.size(), 0);
    }

    void interruptedRunsAreOffered()
    {
        WindowSession session(file());
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
        WindowSession session(file());
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
        WindowSession session(file());
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

    /// A folder that does not answer, or one whose runs go on, says nothing about another folder.
    void whatIsInAnotherFolderIsNoCopy()
    {
        WindowSession session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope"}));
        session.action(ActionId::Train)->trigger(); // the list has not heard of it yet
        const auto isAsked = [&] {
            session.action(ActionId::Train)->trigger();
            QMessageBox *question = session.window->experiment()->copyQuestion();
            if (question)
                question->button(QMessageBox::Cancel)->click();
            return question != nullptr;
        };
        session.window->openFolder(u"/other"_s);
        QVERIFY(!isAsked());
        QCOMPARE(session.count("train "), 2);
        session.deliver(); // now both are listed
        QTRY_VERIFY(!session.window->experiment()->copyQuestion());
        QVERIFY(isAsked());
        session.window->openFolder(u"/third"_s);
        session.deliver();
        QTRY_VERIFY(!session.window->experiment()->copyQuestion());
        QVERIFY(!isAsked());
        session.window->openFolder(u"/runs"_s);
        session.deliver();
        QVERIFY(isAsked());
        QCOMPARE(session.count("train "), 3);
    }

    void trainingWhatWasStoppedOffersToContinue()
    {
        WindowSession session(file());
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
};

QTEST_MAIN(TestMainWindowRuns)
#include "test_main_window_runs.moc"
