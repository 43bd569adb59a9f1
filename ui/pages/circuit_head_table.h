// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QTableView>

namespace lookback::ui {

class HeadTableModel;

/// Sorts heads by the raw numbers; what means nothing comes last either way.
class HeadTableProxy : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit HeadTableProxy(HeadTableModel *model, QObject *parent = nullptr);

protected:
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;
};

/// The table of heads. Its last column, the reading in words, gets what the others leave, and at least its longest
/// words; where it is narrow the others give way first, then some of them altogether. Columns that the user sized stay.
class HeadTableView : public QTableView {
    Q_OBJECT

public:
    explicit HeadTableView(HeadTableModel *model, QWidget *parent = nullptr);

    HeadTableProxy *proxy() const { return m_proxy; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fitColumns();
    int leastWidth(int column) const;
    int leastReadingWidth() const;

    HeadTableProxy *m_proxy;
    bool m_isSizedByUser = false;
    bool m_isFitting = false;
};

} // namespace lookback::ui
