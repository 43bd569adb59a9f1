// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

#include "ui/heatmap/head_map_view.h"

namespace lookback::ui {

/// The whole map of a HeadMapView, small (block maxima), with the part on view framed; dragging moves it. The keyboard
/// scrolls in the view itself.
class MapOverview : public QWidget {
    Q_OBJECT

public:
    explicit MapOverview(HeadMapView *view, QWidget *parent = nullptr);

    /// Logical pixels a cell here; below 1 when pixels stand for several cells.
    double cellPixels() const;
    /// Frame of the visible part, in this widget's coordinates.
    QRectF frame() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void refresh();
    void centreOn(const QPointF &place);
    std::int64_t cells() const;
    int side() const;

    HeadMapView *m_view;
    QImage m_image;
    PyramidPointer m_drawn; // what m_image shows
    QPointF m_grip; // from the frame's centre to the pointer
};

} // namespace lookback::ui
