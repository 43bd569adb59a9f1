// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

#include "ui/access/speaking.h"

namespace lookback::ui {

/// Shares of a whole in several columns beside each other: stacked bars whose parts are named at the right of the last
/// one. Left and Right go through the columns.
class ShareBars : public QWidget, public Speaking {
    Q_OBJECT

public:
    static constexpr qsizetype kMostParts = 5;

    struct Column {
        QString label; ///< Below.
        std::vector<double> shares; ///< As many as there are parts, from the bottom up; 0..1.
        bool operator==(const Column &) const = default;
    };

    explicit ShareBars(QWidget *parent = nullptr);

    /// `unit` stands under the columns: "Unique keys n". At most kMostParts parts.
    void setColumns(const QStringList &parts, const QString &unit, std::vector<Column> columns);
    const std::vector<Column> &columns() const { return m_columns; }

    QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
    QString spokenValue() const override;
    QString spokenHelp() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    QRectF barArea() const;
    QRectF slotRect(std::size_t column) const;
    qsizetype columnAt(double x) const; ///< -1 if there is none.
    QString words(std::size_t column) const;

    QStringList m_parts;
    QString m_unit;
    std::vector<Column> m_columns;
    std::size_t m_current = 0;
};

} // namespace lookback::ui
