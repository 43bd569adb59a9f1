// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the cells of the map lie, and zoom.
#include "ui/heatmap/head_map_view.h"

#include <algorithm>
#include <cmath>

#include <QScrollBar>
#include <QStyle>

namespace lookback::ui {

namespace {

constexpr int kMargin = 3; // room for the focus frame
constexpr double kLargestCell = 48.0;
constexpr double kZoomStep = 1.25;
constexpr double kWholePixelsFrom = 8.0; // device pixels
constexpr double kWholePixelsLoss = 0.04; // cells of equal size are worth this much of the width, not more

} // namespace

std::int64_t HeadMapView::cellCount(Axis) const
{
    return m_example ? m_example->positions : 0; // queries and keys are the same positions
}

LabelStyle HeadMapView::labelStyle() const
{
    return {.font = scaledFont(font(), 0.85), .line = 1.0, .leastTokenCell = 10.0, .hasEntries = m_hasEntries};
}

int HeadMapView::gutter() const
{
    if (!m_example)
        return kMargin;
    LabelStyle style = labelStyle();
    style.hasEntries = true; // switching entries off leaves the map where it is
    return static_cast<int>(std::ceil(leftLabelWidth(style, m_example->sequence))) + kMargin;
}

QSizeF HeadMapView::room(const QSize &viewportSize) const
{
    const double top = std::ceil(topLabelHeight(labelStyle())) + kMargin;
    return {std::max(16.0, static_cast<double>(viewportSize.width() - gutter() - kMargin)),
            std::max(16.0, viewportSize.height() - top - kMargin)};
}

double HeadMapView::corner(Axis axis) const
{
    const QPoint place = viewport()->mapTo(window(), QPoint(0, 0));
    return (axis == Axis::Keys ? place.x() : place.y()) * devicePixelRatioF();
}

AxisPlacement HeadMapView::placement(Axis axis, double pixelRatio, double corner) const
{
    AxisPlacement placement;
    placement.pixelRatio = pixelRatio;
    placement.axis = CellAxis(cellCount(axis), m_cellPixels * pixelRatio);
    const QSizeF space = room(viewport()->size());
    const bool isKeys = axis == Axis::Keys;
    const double start = isKeys ? gutter() : std::ceil(topLabelHeight(labelStyle())) + kMargin;
    // The first pixel of the plot is a whole device pixel, wherever the widget lies on its window.
    const double firstPixel = std::ceil(corner + start * pixelRatio - 1e-6);
    placement.origin = (firstPixel - corner) / pixelRatio;
    const double available = (isKeys ? space.width() : space.height()) * pixelRatio;
    placement.length = std::min(placement.axis.pixels(), static_cast<int>(available));
    const QScrollBar *bar = isKeys ? horizontalScrollBar() : verticalScrollBar();
    const int wanted = static_cast<int>(std::lround(bar->value() * pixelRatio));
    placement.offset = std::clamp(wanted, 0, placement.axis.pixels() - placement.length);
    return placement;
}

AxisPlacement HeadMapView::queries() const
{
    return placement(Axis::Queries, devicePixelRatioF(), corner(Axis::Queries));
}

AxisPlacement HeadMapView::keys() const
{
    return placement(Axis::Keys, devicePixelRatioF(), corner(Axis::Keys));
}

QRect HeadMapView::visibleCells() const
{
    if (!m_example)
        return {};
    const AxisPlacement rows = queries();
    const AxisPlacement columns = keys();
    return QRect(QPoint(static_cast<int>(columns.firstVisible()), static_cast<int>(rows.firstVisible())),
                 QPoint(static_cast<int>(columns.endVisible()) - 1, static_cast<int>(rows.endVisible()) - 1));
}

void HeadMapView::scrollToCell(MapCell topLeft)
{
    horizontalScrollBar()->setValue(static_cast<int>(std::lround(static_cast<double>(topLeft.key) * m_cellPixels)));
    verticalScrollBar()->setValue(static_cast<int>(std::lround(static_cast<double>(topLeft.query) * m_cellPixels)));
}

// --- zoom ---

double HeadMapView::snapped(double cellPixels) const
{
    const double device = cellPixels * devicePixelRatioF();
    const double whole = std::floor(device + 1e-6);
    return device >= kWholePixelsFrom && whole >= device * (1.0 - kWholePixelsLoss) ? whole / devicePixelRatioF()
                                                                                    : cellPixels;
}

double HeadMapView::fittedCell(Fit fit) const
{
    const auto count = static_cast<double>(std::max<std::int64_t>(cellCount(Axis::Keys), 1));
    const QSize whole = maximumViewportSize();
    const double height = room(whole).height();
    const double width = room(whole).width();
    if (fit == Fit::Whole)
        return snapped(std::min({width / count, height / count, kLargestCell}));
    double cell = snapped(std::min(width / count, kLargestCell));
    if (cell * count > height) { // a scroll bar at the right will take its part
        const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
        cell = snapped(std::min((width - bar) / count, kLargestCell));
    }
    return cell;
}

void HeadMapView::applyFit()
{
    if (m_fit != Fit::Free)
        m_cellPixels = std::max(fittedCell(m_fit), 1e-3);
    updateScrollBars();
}

void HeadMapView::updateScrollBars()
{
    // Which bars are needed is settled from the size without any, not from the present one: a bar that is about to
    // vanish must not call for the other one.
    const double ratio = devicePixelRatioF();
    const double content = CellAxis(cellCount(Axis::Keys), m_cellPixels * ratio).pixels() / ratio;
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
    const QSize whole = maximumViewportSize();
    const auto exceeds = [&](double available) { return content > std::floor(available * ratio) / ratio + 1e-6; };
    const bool needsVertical = exceeds(room(whole).height());
    const bool needsHorizontal = exceeds(room(whole - QSize(needsVertical ? bar : 0, 0)).width());
    const bool needsVerticalToo = needsVertical || exceeds(room(whole - QSize(0, needsHorizontal ? bar : 0)).height());
    const QSizeF space = room(whole - QSize(needsVerticalToo ? bar : 0, needsHorizontal ? bar : 0));
    const auto set = [&](QScrollBar *scrollBar, bool isNeeded, double available) {
        const double hidden = content - std::floor(available * ratio) / ratio;
        scrollBar->setPageStep(static_cast<int>(available));
        scrollBar->setSingleStep(std::max(1, static_cast<int>(m_cellPixels)));
        scrollBar->setRange(0, isNeeded ? std::max(1, static_cast<int>(std::ceil(hidden - 1e-6))) : 0);
    };
    set(horizontalScrollBar(), needsHorizontal, space.width());
    set(verticalScrollBar(), needsVerticalToo, space.height());
    viewport()->update();
    Q_EMIT viewChanged();
}

void HeadMapView::setFit(Fit fit)
{
    m_fit = fit;
    applyFit();
    if (fit != Fit::Free && m_cell.isValid())
        moveTo(m_cell, true);
}

void HeadMapView::setCellPixels(double pixels, const QPointF &anchor)
{
    if (!m_example)
        return;
    const double least = fittedCell(Fit::Whole);
    double wanted = snapped(std::min(pixels, kLargestCell));
    if (wanted <= least * 1.001) {
        setFit(Fit::Whole);
        return;
    }
    const AxisPlacement columns = keys();
    const AxisPlacement rows = queries();
    const double key = ((anchor.x() - columns.origin) + horizontalScrollBar()->value()) / m_cellPixels;
    const double query = ((anchor.y() - rows.origin) + verticalScrollBar()->value()) / m_cellPixels;
    m_fit = Fit::Free;
    m_cellPixels = wanted;
    updateScrollBars();
    horizontalScrollBar()->setValue(static_cast<int>(std::lround(key * wanted - (anchor.x() - columns.origin))));
    verticalScrollBar()->setValue(static_cast<int>(std::lround(query * wanted - (anchor.y() - rows.origin))));
}

void HeadMapView::zoomIn()
{
    const AxisPlacement rows = queries();
    const AxisPlacement columns = keys();
    const bool isCellSeen =
        m_cell.isValid() && visibleCells().contains(static_cast<int>(m_cell.key), static_cast<int>(m_cell.query));
    const QPointF anchor = isCellSeen
        ? QPointF(columns.centre(m_cell.key), rows.centre(m_cell.query))
        : QPointF(0.5 * (columns.origin + columns.end()), 0.5 * (rows.origin + rows.end()));
    setCellPixels(m_cellPixels * kZoomStep, anchor);
}

void HeadMapView::zoomOut()
{
    const AxisPlacement rows = queries();
    const AxisPlacement columns = keys();
    setCellPixels(m_cellPixels / kZoomStep,
                  QPointF(0.5 * (columns.origin + columns.end()), 0.5 * (rows.origin + rows.end())));
}

void HeadMapView::zoomToFit()
{
    setFit(m_fit == Fit::Whole ? Fit::Width : Fit::Whole);
}

} // namespace lookback::ui
