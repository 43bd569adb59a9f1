// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the figure of a head is laid out and drawn.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPaintEngine>

#include "ui/figures/attention_figure_private.h"
#include "ui/heatmap/cell_painter.h"
#include "ui/heatmap/colour_bar.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kFont = 8.0; // points
constexpr double kSmallFont = 7.0;
constexpr double kHairline = 0.5;
constexpr double kGap = 8.0;
constexpr double kMargin = 4.0;
constexpr double kSideWidth = 112.0; // colour bar and key beside the map
constexpr double kLongestBar = 160.0;
constexpr double kNarrow = 300.0; // points: below, text is small and the side as narrow as its words
constexpr double kLeastShare = 0.8; // of the map without words: more they may not cost
constexpr double kWholePixelsLoss = 0.04; // cells of equal size are worth this much of the room, not more
constexpr double kLeastTokenCell = 6.5; // so that token names have 6 points

QString tr(const char *text)
{
    return QCoreApplication::translate("AttentionFigure", text);
}

} // namespace

AttentionFigure::Raster AttentionFigure::rasterFor(QPainter &painter, const QPointF &corner, double side) const
{
    const std::int64_t count = shape().queries;
    Raster raster;
    const bool isRaster = painter.paintEngine() && painter.paintEngine()->type() == QPaintEngine::Raster;
    if (!isRaster) {
        // Programs smooth embedded pictures when they enlarge them: several pixels a cell keep its edges sharp.
        const auto perCell =
            static_cast<double>(std::clamp<std::int64_t>(2048 / std::max<std::int64_t>(count, 1), 1, 16));
        raster.axis = CellAxis(count, perCell);
        raster.pixelsPerPoint = static_cast<double>(raster.axis.pixels()) / side;
        raster.origin = corner;
        return raster;
    }
    const QTransform device = painter.deviceTransform();
    const double scale = device.m11();
    const double room = std::floor(side * scale + 1e-6);
    const double perCell = room / static_cast<double>(count);
    const double whole = std::floor(perCell);
    raster.axis = whole >= perCell * (1.0 - kWholePixelsLoss) ? CellAxis(count, whole)
                                                              : CellAxis::fitted(count, static_cast<int>(room));
    raster.pixelsPerPoint = scale;
    raster.origin = QPointF((std::ceil(corner.x() * scale + device.dx() - 1e-6) - device.dx()) / scale,
                            (std::ceil(corner.y() * scale + device.dy() - 1e-6) - device.dy()) / scale);
    return raster;
}

QImage AttentionFigure::cells(const Raster &raster, const ColourTable &colours, const Theme &theme) const
{
    const QRect whole(0, 0, raster.axis.pixels(), raster.axis.pixels());
    return paintCells(*m_values, raster.axis, raster.axis, whole, colours, maskStyleFor(colours.map(), theme));
}

void AttentionFigure::drawBare(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    const double side = std::min(size.width(), size.height());
    Raster raster = rasterFor(painter, {0.0, 0.0}, side);
    if (painter.paintEngine()->type() == QPaintEngine::Raster)
        raster.axis = CellAxis::fitted(shape().queries, static_cast<int>(std::lround(side * raster.pixelsPerPoint)));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const double length = raster.axis.pixels() / raster.pixelsPerPoint;
    painter.drawImage(QRectF(raster.origin, QSizeF(length, length)), cells(raster, table(theme), theme));
}

std::vector<LegendItem> AttentionFigure::legendItems() const
{
    const MapMarks marks = marksFor(sequence(), m_input.cell);
    std::vector<LegendItem> items{LegendItem::NotVisible};
    if (m_input.cell.isValid())
        items.push_back(LegendItem::Query);
    if (m_input.hasOccurrences && marks.firstEntry >= 0)
        items.push_back(LegendItem::FirstOccurrence);
    if (m_input.hasOccurrences && marks.askedEntry >= 0)
        items.push_back(LegendItem::AskedOccurrence);
    const MapLines drawn = lines();
    if (drawn.window > 0 && drawn.window < shape().queries)
        items.push_back(LegendItem::WindowEdge);
    if (drawn.trainedTokens > 0 && drawn.trainedTokens < shape().queries)
        items.push_back(LegendItem::TrainingLength);
    if (!m_values->isComplete())
        items.push_back(LegendItem::NotComputed);
    return items;
}

MapLines AttentionFigure::lines() const
{
    return {.window = m_input.hasWindowEdge ? shape().window : 0,
            .trainedTokens = m_input.hasTrainingLength && m_input.record ? m_input.record->config.trainedTokens() : 0};
}

double AttentionFigure::leastSideWidth(const Drawing &drawing) const
{
    const QFontMetricsF metrics(figureFont(kSmallFont), drawing.painter.device());
    double widest = 0.0;
    for (const LegendItem item : legendItems())
        widest = std::max(widest, metrics.horizontalAdvance(legendText(item)));
    return std::ceil(widest + metrics.height() + 4.0);
}

double AttentionFigure::drawSide(const Drawing &drawing, const QRectF &area, const QString &reduction,
                                 bool isDrawn) const
{
    QPainter &painter = drawing.painter;
    const Theme &theme = drawing.theme;
    const ColourTable &colours = drawing.colours;
    const QFont font = figureFont(kSmallFont);
    const QFontMetricsF metrics(font, painter.device());
    const double line = std::ceil(metrics.height());
    double y = area.top();
    painter.setFont(font);
    const auto paragraph = [&](const QString &text, const QColor &colour) {
        if (text.isEmpty())
            return;
        const QRectF box = metrics.boundingRect(QRectF(area.left(), y, area.width(), 1000.0), Qt::TextWordWrap, text);
        if (isDrawn) {
            painter.setPen(colour);
            painter.drawText(QRectF(area.left(), y, area.width(), box.height() + 1.0), Qt::TextWordWrap, text);
        }
        y += box.height() + 2.0;
    };
    paragraph(scaleWords(colours.scale(), m_input.range, shape().kind), theme.text);
    paragraph(reduction, theme.secondText);
    const QRectF bar(area.left(), y + 1.0, std::min(area.width(), kLongestBar), 9.0 + line + 2.0);
    if (isDrawn)
        drawColourBar(painter, bar, colours, font, kHairline, theme);
    y = bar.bottom() + 6.0;
    double x = area.left();
    for (const LegendItem item : legendItems()) {
        const double width = metrics.horizontalAdvance(legendText(item)) + line + 10.0;
        if (x > area.left() && x + width > area.right()) {
            x = area.left();
            y += line + 2.0;
        }
        if (isDrawn) {
            drawLegendSwatch(painter, QRectF(x, y + 1.0, line - 2.0, line - 2.0), item,
                             maskStyleFor(colours.map(), theme), QColor(colours.colourOf(0.0F)), kHairline, theme);
            painter.setFont(font);
            painter.setPen(theme.text);
            painter.drawText(QRectF(x + line + 2.0, y, width, line), Qt::AlignLeft | Qt::AlignVCenter,
                             legendText(item));
        }
        x += width;
    }
    return y + line - area.top();
}

LabelStyle AttentionFigure::labelStyle(const Drawing &drawing, bool hasEntries, bool hasTokens) const
{
    return {.font = figureFont(kSmallFont),
            .line = kHairline,
            .leastTokenCell = hasTokens ? kLeastTokenCell : std::numeric_limits<double>::infinity(),
            .hasEntries = hasEntries,
            .hasTokens = hasTokens,
            .device = drawing.painter.device()};
}

/// The arrangement that gives the map most room: legend and caption beside it, the caption below, or both below.
AttentionFigure::Layout AttentionFigure::layOut(const Drawing &drawing, const QRectF &page, const QString &words,
                                                const LabelStyle &labels) const
{
    const QFont font = figureFont(page.width() < kNarrow ? kSmallFont : kFont);
    const QFontMetricsF metrics(font, drawing.painter.device());
    const auto captionHeight = [&](double width) {
        if (words.isEmpty())
            return 0.0;
        return std::ceil(metrics.boundingRect(QRectF(0, 0, width, 5000.0), Qt::TextWordWrap, words).height()) + 2.0;
    };
    // Words that depend on the raster get their room before it is known.
    const QString reserved = shape().queries > 100 ? tr("Each pixel = 4 × 4 cells, maximum") : QString();
    const auto legendHeight = [&](double width) { return drawSide(drawing, QRectF(0, 0, width, 0), reserved, false); };
    Layout layout{.left = std::ceil(leftLabelWidth(labels, sequence())),
                  .top = std::ceil(topLabelHeight(labels)),
                  .labels = labels,
                  .captionFont = font,
                  .words = words};
    const double width = page.width() - layout.left;
    const double height = page.height() - layout.top;
    const double least = leastSideWidth(drawing);
    const double beside = width - 2.0 * kGap - (page.width() < kNarrow ? least : std::max(least, kSideWidth));
    const double below = words.isEmpty() ? 0.0 : kGap + captionHeight(page.width());
    using Place = Layout::Place;
    const auto tryOut = [&](double side, Place legend, Place caption) {
        const double sideWidth = width - side - 2.0 * kGap;
        double needed = 0.0;
        if (legend == Place::Beside)
            needed = legendHeight(sideWidth) + (caption == Place::Beside ? kGap + captionHeight(sideWidth) : 0.0);
        const double room = caption == Place::Below ? side : height;
        if (needed > room || side <= 1.01 * layout.side)
            return;
        layout.side = side;
        layout.legend = legend;
        layout.caption = words.isEmpty() ? Place::Nowhere : caption;
    };
    tryOut(std::min(height, beside), Place::Beside, Place::Beside);
    tryOut(std::min(height - below, beside), Place::Beside, Place::Below);
    tryOut(std::min(height - kGap - legendHeight(page.width()) - below, width), Place::Below, Place::Below);
    return layout;
}

/// With the words that cost the map little: all, one line, or none.
AttentionFigure::Layout AttentionFigure::bestLayout(const Drawing &drawing, const QRectF &page,
                                                    const LabelStyle &labels) const
{
    Layout bare = layOut(drawing, page, {}, labels);
    if (!m_input.hasCaption)
        return bare;
    for (const QString &words : {caption(), shortCaption()}) {
        if (Layout layout = layOut(drawing, page, words, labels); layout.side >= kLeastShare * bare.side)
            return layout;
    }
    return bare;
}

void AttentionFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    if (m_input.isBare) {
        drawBare(painter, size, theme);
        return;
    }
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    const ColourTable colours = table(theme);
    const Drawing drawing{painter, theme, colours};
    // Labels that do not fit take no room.
    Layout layout = bestLayout(drawing, page, labelStyle(drawing, m_input.hasEntries, true));
    const double cell = layout.side / static_cast<double>(shape().queries);
    const bool hasEntries = layout.labels.hasEntries && entryLabelsFit(cell, layout.labels, sequence());
    const bool hasTokens = cell >= kLeastTokenCell;
    if (hasEntries != layout.labels.hasEntries || !hasTokens)
        layout = bestLayout(drawing, page, labelStyle(drawing, hasEntries, hasTokens));

    const Raster raster =
        rasterFor(painter, page.topLeft() + QPointF(layout.left, layout.top), std::max(layout.side, 24.0));
    const double length = raster.axis.pixels() / raster.pixelsPerPoint;
    const QRectF plot(raster.origin, QSizeF(length, length));
    painter.drawImage(plot, cells(raster, colours, theme));
    drawAround(drawing, raster, plot, layout);

    const QString reduction = reductionWords(raster.axis, raster.axis, shape().kind);
    QRectF beside(plot.right() + 2.0 * kGap, plot.top(), page.right() - plot.right() - 2.0 * kGap,
                  page.bottom() - plot.top());
    QRectF below(page.left(), plot.bottom() + kGap, page.width(), page.bottom() - plot.bottom() - kGap);
    QRectF &legend = layout.legend == Layout::Place::Beside ? beside : below;
    legend.setTop(legend.top() + drawSide(drawing, legend, reduction, true) + kGap);
    if (layout.caption != Layout::Place::Nowhere) {
        painter.setFont(layout.captionFont);
        painter.setPen(theme.text);
        painter.drawText(layout.caption == Layout::Place::Beside ? beside : below, Qt::TextWordWrap, layout.words);
    }
    painter.restore();
}

/// Grid, frames and labels of the map.
void AttentionFigure::drawAround(const Drawing &drawing, const Raster &raster, const QRectF &plot,
                                 const Layout &layout) const
{
    QPainter &painter = drawing.painter;
    const Theme &theme = drawing.theme;
    const ColourTable &colours = drawing.colours;
    const QSizeF labels(layout.left, layout.top);
    const LabelStyle &style = layout.labels;
    AxisPlacement queries{
        .axis = raster.axis, .origin = plot.top(), .pixelRatio = raster.pixelsPerPoint, .length = raster.axis.pixels()};
    AxisPlacement keys = queries;
    keys.origin = plot.left();
    MapMarks marks = marksFor(sequence(), m_input.cell);
    if (!m_input.hasOccurrences)
        marks.askedEntry = marks.firstEntry = -1;
    painter.save();
    painter.setClipRect(plot.adjusted(-1, -1, 1, 1));
    drawGrid(painter, queries, keys, sequence(), m_input.hasEntries, kHairline,
             luminance(colours.colourOf(0.0F)) < 0.4 ? Qt::white : Qt::black);
    drawMapLines(painter, queries, keys, lines(), kHairline);
    drawMarks(painter, queries, keys, sequence(), marks, m_input.hasOccurrences, kHairline, theme);
    painter.restore();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.secondText, kHairline, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(plot.adjusted(-kHairline / 2, -kHairline / 2, kHairline / 2, kHairline / 2));
    drawTopLabels(painter, QRectF(plot.left(), plot.top() - labels.height(), plot.width(), labels.height() - 1.0), keys,
                  sequence(), marks, style, theme);
    drawLeftLabels(painter, QRectF(plot.left() - labels.width(), plot.top(), labels.width() - 1.0, plot.height()),
                   queries, sequence(), marks, style, theme);
}

} // namespace lookback::ui
