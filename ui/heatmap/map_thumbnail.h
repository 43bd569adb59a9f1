// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QImage>

#include <memory>
#include <vector>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/axis_placement.h"

namespace lookback::ui {

/// A small square picture of one head map: each pixel has the weight of largest magnitude among its cells. Cells of
/// interest are framed. A click, or Space, asks to see it in full.
class MapThumbnail : public QAbstractButton {
    Q_OBJECT

public:
    explicit MapThumbnail(QWidget *parent = nullptr);

    /// Null: empty. Meant for maps of up to some thousand positions: it is drawn on the GUI thread.
    void setMap(std::shared_ptr<const analysis::HeadMap> map);
    const std::shared_ptr<const analysis::HeadMap> &map() const { return m_map; }
    /// Framed cells; those outside the map are passed over.
    void setCells(std::vector<MapCell> cells);
    /// Paler: it belongs to a former question.
    void setStale(bool isStale);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void drawPicture(const QSize &pixels);

    std::shared_ptr<const analysis::HeadMap> m_map;
    std::vector<MapCell> m_cells;
    QImage m_picture; ///< Drawn when needed.
    bool m_isStale = false;
};

} // namespace lookback::ui
