// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

class QStandardItemModel;

namespace lookback::ui {

class ActionSet;

/// A field that finds an action by any part of its name and does it on Enter or click.
class ActionFinder : public QLineEdit {
    Q_OBJECT

public:
    explicit ActionFinder(ActionSet *actions, QWidget *parent = nullptr);
    QSize sizeHint() const override;

protected:
    void focusInEvent(QFocusEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void fill();
    void trigger(const QModelIndex &index);

    ActionSet *m_actions;
    QStandardItemModel *m_items;
};

} // namespace lookback::ui
