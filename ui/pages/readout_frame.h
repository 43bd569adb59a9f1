// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

#include "ui/theme/theme.h"

namespace lookback::ui {

/// The values of all runs at the cross-hair, in one small frame over the charts. Lets the pointer through.
class ReadoutFrame : public QWidget {
    Q_OBJECT

public:
    struct Row {
        SeriesStyle style;
        QString name;
        QStringList values; ///< One a column.
    };

    explicit ReadoutFrame(QWidget *parent = nullptr);

    /// Takes the size that it needs, up to `most`: longer names are shortened in the middle, surplus rows are counted
    /// ("3 more"). `head` is semi-bold, `note` beside it is not.
    void setContent(const QString &head, const QString &note, const QStringList &columns, std::vector<Row> rows,
                    const QSize &most);
    const std::vector<Row> &rows() const { return m_rows; }
    QString head() const { return m_head; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fit();

    QString m_head;
    QString m_note;
    QStringList m_columns;
    std::vector<Row> m_rows;
    QSize m_most;
    int m_shownRows = 0;
    int m_rowHeight = 0;
    int m_nameWidth = 0;
    int m_valueWidth = 0;
};

} // namespace lookback::ui
