// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Deleting runs asks, and every deletion can be taken back by its name.
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/patience.h"
#include "tests/ui/window_session.h"
#include "ui/docks/runs_panel.h"
#include "ui/widgets/message_bar.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using run::RunState;
using tests::FakeRunService;
using tests::WindowSession;

namespace {

QMessageBox *questionOf(const WindowSession &session)
{
    return session.window->runsPanel()->deleteQuestion();
}

void press(QMessageBox *question, const QString &name)
{
    QTest::mouseClick(question->findChild<QPushButton *>(name), Qt::LeftButton);
}

void deleteOne(WindowSession &session, const run::RunId &id)
{
    session.window->runsPanel()->selectOnly(id);
    session.action(ActionId::DeleteRun)->trigger();
    press(questionOf(session), u"delete-runs"_s);
    session.deliver();
}

} // namespace

class TestDeleting : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const { return m_folder.filePath(u"%1.ini"_s.arg(QLatin1StringView(QTest::currentTestFunction()))); }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void asksFirst()
    {
        WindowSession session(file());
        const run::RunId rope = session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.open();
        QTRY_COMPARE(session.runs.order().size(), 1U);
        session.window->runsPanel()->selectOnly(rope);
        session.action(ActionId::DeleteRun)->trigger();
        QPointer<QMessageBox> question = questionOf(session);
        QVERIFY(question && question->isVisible());
        QCOMPARE(question->text(), u"Delete rope · seed 0?"_s);
        QVERIFY(question->informativeText().contains(u".trash"_s));
        QVERIFY(question->informativeText().contains(u"Undo"_s));
        QTRY_VERIFY(question->informativeText().contains(u"bytes"_s)); // its size: there is no such folder here
        QCOMPARE(question->defaultButton(), question->button(QMessageBox::Cancel));
        session.action(ActionId::DeleteRun)->trigger(); // one question at a time
        QCOMPARE(session.window->findChildren<QMessageBox *>(u"delete-question"_s).size(), 1);
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : question.data(), Qt::Key_Return);
        QTRY_VERIFY(!question);
        session.deliver();
        QCOMPARE(session.count("delete"), 0);
        QCOMPARE(session.runs.order().size(), 1U);

        session.action(ActionId::DeleteRun)->trigger();
        press(questionOf(session), u"delete-runs"_s);
        session.deliver();
        QCOMPARE(session.count("delete"), 1);
        QCOMPARE(session.runs.order().size(), 0U);
    }

    void tellsTheSizeOfAllRuns()
    {
        WindowSession session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Stopped, 200);
        session.open();
        QTRY_COMPARE(session.runs.order().size(), 2U);
        session.window->runsPanel()->view()->selectAll();
        session.action(ActionId::DeleteRun)->trigger();
        QMessageBox *question = questionOf(session);
        QCOMPARE(question->text(), u"Delete 2 runs?"_s);
        for (const run::RunId &id : session.runs.order())
            QVERIFY(question->informativeText().contains(session.runs.find(id)->title));
        QTRY_VERIFY(question->informativeText().contains(u"bytes"_s));
        question->reject();
    }

    void offersUndoInPlace()
    {
        WindowSession session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Stopped, 200);
        session.open();
        QTRY_COMPARE(session.runs.order().size(), 2U);
        session.window->runsPanel()->view()->selectAll();
        session.action(ActionId::DeleteRun)->trigger();
        press(questionOf(session), u"delete-runs"_s);
        session.deliver();
        QCOMPARE(session.runs.order().size(), 0U);
        MessageBar *bar = session.window->runsPanel()->messages();
        QVERIFY2(bar->sentence().startsWith(u"2 runs were moved to the trash: "_s), qPrintable(bar->sentence()));
        bar->findChild<QPushButton *>()->click();
        session.deliver();
        QCOMPARE(session.runs.order().size(), 2U);
        QCOMPARE(bar->sentence(), QString());
        QVERIFY(!session.action(ActionId::RestoreRun)->isEnabled());
    }

    // Whatever is undone, by the bar or by the menu: what is named is what comes back.
    void undoNamesWhatItBringsBack()
    {
        WindowSession session(file());
        const run::RunId rope = session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        const run::RunId hybrid =
            session.service.addRun(FakeRunService::smallConfig("hybrid"), RunState::Finished, 400);
        const run::RunId kda = session.service.addRun(FakeRunService::smallConfig("kda"), RunState::Finished, 400);
        session.open();
        QTRY_COMPARE(session.runs.order().size(), 3U);
        MessageBar *bar = session.window->runsPanel()->messages();
        const QAction *restore = session.action(ActionId::RestoreRun);
        deleteOne(session, rope);
        deleteOne(session, hybrid);
        deleteOne(session, kda);
        QCOMPARE(bar->sentence(), u"kda · seed 0 was moved to the trash."_s);
        QVERIFY(restore->text().endsWith(u"kda · seed 0"_s));

        session.action(ActionId::RestoreRun)->trigger();
        session.deliver();
        QVERIFY(session.runs.find(kda));
        QCOMPARE(bar->sentence(), u"hybrid · seed 0 was moved to the trash."_s);
        QTest::mouseClick(bar->findChildren<QPushButton *>().back(), Qt::LeftButton);
        session.deliver();
        QVERIFY(session.runs.find(hybrid));
        QVERIFY(!session.runs.find(rope));
        QCOMPARE(bar->sentence(), u"rope · seed 0 was moved to the trash."_s);
        session.action(ActionId::RestoreRun)->trigger();
        session.deliver();
        QVERIFY(session.runs.find(rope));
        QCOMPARE(bar->sentence(), QString());
        QVERIFY(!restore->isEnabled());
    }

    // A deletion that is refused is none: it is not offered to be undone.
    void aRefusedDeletionIsNotOffered()
    {
        WindowSession session(file());
        const run::RunId rope = session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.open();
        QTRY_COMPARE(session.runs.order().size(), 1U);
        session.service.refuseDeletions("\"rope-seed0\" cannot be deleted: permission denied.");
        deleteOne(session, rope);
        QVERIFY(session.runs.find(rope));
        QCOMPARE(session.window->runsPanel()->messages()->sentence(), QString());
        QCOMPARE(session.window->messages()->sentence(), u"\"rope-seed0\" cannot be deleted: permission denied."_s);
        QVERIFY(!session.action(ActionId::RestoreRun)->isEnabled());
    }
};

QTEST_MAIN(TestDeleting)
#include "test_deleting.moc"
