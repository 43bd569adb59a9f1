// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <numbers>

#include "ui/theme/theme.h"

namespace lookback::ui {

namespace {

/// Outline of a marker inside the circle of radius 0.5 around the origin (areas are balanced by eye).
QPainterPath outlineOf(Marker marker)
{
    QPainterPath path;
    const auto polygon = [&path](std::initializer_list<QPointF> points) {
        path.addPolygon(QPolygonF(QList<QPointF>(points)));
        path.closeSubpath();
    };
    // A plus sign of full width 1 and arm width 2 * arm.
    const auto plus = [&polygon](qreal arm) {
        polygon({{-arm, -0.5},
                 {arm, -0.5},
                 {arm, -arm},
                 {0.5, -arm},
                 {0.5, arm},
                 {arm, arm},
                 {arm, 0.5},
                 {-arm, 0.5},
                 {-arm, arm},
                 {-0.5, arm},
                 {-0.5, -arm},
                 {-arm, -arm}});
    };
    switch (marker) {
    case Marker::Circle:
    case Marker::Ring:
        path.addEllipse(QPointF(0, 0), 0.48, 0.48);
        break;
    case Marker::Square:
        polygon({{-0.43, -0.43}, {0.43, -0.43}, {0.43, 0.43}, {-0.43, 0.43}});
        break;
    case Marker::Triangle:
        polygon({{0, -0.56}, {0.52, 0.40}, {-0.52, 0.40}});
        break;
    case Marker::Diamond:
        polygon({{0, -0.58}, {0.58, 0}, {0, 0.58}, {-0.58, 0}});
        break;
    case Marker::Cross: {
        plus(0.17);
        QTransform quarter;
        quarter.rotate(45);
        path = quarter.map(path);
        break;
    }
    case Marker::Star: {
        QPolygonF star;
        for (int i = 0; i < 10; ++i) {
            const qreal angle = std::numbers::pi * (i / 5.0 - 0.5);
            const qreal radius = i % 2 == 0 ? 0.62 : 0.27;
            star << QPointF(radius * std::cos(angle), radius * std::sin(angle));
        }
        path.addPolygon(star);
        path.closeSubpath();
        break;
    }
    case Marker::Plus:
        plus(0.17);
        break;
    case Marker::Hourglass:
        polygon({{-0.48, -0.54}, {0.48, -0.54}, {0.2, 0}, {0.48, 0.54}, {-0.48, 0.54}, {-0.2, 0}});
        break;
    }
    return path;
}

} // namespace

void drawMarker(QPainter &painter, const QPointF &centre, qreal size, const SeriesStyle &style, const QColor &base)
{
    const bool isHollow = style.isHollow || style.marker == Marker::Ring;
    QTransform place;
    place.translate(centre.x(), centre.y());
    // A stroke adds half its width on either side, so hollow markers are drawn smaller to look equally large.
    const qreal stroke = size / 6.0;
    const qreal scale = isHollow ? size - stroke / 2 : size;
    place.scale(scale, scale);

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (isHollow) {
        painter.setPen(QPen(style.line, stroke, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        painter.setBrush(base);
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.line);
    }
    painter.drawPath(place.map(outlineOf(style.marker)));
    if (style.hasDot) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.line);
        painter.drawEllipse(centre, size * 0.14, size * 0.14);
    }
    painter.restore();
}

void drawSwatch(QPainter &painter, const QRectF &rect, const SeriesStyle &style, const QColor &base)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(style.line, std::min(style.width, rect.height() / 4), Qt::SolidLine, Qt::FlatCap);
    if (!style.dashes.isEmpty())
        pen.setDashPattern(style.dashes);
    painter.setPen(pen);
    const qreal y = rect.center().y();
    painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
    drawMarker(painter, rect.center(), std::min(rect.height(), rect.width() * 9.0 / 28.0), style, base);
    painter.restore();
}

} // namespace lookback::ui
