// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/map_overview.h"

#include <cmath>

#include <QMouseEvent>
#include <QPainter>

namespace lookback::ui {

namespace {
constexpr int kSide = 160;
constexpr int kEdge = 1;
} // namespace

MapOverview::MapOverview(HeadMapView *view, QWidget *parent) : QWidget(parent), m_view(view)
{
    setObjectName(QStringLiteral("mapOverview"));
    setAccessibleName(tr("Overview of the map"));
    setCursor(Qt::SizeAllCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(view, &HeadMapView::viewChanged, this, qOverload<>(&QWidget::update));
    connect(view, &HeadMapView::valuesChanged, this, &MapOverview::refresh);
    connect(view, &HeadMapView::coloursChanged, this, &MapOverview::refresh);
}

std::int64_t MapOverview::cells() const
{
    return m_view->values() ? m_view->values()->shape().queries : 0;
}

int MapOverview::side() const
{
    if (cells() == 0)
        return kSide;
    const auto whole = static_cast<int>(kSide / cells()); // whole pixels a cell as long as they fit
    return whole >= 1 ? static_cast<int>(std::min<std::int64_t>(whole, 4) * cells()) : kSide;
}

double MapOverview::cellPixels() const
{
    return cells() == 0 ? 1.0 : static_cast<double>(side()) / static_cast<double>(cells());
}

QRectF MapOverview::frame() const
{
    const QRect seen = m_view->visibleCells();
    const double scale = cellPixels();
    return QRectF(kEdge + seen.left() * scale, kEdge + seen.top() * scale, seen.width() * scale, seen.height() * scale);
}

QSize MapOverview::sizeHint() const
{
    return {side() + 2 * kEdge, side() + 2 * kEdge};
}

void MapOverview::refresh()
{
    m_image = {};
    updateGeometry();
    update();
}

void MapOverview::paintEvent(QPaintEvent *)
{
    if (!m_view->values())
        return;
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    const double ratio = painter.deviceTransform().m11();
    const int pixels = static_cast<int>(std::lround(side() * ratio));
    if (m_image.width() != pixels || m_drawn != m_view->values()) {
        m_drawn = m_view->values();
        const ColourTable &colours = m_view->colours();
        const CellAxis axis = CellAxis::fitted(cells(), pixels);
        m_image =
            paintCells(*m_drawn, axis, axis, QRect(0, 0, pixels, pixels), colours, maskStyleFor(colours.map(), theme));
    }
    painter.drawImage(QRectF(kEdge, kEdge, side(), side()), m_image);
    painter.setPen(QPen(theme.hairline, 1.0));
    painter.drawRect(QRectF(0.5, 0.5, side() + 1, side() + 1));
    const QRectF seen = frame().adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(QColor(0, 0, 0, 170), 4.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(seen);
    painter.setPen(QPen(Qt::white, 2.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(seen);
    if (m_view->isStale()) {
        QColor veil = theme.window;
        veil.setAlphaF(0.6F);
        painter.fillRect(rect(), veil);
    }
}

void MapOverview::centreOn(const QPointF &place)
{
    const QRect seen = m_view->visibleCells();
    const double scale = cellPixels();
    m_view->scrollToCell({static_cast<std::int64_t>(std::lround(place.y() / scale - seen.height() / 2.0)),
                          static_cast<std::int64_t>(std::lround(place.x() / scale - seen.width() / 2.0))});
}

void MapOverview::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_view->values())
        return;
    const QRectF seen = frame();
    m_grip = seen.contains(event->position()) ? event->position() - seen.center() : QPointF();
    centreOn(event->position() - m_grip);
}

void MapOverview::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton && m_view->values())
        centreOn(event->position() - m_grip);
}

void MapOverview::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh();
}

} // namespace lookback::ui
