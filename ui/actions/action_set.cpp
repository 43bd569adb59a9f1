// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/action_set.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>

#include "ui/widgets/icon.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString translated(const char *text)
{
    return QCoreApplication::translate("Actions", text);
}

} // namespace

QString withoutMnemonic(const QString &text)
{
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == u'&' && i + 1 < text.size())
            ++i;
        plain += text[i];
    }
    return plain;
}

ActionSet::ActionSet(QWidget *window) : QObject(window)
{
    for (const ActionRow &row : actionTable()) {
        auto *action = new QAction(icon(QLatin1StringView(row.icon)), translated(row.text), this);
        action->setObjectName(QLatin1StringView(row.name));
        action->setShortcuts(row.shortcuts);
        action->setShortcutContext(Qt::WindowShortcut);
        action->setStatusTip(translated(row.statusTip));
        action->setCheckable(row.isCheckable);
        action->setMenuRole(QAction::NoRole);
        window->addAction(action);
        m_actions[row.id] = action;
        refresh(row);
    }
    m_actions[ActionId::Quit]->setMenuRole(QAction::QuitRole);
    m_actions[ActionId::About]->setMenuRole(QAction::AboutRole);
    m_actions[ActionId::Preferences]->setMenuRole(QAction::PreferencesRole);
}

void ActionSet::fill(QMenuBar *bar)
{
    for (const ActionRow &row : actionTable()) {
        QMenu *&menu = m_menus[row.menu];
        if (!menu) {
            menu = bar->addMenu(translated(menuTitle(row.menu)));
            menu->setToolTipsVisible(true);
        }
        if (row.beginsGroup)
            menu->addSeparator();
        menu->addAction(m_actions[row.id]);
    }
}

bool ActionSet::isHolding(Condition condition) const
{
    if (condition == Condition::Always)
        return true;
    const auto found = m_conditions.find(condition);
    return found != m_conditions.end() && found->second;
}

void ActionSet::setHolding(Condition condition, bool isHoldingNow, const QString &whyNot)
{
    if (isHolding(condition) == isHoldingNow && m_reasons[condition] == whyNot)
        return;
    m_conditions[condition] = isHoldingNow;
    m_reasons[condition] = whyNot;
    for (const ActionRow &row : actionTable()) {
        if (row.condition == condition)
            refresh(row);
    }
}

void ActionSet::refresh(const ActionRow &row)
{
    QAction *action = m_actions[row.id];
    action->setEnabled(isHolding(row.condition));
    action->setToolTip(toolTipOf(row.id));
}

QString ActionSet::toolTipOf(ActionId id) const
{
    const ActionRow &row = actionRow(id);
    QString first = withoutMnemonic(translated(row.text));
    if (!row.shortcuts.isEmpty())
        first = tr("%1 (%2)", "action and its shortcut")
                    .arg(first, row.shortcuts.front().toString(QKeySequence::NativeText));
    QString second = translated(row.statusTip);
    if (!isHolding(row.condition)) {
        const auto better = m_reasons.find(row.condition);
        second = better != m_reasons.end() && !better->second.isEmpty() ? better->second : translated(row.whyNot);
    }
    return first + u'\n' + second;
}

} // namespace lookback::ui
