// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace lookback::ui {

class RunCollection;

/// Draws the rows of the runs dock: the curve's swatch, the progress bar with its percent, elided texts.
class RunsDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit RunsDelegate(const RunCollection *runs, QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;

private:
    void paintProgress(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;

    const RunCollection *m_runs;
};

/// Fills the row's background as the view does (selection, hover, alternating rows), without its contents.
void paintRowBackground(QPainter *painter, const QStyleOptionViewItem &option);

} // namespace lookback::ui
