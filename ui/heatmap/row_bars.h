// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <cstdint>
#include <memory>
#include <vector>

#include "ui/heatmap/head_map_view.h"

namespace lookback::ui {

/// The row of the chosen query as bars under a HeadMapView. Shares its key axis to the pixel and scrolls with it; has a
/// range of its own, with numbers. Values above 0.2 are written out. A click chooses the key.
class RowBars : public QWidget {
    Q_OBJECT

public:
    /// The view must outlive this, or be destroyed with the same parent.
    explicit RowBars(HeadMapView *view, QWidget *parent = nullptr);

    void setExample(std::shared_ptr<const analysis::Example> example);
    /// The exact weights of a row of a map in half precision; used while that row of that head is the one on view.
    /// Without it the bars have the lengths of the picture's values, and no number is written.
    void setExactRow(std::shared_ptr<const analysis::HeadRows> row);

    /// Device-pixel exact placement of the keys in this widget's coordinates.
    AxisPlacement keys() const;
    /// The rectangle of the bars.
    QRectF plot() const;
    /// Values at the bottom and the top of plot().
    struct Range {
        double bottom = 0.0;
        double top = 1.0;
    };
    Range range() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

private:
    void drawScale(QPainter &painter, const QRectF &plot, const Theme &theme) const;
    void drawHidden(QPainter &painter, const QRectF &plot, const AxisPlacement &keys, const Theme &theme) const;
    void drawBars(QPainter &painter, const QRectF &plot, const AxisPlacement &keys, const Theme &theme) const;
    double yOf(double value, const QRectF &plot) const;

    /// The row on view, all keys.
    struct Row {
        std::vector<float> weights;
        bool isKnown = false;
        bool isExact = false;
        float most = 0.0F; ///< Largest weight, 0 if none is positive,
        float least = 0.0F; ///< and the most negative one.
    };
    const Row &row() const;
    /// Another row, or other numbers of it.
    void changeRow();

    HeadMapView *m_view;
    std::shared_ptr<const analysis::Example> m_example;
    std::shared_ptr<const analysis::HeadRows> m_exact;
    mutable Row m_row; // read when needed
    mutable bool m_isRowRead = false;
};

/// The token that a query copies if it retrieves: the one after its counterpart in the earlier entry with the same key.
/// -1 if there is no earlier entry.
std::int64_t sourcePosition(const task::Sequence &sequence, std::int64_t query);

} // namespace lookback::ui
