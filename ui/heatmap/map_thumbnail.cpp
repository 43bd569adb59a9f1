// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/map_thumbnail.h"

#include <algorithm>
#include <cmath>

#include <QEvent>
#include <QPainter>

#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/map_labels.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

namespace {

constexpr int kEdge = 3; // for the frame of the focus
constexpr double kLeastFrame = 5.0; // pixels of a framed cell

} // namespace

MapThumbnail::MapThumbnail(QWidget *parent) : QAbstractButton(parent)
{
    setObjectName(QStringLiteral("mapThumbnail"));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
}

void MapThumbnail::setMap(std::shared_ptr<const analysis::HeadMap> map)
{
    if (map == m_map)
        return;
    m_map = std::move(map);
    m_picture = {};
    update();
}

void MapThumbnail::setCells(std::vector<MapCell> cells)
{
    m_cells = std::move(cells);
    update();
}

void MapThumbnail::setStale(bool isStale)
{
    m_isStale = isStale;
    update();
}

QSize MapThumbnail::sizeHint() const
{
    const int side = std::max(112, 7 * fontMetrics().height()) + 2 * kEdge;
    return {side, side};
}

void MapThumbnail::drawPicture(const QSize &pixels)
{
    const Theme &theme = Theme::forPalette(palette());
    const bool isSigned = m_map->kind == analysis::MapKind::RecurrenceMatrix;
    const ColourTable colours(colourMapsFor(isSigned, theme.isDark).first(),
                              isSigned ? ColourScale::sharedSigned() : ColourScale::shared());
    m_picture = QImage(pixels, QImage::Format_RGB32);
    // The cells under a pixel; at least one, so that small maps are enlarged.
    const auto cells = [](int pixel, int count, std::int64_t of) {
        const std::int64_t from = pixel * of / count;
        return std::pair(from, std::clamp<std::int64_t>((pixel + 1) * of / count, from + 1, of));
    };
    for (int y = 0; y < pixels.height(); ++y) {
        auto *line = reinterpret_cast<QRgb *>(m_picture.scanLine(y)); // RGB32 lines are of QRgb
        const auto [query0, query1] = cells(y, pixels.height(), m_map->queries);
        for (int x = 0; x < pixels.width(); ++x) {
            const auto [key0, key1] = cells(x, pixels.width(), m_map->keys);
            float extreme = 0.0F;
            bool isVisible = false;
            for (std::int64_t query = query0; query < query1; ++query) {
                for (std::int64_t key = key0; key < key1 && key <= query; ++key) {
                    isVisible = isVisible || m_map->isVisible(query, key);
                    const float weight = m_map->at(query, key);
                    if (std::abs(weight) > std::abs(extreme))
                        extreme = weight;
                }
            }
            line[x] = isVisible ? colours.colourOf(extreme) : theme.mask.rgb();
        }
    }
}

void MapThumbnail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    const int side = std::min(width(), height()) - 2 * kEdge;
    const QRect area(kEdge, kEdge, side, side);
    if (m_map && m_map->queries > 0 && side > 0) {
        const QSize pixels = QSize(side, side) * devicePixelRatioF();
        if (m_picture.size() != pixels)
            drawPicture(pixels);
        painter.drawImage(area, m_picture);
        painter.setRenderHint(QPainter::Antialiasing, true);
        const double size = static_cast<double>(side) / static_cast<double>(m_map->queries);
        for (const MapCell &cell : m_cells) {
            if (cell.query < 0 || cell.query >= m_map->queries || cell.key < 0 || cell.key >= m_map->keys)
                continue;
            const double reach = std::max(size, kLeastFrame);
            const QPointF centre(area.left() + (static_cast<double>(cell.key) + 0.5) * size,
                                 area.top() + (static_cast<double>(cell.query) + 0.5) * size);
            drawMapFrame(painter, QRectF(centre.x() - reach / 2.0, centre.y() - reach / 2.0, reach, reach),
                         theme.occurrence, 1.0, false);
        }
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (m_isStale) {
            QColor veil = theme.window;
            veil.setAlphaF(0.6F);
            painter.fillRect(area, veil);
        }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(underMouse() && isEnabled() ? theme.accent : theme.controlBorder, 1.0));
    painter.drawRect(area.adjusted(-1, -1, 0, 0));
    if (hasFocus()) {
        painter.setPen(QPen(theme.focus, 2.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(area).adjusted(-2.0, -2.0, 2.0, 2.0));
    }
}

void MapThumbnail::resizeEvent(QResizeEvent *event)
{
    QAbstractButton::resizeEvent(event);
    m_picture = {};
}

void MapThumbnail::changeEvent(QEvent *event)
{
    QAbstractButton::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        m_picture = {};
}

} // namespace lookback::ui
