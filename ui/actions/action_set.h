// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QString>

#include <map>

#include "ui/actions/action_table.h"

class QAction;
class QMenu;
class QMenuBar;
class QWidget;

namespace lookback::ui {

/// The actions of the table as QActions, and which of them are available. Owned by the window.
class ActionSet : public QObject {
    Q_OBJECT

public:
    /// The actions become children of the set and are added to `window`, so that their shortcuts work everywhere in it.
    explicit ActionSet(QWidget *window);

    QAction *action(ActionId id) const { return m_actions.at(id); }
    /// Menus with separators, in the order of the table.
    void fill(QMenuBar *bar);
    QMenu *menu(Menu menu) const { return m_menus.at(menu); }

    bool isHolding(Condition condition) const;
    /// `whyNot`: a better reason than the table's, for tooltips while it does not hold.
    void setHolding(Condition condition, bool isHolding, const QString &whyNot = {});

    /// Text without mnemonic, shortcut and the status tip; or why it is not available.
    QString toolTipOf(ActionId id) const;

private:
    void refresh(const ActionRow &row);

    std::map<ActionId, QAction *> m_actions;
    std::map<Menu, QMenu *> m_menus;
    std::map<Condition, bool> m_conditions;
    std::map<Condition, QString> m_reasons;
};

/// "&Save" -> "Save", "A && B" -> "A & B", "Export…" stays.
QString withoutMnemonic(const QString &text);

} // namespace lookback::ui
