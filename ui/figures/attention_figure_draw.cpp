// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the figure of a head is laid out and drawn.
#include <algorithm>
#include <cmath>
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

constexpr double kSideWidth = 112.0; // colour bar and key beside the map
constexpr double kNarrow = 300.0; // points: below, text is small and the side as narrow as its words
constexpr double kLeastShare = 0.8; // of the map without words: more they may not cost

QString tr(const char *text)
{
    return QCoreApplication::translate("AttentionFigure", text);
}

} // namespace

QImage AttentionFigure::cells(const MapRaster &raster, const ColourTable &colours, const Theme &theme) const
{
    const QRect whole(0, 0, raster.axis.pixels(), raster.axis.pixels());
    return paintCells(*m_values, raster.axis, raster.axis, whole, colours, maskStyleFor(colours.map(), theme));
}

void AttentionFigure::drawBare(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    const double side = std::min(size.width(), size.height());
    MapRaster raster = mapRasterFor(painter, {0.0, 0.0}, side, shape().queries);
    if (painter.paintEngine()->type() == QPaintEngine::Raster)
        raster.axis = CellAxis::fitted(shape().queries, static_cast<int>(std::lround(side * raster.pixelsPerPoint)));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(raster.plot(), cells(raster, table(theme), theme));
}

std::vector<LegendItem> AttentionFigure::legendItems() const
{
    std::vector<LegendItem> items =
        mapLegendItems(mapMarksFor(sequence(), m_input.cell, m_input.hasOccurrences), m_input.cell);
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
    const QFontMetricsF metrics(figureFont(kMapSmallFont), drawing.painter.device());
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
    const QFont font = figureFont(kMapSmallFont);
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
    const QRectF bar(area.left(), y + 1.0, std::min(area.width(), kLongestColourBar), 9.0 + line + 2.0);
    if (isDrawn)
        drawColourBar(painter, bar, colours, font, kMapHairline, theme);
    y = drawMapKey(painter, area, bar.bottom() + 6.0, legendItems(), {}, colours, theme, isDrawn);
    return y + line - area.top();
}

/// The arrangement that gives the map most room: legend and caption beside it, the caption below, or both below.
AttentionFigure::Layout AttentionFigure::layOut(const Drawing &drawing, const QRectF &page, const QString &words,
                                                const LabelStyle &labels) const
{
    const QFont font = figureFont(page.width() < kNarrow ? kMapSmallFont : kMapFont);
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
    const double beside = width - 2.0 * kMapGap - (page.width() < kNarrow ? least : std::max(least, kSideWidth));
    const double below = words.isEmpty() ? 0.0 : kMapGap + captionHeight(page.width());
    using Place = Layout::Place;
    const auto tryOut = [&](double side, Place legend, Place caption) {
        const double sideWidth = width - side - 2.0 * kMapGap;
        double needed = 0.0;
        if (legend == Place::Beside)
            needed = legendHeight(sideWidth) + (caption == Place::Beside ? kMapGap + captionHeight(sideWidth) : 0.0);
        const double room = caption == Place::Below ? side : height;
        if (needed > room || side <= 1.01 * layout.side)
            return;
        layout.side = side;
        layout.legend = legend;
        layout.caption = words.isEmpty() ? Place::Nowhere : caption;
    };
    tryOut(std::min(height, beside), Place::Beside, Place::Beside);
    tryOut(std::min(height - below, beside), Place::Beside, Place::Below);
    tryOut(std::min(height - kMapGap - legendHeight(page.width()) - below, width), Place::Below, Place::Below);
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
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(kMapMargin, kMapMargin, -kMapMargin, -kMapMargin);
    const ColourTable colours = table(theme);
    const Drawing drawing{painter, theme, colours};
    // Labels that do not fit take no room.
    Layout layout = bestLayout(drawing, page, mapLabelStyle(painter, m_input.hasEntries, true));
    const double cell = layout.side / static_cast<double>(shape().queries);
    const bool hasEntries = layout.labels.hasEntries && entryLabelsFit(cell, layout.labels, sequence());
    const bool hasTokens = cell >= kLeastTokenCell;
    if (hasEntries != layout.labels.hasEntries || !hasTokens)
        layout = bestLayout(drawing, page, mapLabelStyle(painter, hasEntries, hasTokens));

    const MapRaster raster = mapRasterFor(painter, page.topLeft() + QPointF(layout.left, layout.top),
                                          std::max(layout.side, 24.0), shape().queries);
    const QRectF plot = raster.plot();
    painter.drawImage(plot, cells(raster, colours, theme));
    drawAround(drawing, raster, layout);

    const QString reduction = reductionWords(raster.axis, raster.axis, shape().kind);
    QRectF beside(plot.right() + 2.0 * kMapGap, plot.top(), page.right() - plot.right() - 2.0 * kMapGap,
                  page.bottom() - plot.top());
    QRectF below(page.left(), plot.bottom() + kMapGap, page.width(), page.bottom() - plot.bottom() - kMapGap);
    QRectF &legend = layout.legend == Layout::Place::Beside ? beside : below;
    legend.setTop(legend.top() + drawSide(drawing, legend, reduction, true) + kMapGap);
    if (layout.caption != Layout::Place::Nowhere) {
        painter.setFont(layout.captionFont);
        painter.setPen(theme.text);
        painter.drawText(layout.caption == Layout::Place::Beside ? beside : below, Qt::TextWordWrap, layout.words);
    }
    painter.restore();
}

/// Grid, frames and labels of the map.
void AttentionFigure::drawAround(const Drawing &drawing, const MapRaster &raster, const Layout &layout) const
{
    QPainter &painter = drawing.painter;
    const Theme &theme = drawing.theme;
    const QRectF plot = raster.plot();
    const QSizeF labels(layout.left, layout.top);
    const MapMarks marks = mapMarksFor(sequence(), m_input.cell, m_input.hasOccurrences);
    drawMapFrames(painter, raster, sequence(), marks, lines(), m_input.hasEntries, m_input.hasOccurrences,
                  drawing.colours, theme);
    drawTopLabels(painter, QRectF(plot.left(), plot.top() - labels.height(), plot.width(), labels.height() - 1.0),
                  raster.keys(), sequence(), marks, layout.labels, theme);
    drawLeftLabels(painter, QRectF(plot.left() - labels.width(), plot.top(), labels.width() - 1.0, plot.height()),
                   raster.queries(), sequence(), marks, layout.labels, theme);
}

} // namespace lookback::ui
