// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <QCache>
#include <QImage>

#include <functional>
#include <memory>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/axis_placement.h"
#include "ui/heatmap/cell_painter.h"
#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/map_labels.h"
#include "ui/access/speaking.h"
#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// One head map, large: queries downwards, keys to the right, with labels, frames, zoom and a cell that the keyboard
/// moves. A raster widget: only the visible tiles of 256 device pixels are coloured, and kept while they are valid.
///
/// Two cells matter. The *cell* is chosen by click, keyboard or program; its query is the row that is read. The
/// *pointer cell* is the cell under the mouse, or the chosen one while the mouse is elsewhere or the cell is pinned; it
/// is what the sentence is about.
class HeadMapView : public QAbstractScrollArea, public Speaking {
    Q_OBJECT

public:
    /// How the size follows the widget.
    enum class Fit { Width, Whole, Free };

    explicit HeadMapView(QWidget *parent = nullptr);
    ~HeadMapView() override;

    /// What the positions mean; null = nothing to show. Clears the map and the cell.
    void setExample(std::shared_ptr<const analysis::Example> example);
    /// The values to draw; of the example's size. Cell, zoom and scroll position stay.
    void setValues(PyramidPointer values);
    void setColours(const ColourTable &colours);
    void setEntriesShown(bool isShown);
    void setOccurrencesShown(bool isShown);
    void setLines(const MapLines &lines);
    const MapLines &lines() const { return m_lines; }
    /// Dims the picture: it belongs to an older question.
    void setStale(bool isStale);
    /// The sentence of a cell, for the accessible value.
    void setReader(std::function<QString(MapCell)> reader);

    const PyramidPointer &values() const { return m_values; }
    const ColourTable &colours() const { return m_colours; }
    bool isStale() const { return m_isStale; }

    MapCell cell() const { return m_cell; }
    /// Clamped to the map; scrolls it into view.
    void setCell(MapCell cell);
    /// The same; if the query's entry is not wholly on view, its row comes to the middle.
    void showCell(MapCell cell);
    MapCell pointerCell() const;
    bool isPinned() const { return m_isPinned; }
    void setPinned(bool isPinned);
    /// The sentence of the pointer cell; empty without a map or reader.
    QString sentence() const;

    /// Logical pixels of a cell.
    double cellPixels() const { return m_cellPixels; }
    Fit fit() const { return m_fit; }
    void setFit(Fit fit);
    /// Zooms so that a cell has about that many pixels (whole device pixels from 8 on); `anchor` (viewport) stays.
    void setCellPixels(double pixels, const QPointF &anchor);
    void zoomIn();
    void zoomOut();
    /// The whole map; when that is on view already, the width.
    void zoomToFit();

    /// Placement of the axes in viewport coordinates, on the widget's screen.
    AxisPlacement queries() const;
    AxisPlacement keys() const;
    /// Queries and keys on view: x, width = keys; y, height = queries.
    QRect visibleCells() const;
    /// Scrolls so that these cells are at the top left, as far as possible.
    void scrollToCell(MapCell topLeft);
    LabelStyle labelStyle() const;
    /// Width of the labels left of the map: where the map begins.
    int gutter() const;

    QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
    QString spokenValue() const override { return sentence(); }
    QString spokenHelp() const override;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void cellChanged(lookback::ui::MapCell cell);
    /// pointerCell() changed.
    void pointerChanged(lookback::ui::MapCell cell);
    void pinnedChanged(bool isPinned);
    /// The map, or whether it is stale.
    void valuesChanged();
    void coloursChanged();
    /// Zoom, scroll position or size changed.
    void viewChanged();
    void headStepAsked(int step); ///< `[` and `]`.
    void answerStepAsked(int step); ///< K and J: previous and next second occurrence.
    void wrongAnswerAsked(); ///< F.

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    enum class Axis { Queries, Keys };

    bool hasMap() const { return m_example && m_values; }
    std::int64_t cellCount(Axis axis) const;
    /// Placement for a device of `pixelRatio` on which the viewport's corner lies at device pixel `corner`.
    AxisPlacement placement(Axis axis, double pixelRatio, double corner) const;
    double corner(Axis axis) const;
    QSizeF room(const QSize &viewportSize) const;
    double fittedCell(Fit fit) const;
    double snapped(double cellPixels) const;
    void applyFit();
    void updateScrollBars();
    void moveTo(MapCell cell, bool isScrolling);
    void setHover(MapCell cell);
    void pointerMoved(MapCell before);
    bool isOwnKey(const QKeyEvent &event) const;
    void paintTiles(QPainter &painter, const AxisPlacement &queries, const AxisPlacement &keys);
    void forgetTiles();
    /// Those that show any of these rows.
    void forgetTiles(CellRange rows);

    static constexpr int kTile = 256; ///< Device pixels.

    std::shared_ptr<const analysis::Example> m_example;
    PyramidPointer m_values;
    ColourTable m_colours;
    std::function<QString(MapCell)> m_reader;
    bool m_hasEntries = true;
    bool m_hasOccurrences = true;
    MapLines m_lines;
    bool m_isStale = false;

    MapCell m_cell;
    MapCell m_hover;
    bool m_isPinned = false;

    double m_cellPixels = 8.0;
    Fit m_fit = Fit::Width;
    QPoint m_pressed; // viewport position of the button that is down
    QPoint m_pressedScroll;
    bool m_isPressed = false;
    bool m_isDragging = false;
    int m_wheelRest = 0; // eighths of a degree not yet turned into a step

    QCache<quint64, QImage> m_tiles;
    double m_tileScale = 0.0; // device pixels a cell that the tiles were made for
};

} // namespace lookback::ui
