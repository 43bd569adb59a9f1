// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/action_finder.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCompleter>
#include <QKeyEvent>
#include <QStandardItemModel>
#include <QTimer>

#include "ui/actions/action_set.h"
#include "ui/widgets/icon.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

ActionFinder::ActionFinder(ActionSet *actions, QWidget *parent)
    : QLineEdit(parent), m_actions(actions), m_items(new QStandardItemModel(this))
{
    setObjectName(u"action-finder"_s);
    setPlaceholderText(tr("Find an action (%1)")
                           .arg(actionRow(ActionId::FindAction).shortcuts.front().toString(QKeySequence::NativeText)));
    setAccessibleName(tr("Find an action"));
    addAction(icon("search"_L1), LeadingPosition);
    setClearButtonEnabled(true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *completer = new QCompleter(m_items, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setMaxVisibleItems(12);
    setCompleter(completer);
    completer->popup()->setIconSize({16, 16});
    connect(completer, qOverload<const QModelIndex &>(&QCompleter::activated), this, &ActionFinder::trigger);
}

QSize ActionFinder::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 34, QLineEdit::sizeHint().height()};
}

// Only what is available now: filled when the user comes here.
void ActionFinder::fill()
{
    m_items->clear();
    for (const ActionRow &row : actionTable()) {
        const QAction *action = m_actions->action(row.id);
        if (!action->isEnabled() || row.id == ActionId::FindAction)
            continue;
        auto *item = new QStandardItem(action->icon(), withoutMnemonic(action->text()));
        item->setToolTip(action->statusTip());
        item->setData(static_cast<int>(row.id));
        m_items->appendRow(item);
    }
}

void ActionFinder::trigger(const QModelIndex &index)
{
    const auto id = static_cast<ActionId>(index.data(Qt::UserRole + 1).toInt());
    // After the completer has written its text, which is not wanted.
    QTimer::singleShot(0, this, [this, id] {
        clear();
        clearFocus();
        m_actions->action(id)->trigger();
    });
}

void ActionFinder::focusInEvent(QFocusEvent *event)
{
    if (event->reason() != Qt::PopupFocusReason) // the list of matches has closed: what was chosen in it still counts
        fill();
    QLineEdit::focusInEvent(event);
    selectAll();
}

void ActionFinder::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        clear();
        clearFocus();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        // The match that is marked in the list, else the first one.
        QAbstractItemView *list = completer()->popup();
        QModelIndex match = list->isVisible() ? list->currentIndex() : QModelIndex();
        if (!match.isValid() && !text().trimmed().isEmpty()) {
            completer()->setCompletionPrefix(text().trimmed());
            match = completer()->completionModel()->index(0, 0);
        }
        if (match.isValid())
            trigger(match);
        list->hide();
        event->accept();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

} // namespace lookback::ui
