// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

#include "ui/access/speaking.h"
#include "ui/heatmap/head_cells.h"

namespace lookback::ui {

/// One number of each head as a coloured grid in which heads are chosen. A click or an arrow key chooses one head; Ctrl
/// + click, or Space with Ctrl + arrows, adds heads to the chosen set and takes them out again.
class HeadScoreGrid : public QWidget, public Speaking {
    Q_OBJECT

public:
    explicit HeadScoreGrid(QWidget *parent = nullptr);

    void setCells(const HeadCells &cells);
    const HeadCells &cells() const { return m_cells; }
    /// What the numbers are, for screen readers and tooltips: "change in points when removed".
    void setQuantity(const QString &words) { m_quantity = words; }
    /// The old picture is dimmed while a new one is measured.
    void setStale(bool isStale);
    bool isStale() const { return m_isStale; }
    /// While on, a plain click adds and takes away.
    void setAdding(bool isAdding) { m_isAdding = isAdding; }

    /// The chosen set; the last one is the current head. Emits nothing.
    void setChosen(const std::vector<circuit::HeadId> &chosen);
    const std::vector<circuit::HeadId> &chosen() const { return m_chosen; }
    circuit::HeadId current() const { return m_current; }
    /// In this widget's coordinates.
    QRectF cellRect(const circuit::HeadId &id) const;

    QAccessible::Role spokenRole() const override { return QAccessible::Table; }
    QString spokenValue() const override;
    QString spokenHelp() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user chose another set.
    void chosenChanged(const std::vector<lookback::circuit::HeadId> &chosen);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    HeadCellPlaces places() const;
    std::optional<circuit::HeadId> headAt(const QPointF &place) const;
    QString words(const circuit::HeadId &id) const;
    void choose(const circuit::HeadId &id);
    void toggle(const circuit::HeadId &id);

    HeadCells m_cells;
    QString m_quantity;
    std::vector<circuit::HeadId> m_chosen;
    circuit::HeadId m_current;
    std::optional<circuit::HeadId> m_hover;
    bool m_isStale = false;
    bool m_isAdding = false;
};

} // namespace lookback::ui
