// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the return key does in every dialog, and in the action finder.
#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

#include "tests/patience.h"
#include "tests/ui/window_session.h"
#include "ui/dialogs/evaluate_dialog.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/help_dialogs.h"
#include "ui/dialogs/numbers_dialog.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/figures/figure.h"
#include "ui/pages/page.h"
#include "ui/widgets/action_finder.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using run::RunState;
using tests::FakeRunService;
using tests::WindowSession;

namespace {

QPushButton *defaultButton(const QDialog &dialog)
{
    QPushButton *found = nullptr;
    for (QPushButton *button : dialog.findChildren<QPushButton *>()) {
        if (button->isDefault())
            found = found ? nullptr : button; // never two
    }
    return found;
}

EvaluableRun evaluable()
{
    EvaluableRun run;
    run.title = u"rope · seed 0"_s;
    run.snapshot.id = "/runs/rope-seed0";
    run.snapshot.record.config = FakeRunService::smallConfig("rope");
    run.snapshot.checkpointSteps = {200, 400};
    return run;
}

} // namespace

class TestDialogs : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const { return m_folder.filePath(u"%1.ini"_s.arg(QLatin1StringView(QTest::currentTestFunction()))); }

private Q_SLOTS:
    void evaluateOnReturn_data()
    {
        QTest::addColumn<QString>("field");
        QTest::newRow("keys") << u"evaluateKeys"_s;
        QTest::newRow("sequences") << u"evaluateSequences"_s;
        QTest::newRow("run") << u"evaluateRun"_s;
    }

    void evaluateOnReturn()
    {
        QFETCH(const QString, field);
        EvaluateDialog dialog({evaluable()}, 0);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog, testing::kPatience));
        QVERIFY(defaultButton(dialog));
        QCOMPARE(defaultButton(dialog)->objectName(), u"evaluateButton"_s);
        QSignalSpy accepted(&dialog, &QDialog::accepted);
        auto *widget = dialog.findChild<QWidget *>(field);
        widget->setFocus();
        QTest::keyClick(widget, Qt::Key_Return);
        QCOMPARE(accepted.count(), 1);
    }

    // What cannot be done is not done, and the dialog stays.
    void noEvaluationOfNonsense()
    {
        EvaluateDialog dialog({evaluable()}, 0);
        dialog.show();
        auto *keys = dialog.findChild<QLineEdit *>(u"evaluateKeys"_s);
        keys->setText(u"8,,x"_s);
        QTest::keyClick(keys, Qt::Key_Return);
        QVERIFY(dialog.isVisible());
    }

    void exportOnReturn()
    {
        WindowSession session(file());
        session.open();
        std::unique_ptr<Figure> figure = session.window->page(u"accuracy"_s)->figure(); // published curves
        QVERIFY(figure);
        ExportDialog dialog(std::move(figure), nullptr);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog, testing::kPatience));
        QVERIFY(defaultButton(dialog));
        QCOMPARE(defaultButton(dialog)->objectName(), u"exportSaveButton"_s);
        auto *width = dialog.findChild<QWidget *>(u"exportWidth"_s);
        width->setFocus();
        QTest::keyClick(width, Qt::Key_Return);
        QVERIFY(dialog.isVisible());
        QTRY_VERIFY(dialog.findChild<QFileDialog *>());
        dialog.findChild<QFileDialog *>()->reject();
    }

    void theOthers()
    {
        WindowSession session(file());
        session.open();
        auto *preferences = new PreferencesDialog(&session.settings, 4);
        const std::unique_ptr<Figure> figure = session.window->page(u"accuracy"_s)->figure();
        std::vector<std::unique_ptr<QDialog>> dialogs;
        dialogs.emplace_back(preferences);
        dialogs.emplace_back(new NumbersDialog(*figure));
        dialogs.emplace_back(makeGuide(nullptr));
        dialogs.emplace_back(makeShortcutList(nullptr));
        dialogs.emplace_back(makeAbout({}, nullptr));
        for (const auto &dialog : dialogs) {
            dialog->setAttribute(Qt::WA_DeleteOnClose, false);
            dialog->show();
            QVERIFY(QTest::qWaitForWindowExposed(dialog.get(), testing::kPatience));
            auto *box = dialog->findChild<QDialogButtonBox *>();
            QPushButton *expected = box->button(QDialogButtonBox::Ok) ? box->button(QDialogButtonBox::Ok)
                                                                      : box->button(QDialogButtonBox::Close);
            QVERIFY2(defaultButton(*dialog) == expected, qPrintable(dialog->windowTitle()));
        }
        QSignalSpy accepted(preferences, &QDialog::accepted);
        auto *folder = preferences->findChild<QLineEdit *>();
        folder->setFocus();
        QTest::keyClick(folder, Qt::Key_Return); // not "Choose…"
        QCOMPARE(accepted.count(), 1);
    }

    void theFinderDoesTheFirstMatchOnReturn()
    {
        WindowSession session(file());
        session.open();
        auto *finder = session.window->findChild<ActionFinder *>();
        QSignalSpy asked(session.action(ActionId::Shortcuts), &QAction::triggered);
        session.action(ActionId::FindAction)->trigger();
        QTest::keyClicks(finder, u"keyboard"_s);
        QAbstractItemView *list = finder->completer()->popup();
        QTRY_VERIFY(list->isVisible());
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_COMPARE(asked.count(), 1);
        QVERIFY(!list->isVisible());
        QCOMPARE(finder->text(), QString());
    }

    void theFinderDoesTheMarkedMatchOnReturn()
    {
        WindowSession session(file());
        session.open();
        auto *finder = session.window->findChild<ActionFinder *>();
        session.action(ActionId::FindAction)->trigger();
        QTest::keyClicks(finder, u"page"_s);
        QAbstractItemView *list = finder->completer()->popup();
        QTRY_VERIFY(list->isVisible());
        QTest::keyClick(list, Qt::Key_Down);
        QTest::keyClick(list, Qt::Key_Down);
        const QString second = list->currentIndex().data().toString();
        QVERIFY(list->currentIndex().row() == 1);
        const auto actions = session.window->findChildren<QAction *>();
        const auto found = std::ranges::find_if(
            actions, [&](const QAction *action) { return withoutMnemonic(action->text()) == second; });
        QVERIFY(found != actions.end());
        QSignalSpy asked(*found, &QAction::triggered);
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_COMPARE(asked.count(), 1);
    }

    void theFinderDoesWhatIsClicked()
    {
        WindowSession session(file());
        session.open();
        auto *finder = session.window->findChild<ActionFinder *>();
        QSignalSpy asked(session.action(ActionId::Shortcuts), &QAction::triggered);
        session.action(ActionId::FindAction)->trigger();
        QTest::keyClicks(finder, u"keyboard"_s);
        QAbstractItemView *list = finder->completer()->popup();
        QTRY_VERIFY(list->isVisible());
        const QRect row = list->visualRect(list->model()->index(0, 0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
        QTRY_COMPARE(asked.count(), 1);
    }
};

QTEST_MAIN(TestDialogs)
#include "test_dialogs.moc"
