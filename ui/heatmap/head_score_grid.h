// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <optional>
#include <vector>

#include "ui/access/speaking.h"
#include "ui/heatmap/head_cells.h"

namespace lookback::ui {

/// One number of each head as a coloured grid in which a set of heads is chosen.
///
/// Mouse: a click chooses one head, a drag all heads of a rectangle, Shift + click those from the last chosen one on;
/// with Ctrl, or while adding, they are added, and a head that is clicked again is taken out. A click on the name of a
/// layer or of a column adds all its heads, or takes them out if all are in. Keys: arrows, Home and End choose one
/// head, with Shift a rectangle, with Ctrl they only move; Space adds the head or takes it out, L its layer, H its
/// column; Ctrl + A chooses all. Esc gives up a drag.
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
    /// While on, everything adds.
    void setAdding(bool isAdding) { m_isAdding = isAdding; }

    /// The chosen set; the last one is the current head. Ends a drag. Emits nothing.
    void setChosen(const std::vector<circuit::HeadId> &chosen);
    const std::vector<circuit::HeadId> &chosen() const { return m_chosen; }
    circuit::HeadId current() const { return m_current; }
    // In this widget's coordinates.
    QRectF cellRect(const circuit::HeadId &id) const;
    QRectF layerTitleRect(std::int64_t layer) const { return places().layerTitle(layer); }
    QRectF headTitleRect(std::int64_t head) const { return places().headTitle(head); }

    QAccessible::Role spokenRole() const override { return QAccessible::Table; }
    QString spokenValue() const override;
    QString spokenHelp() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user chose another set; of a drag when it ends.
    void chosenChanged(const std::vector<lookback::circuit::HeadId> &chosen);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    using HeadIds = std::vector<circuit::HeadId>;
    /// A head, or a whole layer (head kAll) or column of heads (layer kAll).
    using Part = circuit::HeadId;
    static constexpr std::int64_t kAll = -1;

    struct Drag {
        circuit::HeadId from;
        HeadIds before; ///< What was chosen when it began,
        circuit::HeadId current; ///< and which head was the current one.
        bool isAdding = false;
    };

    HeadCellPlaces places() const;
    std::optional<circuit::HeadId> headAt(const QPointF &place) const;
    std::optional<Part> partAt(const QPointF &place) const;
    /// The head under the pointer or the nearest one, while dragging.
    circuit::HeadId nearestHead(const QPointF &place) const;
    HeadIds headsOf(const Part &part) const;
    /// All heads of the rectangle between two, the second last.
    HeadIds between(const circuit::HeadId &from, const circuit::HeadId &to) const;
    HeadIds with(HeadIds heads, const HeadIds &more) const;
    bool isChosen(const circuit::HeadId &id) const;
    QString words(const circuit::HeadId &id) const;
    QString tip(const Part &part) const;
    void choose(const circuit::HeadId &id);
    void extendTo(const circuit::HeadId &id, bool isAdding);
    void toggle(const Part &part);
    /// Emits chosenChanged if it is another set.
    void take(HeadIds chosen, const circuit::HeadId &current);
    void showDrag(const circuit::HeadId &to);
    void giveUpDrag();

    HeadCells m_cells;
    QString m_quantity;
    HeadIds m_chosen;
    circuit::HeadId m_current;
    circuit::HeadId m_anchor; ///< Where a rectangle begins.
    std::optional<Part> m_hover;
    std::optional<Drag> m_drag;
    bool m_isStale = false;
    bool m_isAdding = false;
};

} // namespace lookback::ui
