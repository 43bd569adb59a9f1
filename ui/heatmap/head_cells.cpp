// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_cells.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/map_labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kBarWidth = 0.9; // of a line
constexpr double kTinyText = 0.7; // of the text's size, where a number does not fit otherwise
constexpr double kDarkText = 0.32; // luminance from which on text is dark

QString tr(const char *text)
{
    return QCoreApplication::translate("HeadCells", text);
}

QString layerName(std::size_t layer)
{
    return tr("layer %1").arg(layer);
}

/// 0..1 along the colour map.
double fractionOf(const HeadCells &cells, double value)
{
    const double share = std::clamp(std::abs(value) / cells.maximum, 0.0, 1.0);
    if (!cells.isSigned)
        return value > 0.0 ? share : 0.0;
    return 0.5 - std::copysign(0.5 * std::sqrt(share), value); // less: the warm end of the map
}

QColor colourOf(const HeadCells &cells, double fraction, bool isDark)
{
    return QColor(colourAt(colourMapsFor(cells.isSigned, isDark).first(), fraction));
}

std::vector<double> barTicks(const HeadCells &cells)
{
    if (!cells.isSigned)
        return {0.0, 0.25 * cells.maximum, 0.5 * cells.maximum, 0.75 * cells.maximum, cells.maximum};
    std::vector<double> ticks{0.0};
    for (const double share : {1.0 / 7.0, 0.5, 1.0}) {
        ticks.push_back(share * cells.maximum);
        ticks.push_back(-share * cells.maximum);
    }
    return ticks;
}

QString tickText(const HeadCells &cells, double value)
{
    const double magnitude = std::abs(value);
    const int decimals = cells.maximum >= 7.0 ? 0 : cells.maximum >= 2.0 ? 1 : 2;
    const QString number = QString::number(magnitude, 'f', decimals);
    if (!cells.isSigned || number.toDouble() == 0.0)
        return number;
    return (value < 0.0 ? u"\u2212"_s : u"+"_s) % number;
}

} // namespace

const HeadCell *HeadCells::at(const circuit::HeadId &id) const
{
    const std::int64_t index = id.layer * heads + id.head;
    const bool isThere = id.layer >= 0 && id.head >= 0 && id.head < heads && index < std::ssize(cells);
    return isThere ? &cells[static_cast<std::size_t>(index)] : nullptr;
}

namespace {

QString signedText(double value, int decimals, bool isSigned)
{
    const QString number = QString::number(std::abs(value), 'f', decimals);
    if (!isSigned || number.toDouble() == 0.0)
        return number;
    return (value < 0.0 ? u"\u2212"_s : u"+"_s) % number;
}

} // namespace

QString HeadCells::text(double value) const
{
    return signedText(value, decimals, isSigned);
}

QString HeadCells::briefText(double value) const
{
    return signedText(value, std::max(0, decimals - 1), isSigned);
}

double pointsMaximum(double largest)
{
    for (const double maximum : {1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 70.0}) {
        if (largest <= maximum)
            return maximum;
    }
    return 100.0;
}

QColor headColour(const HeadCells &cells, double value, bool isDark)
{
    return colourOf(cells, fractionOf(cells, value), isDark);
}

QRectF HeadCellPlaces::rectOf(const circuit::HeadId &id) const
{
    return {corner.x() + static_cast<double>(id.head) * cell.width(),
            corner.y() + static_cast<double>(id.layer) * cell.height(), cell.width(), cell.height()};
}

QRectF HeadCellPlaces::layerTitle(std::int64_t layer) const
{
    const QRectF first = rectOf({layer, 0});
    return {first.left() - labels, first.top(), labels, first.height()};
}

QRectF HeadCellPlaces::headTitle(std::int64_t head) const
{
    const QRectF first = rectOf({0, head});
    return {first.left(), first.top() - header, first.width(), header};
}

HeadCellPlaces placesOf(const HeadCells &cells, const QRectF &rect, const QFont &font, const QPaintDevice *device)
{
    const QFontMetricsF metrics(font, device);
    const QFontMetricsF small(scaledFont(font, 0.85), device);
    HeadCellPlaces places;
    places.header = std::ceil(small.height() * 1.3);
    for (std::size_t layer = 0; layer < cells.layers.size(); ++layer) {
        places.labels = std::max(
            {places.labels, metrics.horizontalAdvance(layerName(layer)), small.horizontalAdvance(cells.layers[layer])});
    }
    places.labels = std::ceil(places.labels + 0.8 * metrics.averageCharWidth());
    double numbers = 0.0;
    for (const double tick : barTicks(cells))
        numbers = std::max(numbers, small.horizontalAdvance(tickText(cells, tick)));
    const double bar = std::ceil(kBarWidth * metrics.height());
    const double side = 1.2 * metrics.height() + bar + 0.6 * metrics.height() + numbers;
    const auto rows = static_cast<double>(std::max<std::size_t>(cells.layers.size(), 1));
    const auto columns = static_cast<double>(std::max<std::int64_t>(cells.heads, 1));
    places.corner = {rect.left() + places.labels, rect.top() + places.header};
    // Whole units where there are enough of them, so that cells are alike.
    const auto whole = [](double size) { return size >= 12.0 ? std::floor(size) : size; };
    places.cell = {whole(std::min((rect.width() - places.labels - side) / columns, 12.0 * metrics.height())),
                   whole(std::min((rect.height() - places.header) / rows, 6.0 * metrics.height()))};
    places.cell = places.cell.expandedTo({2.0, 2.0});
    places.bar = QRectF(places.corner.x() + columns * places.cell.width() + 1.2 * metrics.height(), places.corner.y(),
                        bar, rows * places.cell.height());
    return places;
}

void drawHatch(QPainter &painter, const QRectF &rect, const QColor &colour, double line)
{
    painter.setPen(QPen(colour, line));
    const double pitch = 7.0 * line;
    // Along x + y = c, from the upper right to the lower left.
    const double first = std::ceil((rect.left() + rect.top()) / pitch) * pitch;
    for (double c = first; c < rect.right() + rect.bottom(); c += pitch) {
        const double top = std::max(rect.top(), c - rect.right());
        const double bottom = std::min(rect.bottom(), c - rect.left());
        painter.drawLine(QPointF(c - top, top), QPointF(c - bottom, bottom));
    }
}

namespace {

void drawCell(QPainter &painter, const HeadCells &cells, const HeadCell &cell, const QRectF &rect, const QFont &font,
              double line, const Theme &theme)
{
    const QFont small = scaledFont(font, 0.85);
    const QFontMetricsF metrics(font, painter.device());
    const QFontMetricsF smallMetrics(small, painter.device());
    QColor text = theme.secondText;
    if (!cell.value) {
        painter.fillRect(rect, theme.base);
    } else if (!cell.isDistinguishable) {
        painter.fillRect(rect, theme.base);
        QColor hatch = theme.text;
        hatch.setAlphaF(theme.isDark ? 0.10F : 0.14F);
        painter.setRenderHint(QPainter::Antialiasing, true);
        drawHatch(painter, rect, hatch, line);
        painter.setRenderHint(QPainter::Antialiasing, false);
    } else {
        const QColor colour = headColour(cells, *cell.value, theme.isDark);
        painter.fillRect(rect, colour);
        text = luminance(colour.rgb()) > kDarkText ? QColor(0x1A, 0x1B, 0x1E) : QColor(Qt::white);
    }
    const QString number = cell.value ? cells.text(*cell.value) : u"–"_s;
    const QString half = u"± "_s % QString::number(cell.half, 'f', cells.decimals);
    if (smallMetrics.horizontalAdvance(number) > rect.width() - 2.0 * line
        || smallMetrics.height() > rect.height() + 1.0) {
        const QString brief = cell.value ? cells.briefText(*cell.value) : number;
        const QFont tiny = scaledFont(font, kTinyText);
        const QFontMetricsF tinyMetrics(tiny, painter.device());
        const double advance = tinyMetrics.horizontalAdvance(brief);
        const auto fits = [&](double width, double height) {
            return advance <= width && tinyMetrics.capHeight() <= height - 2.0 * line;
        };
        const bool isUpright = !fits(rect.width(), rect.height());
        if (isUpright && !fits(rect.height(), rect.width()))
            return; // the colour alone
        painter.setFont(tiny);
        painter.setPen(text);
        painter.save();
        painter.translate(rect.center());
        if (isUpright)
            painter.rotate(-90.0);
        painter.drawText(QRectF(-advance, -advance, 2.0 * advance, 2.0 * advance), Qt::AlignCenter | Qt::TextDontClip,
                         brief);
        painter.restore();
        return;
    }
    QFont strong = font;
    strong.setWeight(cell.value && cell.isDistinguishable && cells.isSigned ? QFont::DemiBold : QFont::Normal);
    const bool isWide = metrics.horizontalAdvance(number) <= rect.width() - 4.0 * line;
    const bool hasHalf = cell.value && cell.half > 0.0
        && metrics.height() + smallMetrics.height() <= rect.height() + 2.0 * line
        && smallMetrics.horizontalAdvance(half) <= rect.width() - 2.0 * line;
    painter.setPen(text);
    painter.setFont(isWide ? strong : small);
    const double shift = hasHalf ? smallMetrics.height() / 2.0 - line : 0.0;
    painter.drawText(rect.translated(0.0, -shift), Qt::AlignCenter, number);
    if (hasHalf) {
        painter.setFont(small);
        painter.drawText(rect.translated(0.0, metrics.height() / 2.0), Qt::AlignCenter, half);
    }
}

} // namespace

void drawHeadBar(QPainter &painter, const HeadCells &cells, const QRectF &bar, const QFont &font, double line,
                 const Theme &theme)
{
    constexpr int kSteps = 256;
    QImage gradient(1, kSteps, QImage::Format_RGB32);
    for (int i = 0; i < kSteps; ++i) {
        const double fraction = cells.isSigned ? i / (kSteps - 1.0) : 1.0 - i / (kSteps - 1.0);
        gradient.setPixel(0, i, colourOf(cells, fraction, theme.isDark).rgb());
    }
    painter.drawImage(bar, gradient);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.controlBorder, line));
    painter.drawRect(bar);
    painter.setFont(font);
    const double height = QFontMetricsF(font, painter.device()).height();
    for (const double tick : barTicks(cells)) {
        const double fraction = fractionOf(cells, tick);
        const double y = bar.top() + (cells.isSigned ? fraction : 1.0 - fraction) * bar.height();
        painter.setPen(QPen(theme.controlBorder, line));
        painter.drawLine(QPointF(bar.right(), y), QPointF(bar.right() + 4.0 * line, y));
        painter.setPen(theme.text);
        const double from = std::clamp(y - height / 2.0, bar.top() - height / 4.0, bar.bottom() - 0.75 * height);
        painter.drawText(QRectF(bar.right() + 7.0 * line, from, 8.0 * height, height), Qt::AlignLeft | Qt::AlignVCenter,
                         tickText(cells, tick));
    }
}

void drawHeadCells(QPainter &painter, const HeadCells &cells, const HeadCellPlaces &places, const QFont &font,
                   double line, const Theme &theme)
{
    const QFont small = scaledFont(font, 0.85);
    const QFontMetricsF metrics(font, painter.device());
    const QFontMetricsF smallMetrics(small, painter.device());
    const bool hasRoom =
        smallMetrics.horizontalAdvance(tr("head %1").arg(cells.heads)) <= places.cell.width() - 2.0 * line;
    painter.setFont(small);
    painter.setPen(theme.secondText);
    for (std::int64_t head = 0; head < cells.heads; ++head) {
        painter.drawText(places.headTitle(head), Qt::AlignHCenter | Qt::AlignVCenter,
                         hasRoom ? tr("head %1").arg(head) : QString::number(head));
    }
    const bool hasTwoLines = metrics.height() + smallMetrics.height() <= places.cell.height();
    for (std::size_t layer = 0; layer < cells.layers.size(); ++layer) {
        const QRectF name = places.layerTitle(static_cast<std::int64_t>(layer));
        painter.setPen(theme.text);
        painter.setFont(smallMetrics.height() < name.height() ? font : scaledFont(font, 0.7));
        painter.drawText(name.translated(0.0, hasTwoLines ? -smallMetrics.height() / 2.0 : 0.0),
                         Qt::AlignLeft | Qt::AlignVCenter, layerName(layer));
        if (hasTwoLines) {
            painter.setFont(small);
            painter.setPen(theme.secondText);
            painter.drawText(name.translated(0.0, metrics.height() / 2.0), Qt::AlignLeft | Qt::AlignVCenter,
                             cells.layers[layer]);
        }
        for (std::int64_t head = 0; head < cells.heads; ++head) {
            const circuit::HeadId id{static_cast<std::int64_t>(layer), head};
            if (const HeadCell *cell = cells.at(id))
                drawCell(painter, cells, *cell, places.rectOf(id).adjusted(0.0, 0.0, -line, -line), font, line, theme);
        }
    }
    drawHeadBar(painter, cells, places.bar, small, line, theme);
}

} // namespace lookback::ui
