// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// A runs folder that stops answering, as one on a machine that went away: the window never waits for it, what lies
// elsewhere works, and the window closes.
#include <QAction>
#include <QDropEvent>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <memory>

#include "core/run/run_folder.h"
#include "core/run/run_service.h"
#include "tests/smoke/hanging_folder.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/docks/experiment_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/figures/figure.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page.h"
#include "ui/settings/settings.h"
#include "ui/widgets/message_bar.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using testing::HangingFolder;

namespace {

constexpr int kPatience = 120'000; // ms; a slow machine is no failure

ExperimentSetup setupOf(std::int64_t steps, std::uint64_t seed)
{
    ExperimentSetup setup = ExperimentSetup::trial();
    setup.variants = {"hybrid_square"};
    setup.seeds = std::to_string(seed);
    setup.config.steps = steps;
    setup.config.batch = 8;
    setup.config.warmup_steps = 5;
    setup.config.curriculum = {{2, 10}};
    setup.config.log_every = 2;
    setup.config.checkpoint_every = 10;
    setup.config.evaluation_n = {2, 4};
    setup.config.evaluation_sequences = 4;
    return setup;
}

struct Session {
    QTemporaryDir root;
    QString silent = root.filePath(u"silent"_s);
    QString other = root.filePath(u"other"_s);
    std::unique_ptr<run::RunService> service = run::makeRunService(silent.toStdString());
    Settings settings{root.filePath(u"window.ini"_s)};
    RunBridge bridge{service.get()};
    RunCollection runs{&bridge};
    MainWindow window{&bridge, &runs, &settings};

    Session()
    {
        settings.runsFolder.setValue(silent);
        service->openFolder(silent.toStdString());
        window.setClosingPatience(std::chrono::milliseconds(0));
        window.resize(1440, 900);
        window.show();
    }
    void train(std::int64_t steps, std::uint64_t seed)
    {
        window.experiment()->setSetup(setupOf(steps, seed));
        window.actions()->action(ActionId::Train)->trigger();
    }
    bool isAny(run::RunState state) const
    {
        return std::ranges::any_of(runs.order(),
                                   [&](const run::RunId &id) { return runs.find(id)->snapshot.state == state; });
    }
    bool isAllFinished() const
    {
        return !runs.order().empty() && std::ranges::all_of(runs.order(), [&](const run::RunId &id) {
            return runs.find(id)->snapshot.state == run::RunState::Finished && !runs.find(id)->accuracy.empty();
        });
    }
    void drop(const QString &path)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
    }
    /// Triggers an action that opens a file dialog; where that begins. Closes it as if `chosen` was.
    QString dialogOf(ActionId id, const QString &chosen = {})
    {
        window.actions()->action(id)->trigger();
        QFileDialog *dialog = nullptr;
        [&] { QTRY_VERIFY((dialog = window.findChild<QFileDialog *>())); }();
        if (!dialog)
            return {};
        const QString start = dialog->directory().absolutePath();
        if (!chosen.isEmpty())
            Q_EMIT dialog->fileSelected(chosen);
        delete dialog;
        return start;
    }
};

} // namespace

class TestHangingFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    /// What the main thread asks is seen, whoever asks for it.
    void whatIsAskedIsSeen()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"file"_s);
        const auto isSeen = [&](const auto &ask) {
            const HangingFolder hanging(folder.path().toStdString());
            ask();
            return hanging.askedByMainThread().find(file.toStdString()) != std::string::npos;
        };
        QVERIFY(!isSeen([] {}));
        QVERIFY(isSeen([&] { QFileInfo::exists(file); }));
        QVERIFY(isSeen([&] { QFile(file).open(QIODevice::ReadOnly); }));
        QVERIFY(isSeen([&] { QDir(file).entryList(); }));
        QVERIFY(isSeen([&] { static_cast<void>(std::filesystem::exists(file.toStdString())); }));
        QVERIFY(isSeen([&] { std::ifstream(file.toStdString()).get(); }));
    }

    /// The window is walked through while nothing of the folder answers; then another folder is used as if nothing was.
    void theWindowNeverWaits()
    {
        Session session;
        session.train(30, 0);
        QTRY_VERIFY_WITH_TIMEOUT(session.isAllFinished(), kPatience);
        const run::RunId known = session.runs.order().front();
        {
            const HangingFolder hanging(session.silent.toStdString());
            ActionSet *actions = session.window.actions();
            session.window.runsPanel()->selectOnly(known);
            session.runs.setShown(known, false);
            session.runs.setShown(known, true);
            session.service->loadRun(known);
            for (const char *page : {"accuracy", "attention", "training"}) {
                session.window.showPage(QLatin1StringView(page));
                QApplication::processEvents();
            }
            auto *heads = qobject_cast<AttentionPage *>(session.window.page(u"attention"_s));
            session.window.showPage(u"attention"_s);
            heads->setRun(known);
            session.window.runsPanel()->evaluateSelected();
            delete session.window.findChild<QDialog *>(); // asks what to evaluate
            session.service->evaluate({.run = known, .step = -1, .n_keys = {3}, .sequences = 2});
            session.train(30, 1); // its folder cannot be made now
            QTRY_VERIFY_WITH_TIMEOUT(hanging.waiting() >= 3, kPatience); // log or accuracy, heads, evaluation
            session.window.statusBar()->clearMessage();
            actions->action(ActionId::ShowRunsFolder)->trigger();
            QTRY_VERIFY(session.window.statusBar()->currentMessage().contains(u"does not answer"_s));
            session.window.statusBar()->clearMessage();
            session.drop(session.silent + u"/dropped"_s);
            QTRY_VERIFY(session.window.statusBar()->currentMessage().contains(u"does not answer"_s));
            session.window.runsPanel()->openSelectedFolder();
            for (const ActionId id : {ActionId::OpenFolder, ActionId::OpenSetup, ActionId::SaveSetup})
                QCOMPARE(session.dialogOf(id), QDir::homePath());
            const QString saved = session.silent + u"/set-up.json"_s;
            session.dialogOf(ActionId::SaveSetup, saved);
            session.window.openSetup(session.silent + u"/other.json"_s);
            std::unique_ptr<Figure> figure = session.window.page(u"training"_s)->figure();
            QVERIFY(figure);
            ExportDialog exporting(std::move(figure), nullptr);
            QSignalSpy exported(&exporting, &ExportDialog::exported);
            exporting.exportTo(session.silent + u"/figure.csv"_s);
            session.settings.addRecentFolder(session.silent);
            for (QMenu *menu : session.window.findChildren<QMenu *>())
                Q_EMIT menu->aboutToShow();
            session.window.remember();

            // Another folder: training, evaluation, heads, all of it.
            session.window.openFolder(session.other);
            QTRY_VERIFY_WITH_TIMEOUT(!session.runs.find(known), kPatience);
            session.train(30, 1); // the same as waits there
            QTRY_VERIFY_WITH_TIMEOUT(session.isAllFinished(), kPatience);
            const run::RunId there = session.runs.order().front();
            QVERIFY(QString::fromStdString(there).startsWith(session.other));
            session.window.showPage(u"attention"_s); // training showed another one, and a hidden page asks nothing
            heads->setRun(there);
            heads->setKeys(4);
            QTRY_VERIFY_WITH_TIMEOUT(heads->isUpToDate(), kPatience);
            session.service->evaluate({.run = there, .step = -1, .n_keys = {3}, .sequences = 2});
            QTRY_VERIFY_WITH_TIMEOUT(session.runs.find(there)->accuracy.back().points.size() == 3, kPatience);

            // It closes, although an evaluation and a training cannot be ended.
            QSignalSpy closed(&session.window, &MainWindow::closed);
            session.window.close();
            QVERIFY(session.window.closeQuestion());
            session.window.closeQuestion()->findChild<QPushButton *>(u"stop-and-save"_s)->click();
            QTRY_VERIFY(session.window.messages()->sentence().contains(u"may not answer"_s));
            QVERIFY(closed.isEmpty());
            session.window.messages()->findChild<QPushButton *>()->click();
            QCOMPARE(closed.size(), 1);
            QCOMPARE(QString::fromStdString(hanging.askedByMainThread()), QString());
            QVERIFY(exported.isEmpty());
        }
        for (const QString &name : {u"set-up.json"_s, u"figure.csv"_s})
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(session.silent + u'/' + name), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!session.service->isActive(), kPatience);
        const run::RunFolder folder = run::RunFolder::open(known);
        QCOMPARE(folder.readRecord().state, run::RunState::Finished);
        QCOMPARE(folder.readMetricsLog().records.size(), std::size_t{16});
    }

    /// It is silent while a run trains in it, and comes back: the run loses nothing.
    void aRunWaitsAndGoesOn()
    {
        Session session;
        session.train(60, 0);
        QTRY_VERIFY_WITH_TIMEOUT(session.isAny(run::RunState::Running), kPatience);
        {
            const HangingFolder hanging(session.silent.toStdString());
            QTRY_VERIFY_WITH_TIMEOUT(hanging.waiting() >= 1 || session.isAny(run::RunState::Finished), kPatience);
            QCOMPARE(QString::fromStdString(hanging.askedByMainThread()), QString());
        }
        QTRY_VERIFY_WITH_TIMEOUT(session.isAllFinished(), kPatience);
        const run::RunFolder folder = run::RunFolder::open(session.runs.order().front());
        QCOMPARE(folder.readMetricsLog().records.back().step, 60);
        QVERIFY(session.window.close());
    }
};

QTEST_MAIN(TestHangingFolder)
#include "test_hanging_folder.moc"
