// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of work that ends when nobody looks at it any more: files of a dialog that was closed, a logout.
#include <QPointer>
#include <QSemaphore>
#include <QSessionManager>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QtTest>

#include <array>
#include <cstddef>
#include <memory>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/window_session.h"
#include "ui/actions/action_set.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/docks/experiment_panel.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/settings/settings.h"
#include "ui/widgets/folder_answer.h"
#include "ui/widgets/message_bar.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using run::RunState;
using tests::FakeRunService;
using tests::smallSetup;
using tests::WindowSession;

namespace {

/// Nothing is read or written while one of these lives: every thread that asks disks waits.
class BusyDisk {
public:
    BusyDisk()
    {
        for (int i = 0; i < diskThreads()->maxThreadCount(); ++i)
            diskThreads()->start([end = m_end] { end->acquire(); });
    }
    ~BusyDisk() { m_end->release(diskThreads()->maxThreadCount()); }
    BusyDisk(const BusyDisk &) = delete;
    BusyDisk &operator=(const BusyDisk &) = delete;

private:
    std::shared_ptr<QSemaphore> m_end = std::make_shared<QSemaphore>(); // the threads outlive us
};

} // namespace

class TestMainWindowEndings : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const { return m_folder.filePath(u"%1.ini"_s.arg(QLatin1StringView(QTest::currentTestFunction()))); }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void aFigureWhoseDialogWasClosedIsHeardOf_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("isWritten");
        QTest::newRow("picture") << u"figure.png"_s << true;
        QTest::newRow("numbers") << u"figure.csv"_s << true;
        QTest::newRow("no folder") << u"missing/figure.svg"_s << false;
    }

    void aFigureWhoseDialogWasClosedIsHeardOf()
    {
        QFETCH(QString, name);
        QFETCH(bool, isWritten);
        WindowSession session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.open();
        QTRY_VERIFY(session.action(ActionId::ExportFigure)->isEnabled());
        session.action(ActionId::ExportFigure)->trigger();
        QPointer<ExportDialog> dialog = session.window->findChild<ExportDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        const QString target = m_folder.filePath(name);
        {
            const BusyDisk busy;
            dialog->exportTo(target);
            QTest::keyClick(dialog, Qt::Key_Escape);
            QVERIFY(dialog && !dialog->isVisible());
            const QString said = session.window->statusBar()->currentMessage();
            QVERIFY2(said.contains(u"Saving "_s) && said.contains(name), qPrintable(said));
            QVERIFY(!QFile::exists(target));
        }
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, testing::kLongPatience);
        QCOMPARE(QFile::exists(target), isWritten);
        const QString said = session.window->statusBar()->currentMessage();
        const QString failure = session.window->messages()->sentence();
        if (isWritten)
            QVERIFY2(said.contains(u"Saved "_s) && said.contains(name), qPrintable(said));
        else
            QVERIFY2(said.isEmpty() && failure.contains(u"missing"_s), qPrintable(said + failure));
    }

    /// One that was not closed says how it went itself; the window has no second message.
    void aFigureWhoseDialogIsOpenIsItsOwnAffair()
    {
        WindowSession session(file());
        session.service.addRun(FakeRunService::smallConfig("rope"), RunState::Finished, 400);
        session.open();
        QTRY_VERIFY(session.action(ActionId::ExportFigure)->isEnabled());
        session.action(ActionId::ExportFigure)->trigger();
        QPointer<ExportDialog> dialog = session.window->findChild<ExportDialog *>();
        QSignalSpy failed(dialog, &ExportDialog::failed);
        dialog->exportTo(m_folder.filePath(u"missing/figure.png"_s));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, testing::kLongPatience);
        QVERIFY(dialog->isVisible());
        QCOMPARE(session.window->messages()->sentence(), QString());
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!dialog);
    }

    /// The session manager waits only as long as the signal takes: when that returns, all runs have stopped.
    void aLogoutStopsTheRuns()
    {
        WindowSession session(file());
        session.open();
        session.window->experiment()->setSetup(smallSetup({"rope", "hybrid"}));
        session.action(ActionId::Train)->trigger();
        session.service.advance(5);
        session.deliver();
        QSignalSpy closed(session.window.get(), &MainWindow::closed);
        session.service.setAutomatic(1);
        // Only the session manager makes one; nobody who is connected looks at it.
        alignas(QSessionManager) std::array<std::byte, sizeof(QSessionManager)> manager{};
        Q_EMIT qGuiApp->commitDataRequest(*reinterpret_cast<QSessionManager *>(manager.data()));
        QVERIFY(session.hasCall("stop all"));
        QVERIFY(!session.service.isActive());
        QTRY_COMPARE(closed.size(), 1);
        for (const run::RunId &id : session.runs.order())
            QCOMPARE(session.runs.find(id)->snapshot.state, RunState::Stopped);
    }
};

QTEST_MAIN(TestMainWindowEndings)
#include "test_main_window_endings.moc"
