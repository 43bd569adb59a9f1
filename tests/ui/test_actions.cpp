// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The table of actions: complete, free of clashes, and the same as specs/actions.md.
#include <QAction>
#include <QFile>
#include <QMainWindow>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QtTest>

#include "ui/actions/action_set.h"
#include "ui/widgets/icon.h"

using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

QString conditionWord(Condition condition)
{
    switch (condition) {
    case Condition::Always:
        return u"always"_s;
    case Condition::CanUndo:
        return u"the set-up was changed"_s;
    case Condition::CanRedo:
        return u"a change was taken back"_s;
    case Condition::CanTrain:
        return u"the set-up can be trained"_s;
    case Condition::CanPause:
        return u"a selected run is training"_s;
    case Condition::CanResume:
        return u"a selected run is paused, stopped, interrupted or failed"_s;
    case Condition::CanStop:
        return u"a selected run is active"_s;
    case Condition::IsAnyActive:
        return u"something is active"_s;
    case Condition::CanSave:
        return u"a selected run is training"_s;
    case Condition::CanEvaluate:
        return u"a selected run has a checkpoint"_s;
    case Condition::IsRunSelected:
        return u"a run is selected"_s;
    case Condition::IsIdleRunSelected:
        return u"a selected run is not active"_s;
    case Condition::CanRestore:
        return u"a run was deleted"_s;
    case Condition::HasFigure:
        return u"the page shows a figure"_s;
    case Condition::CanZoom:
        return u"the page can zoom"_s;
    case Condition::CanGoBack:
        return u"there is an earlier view"_s;
    case Condition::CanGoForward:
        return u"there is a later view"_s;
    }
    return {};
}

QString specification()
{
    QString text =
        u"# Actions\n\n"
        "Every action of the window: one row of `ui/actions/action_table.cpp` each, in menu order. A test "
        "compares this\npage with the table; `LOOKBACK_UPDATE=1 test_actions` writes it anew. An action that "
        "is not available says why in its\ntooltip. Shortcuts hold in the whole window.\n"_s;
    std::optional<Menu> menu;
    for (const ActionRow &row : actionTable()) {
        if (menu != row.menu) {
            menu = row.menu;
            text +=
                u"\n## %1\n\n| action | name | keys | what it does | available when |\n|---|---|---|---|---|\n"_s.arg(
                    withoutMnemonic(QString::fromUtf8(menuTitle(row.menu))));
        }
        QStringList keys;
        for (const QKeySequence &key : row.shortcuts)
            keys.append(u'`' + key.toString(QKeySequence::PortableText) + u'`');
        text += u"| %1 | `%2` | %3 | %4 | %5 |\n"_s.arg(withoutMnemonic(QString::fromUtf8(row.text)),
                                                        QLatin1StringView(row.name), keys.join(u", "_s),
                                                        QString::fromUtf8(row.statusTip), conditionWord(row.condition));
    }
    return text;
}

} // namespace

class TestActions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void specificationIsTheTable()
    {
        QFile file(QStringLiteral(LOOKBACK_TEST_SOURCE_DIR "/../specs/actions.md"));
        if (qEnvironmentVariableIsSet("LOOKBACK_UPDATE")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(specification().toUtf8());
            file.close();
        }
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()).split(u'\n'), specification().split(u'\n'));
    }

    void rowsAreComplete()
    {
        QSet<QString> names;
        QSet<int> ids;
        for (const ActionRow &row : actionTable()) {
            const QString name = QLatin1StringView(row.name);
            QVERIFY2(!names.contains(name), row.name);
            QVERIFY2(!ids.contains(static_cast<int>(row.id)), row.name);
            names.insert(name);
            ids.insert(static_cast<int>(row.id));
            QVERIFY2(QString::fromUtf8(row.text).contains(u'&'), row.name);
            QVERIFY2(QString::fromUtf8(row.statusTip).size() > 8, row.name);
            QVERIFY2(hasIcon(QLatin1StringView(row.icon)), row.name);
            QCOMPARE(QString::fromUtf8(row.whyNot).isEmpty(), row.condition == Condition::Always);
        }
        QCOMPARE(ids.size(), static_cast<int>(ActionId::About) + 1); // no id without a row
    }

    void noTwoShareAShortcut()
    {
        QMap<QString, QString> owners;
        for (const ActionRow &row : actionTable()) {
            for (const QKeySequence &key : row.shortcuts) {
                const QString text = key.toString(QKeySequence::PortableText);
                QVERIFY2(
                    !owners.contains(text),
                    qPrintable(u"%1 and %2 share %3"_s.arg(owners.value(text), QLatin1StringView(row.name), text)));
                owners.insert(text, QLatin1StringView(row.name));
            }
        }
        // Keys that text fields, lists and pages need for themselves.
        for (const char *key : {"Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+A", "Space", "Return", "Esc", "Tab", "Del"})
            QVERIFY2(!owners.contains(QLatin1StringView(key)), key);
    }

    void noTwoShareAMnemonicInAMenu()
    {
        QMap<int, QMap<QChar, QString>> used;
        QMap<QChar, QString> menus;
        const auto mnemonicOf = [](const QString &text) { return text.at(text.indexOf(u'&') + 1).toLower(); };
        for (const ActionRow &row : actionTable()) {
            const QChar key = mnemonicOf(QString::fromUtf8(row.text));
            QMap<QChar, QString> &menu = used[static_cast<int>(row.menu)];
            QVERIFY2(!menu.contains(key),
                     qPrintable(
                         u"%1 and %2 share the mnemonic %3"_s.arg(menu.value(key), QLatin1StringView(row.name), key)));
            menu.insert(key, QLatin1StringView(row.name));
            menus.insert(mnemonicOf(QString::fromUtf8(menuTitle(row.menu))), QString::fromUtf8(menuTitle(row.menu)));
        }
        QCOMPARE(menus.size(), 7); // one mnemonic a menu
    }

    void disabledActionsSayWhy()
    {
        QMainWindow window;
        ActionSet actions(&window);
        actions.fill(window.menuBar());
        QCOMPARE(window.menuBar()->actions().size(), 7);
        const QAction *train = actions.action(ActionId::Train);
        QVERIFY(!train->isEnabled());
        actions.setHolding(Condition::CanTrain, false, u"Tick at least one variant."_s);
        QCOMPARE(train->toolTip(), u"Train (F5)\nTick at least one variant."_s);
        actions.setHolding(Condition::CanTrain, true);
        QVERIFY(train->isEnabled());
        QCOMPARE(train->toolTip(), u"Train (F5)\nTrains every ticked variant with every seed"_s);
        actions.setHolding(Condition::CanTrain, false);
        QCOMPARE(train->toolTip(), u"Train (F5)\nThe set-up cannot be trained"_s);
    }
};

QTEST_MAIN(TestActions)
#include "test_actions.moc"
