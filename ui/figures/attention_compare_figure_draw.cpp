// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the figure of a comparison is laid out and drawn.
#include <algorithm>
#include <cmath>
#include <limits>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPaintEngine>

#include "core/analysis/attention_comparison.h"
#include "ui/figures/attention_compare_figure_private.h"
#include "ui/heatmap/cell_painter.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kFont = 8.0; // points
constexpr double kSmallFont = 7.0;
constexpr double kHairline = 0.5;
constexpr double kGap = 8.0;
constexpr double kMargin = 4.0;
constexpr double kBarHeight = 9.0;
constexpr double kLongestBar = 160.0;
constexpr double kLeastTokenCell = 6.5; // so that token names have 6 points
constexpr double kLeastShare = 0.85; // of the maps without caption: more it may not cost

QString tr(const char *text)
{
    return QCoreApplication::translate("CompareFigure", text);
}

} // namespace

std::vector<CompareFigure::Panel> CompareFigure::panels(const Theme &theme) const
{
    std::vector<Panel> panels{
        {&leftPicture(), tr("Left"), wordsOf(m_input.left), weightColours(leftPicture(), theme)},
        {&rightPicture(), tr("Right"), wordsOf(m_input.right), weightColours(rightPicture(), theme)}};
    if (m_difference)
        panels.push_back({&*m_difference, tr("Difference"),
                          tr("right less left · orange: more at the right, blue: more at the left"),
                          differenceColours(theme)});
    return panels;
}

std::vector<CompareFigure::Bar> CompareFigure::bars(const Theme &theme) const
{
    std::vector<Bar> bars;
    for (const ValuePyramid *values : {&leftPicture(), &rightPicture()}) {
        const ColourTable colours = weightColours(*values, theme);
        if (bars.empty() || !(bars.front().colours == colours))
            bars.push_back({colours, scaleWords(colours.scale(), m_input.range, values->shape().kind)});
    }
    if (m_difference) {
        const ColourTable colours = differenceColours(theme);
        const RangeChoice range =
            m_input.range == RangeChoice::OwnMaximum ? RangeChoice::OwnMaximum : RangeChoice::AllHeads;
        bars.push_back({colours, scaleWords(colours.scale(), range, analysis::MapKind::Difference)});
    }
    return bars;
}

/// Of a difference: beyond it one side is alone.
std::int64_t CompareFigure::windowEdgeOf(const Panel &panel) const
{
    return panel.values == m_difference.get()
        ? analysis::narrowerWindow(leftPicture().shape().withoutWeights(), rightPicture().shape().withoutWeights())
        : panel.values->shape().window;
}

QString CompareFigure::reductionOf(const CellAxis &axis) const
{
    return reductionWords(axis, axis, m_difference ? analysis::MapKind::Difference : leftPicture().shape().kind);
}

/// Bars beside each other, then the key of the frames; returns the height used.
double CompareFigure::drawLegend(QPainter &painter, const QRectF &area, const QString &reduction, const Theme &theme,
                                 bool isDrawn) const
{
    const QFont font = figureFont(kSmallFont);
    const QFontMetricsF metrics(font, painter.device());
    const double line = std::ceil(metrics.height());
    const std::vector<Bar> all = bars(theme);
    const double width = (area.width() - kGap * static_cast<double>(all.size() - 1)) / static_cast<double>(all.size());
    double words = 0.0;
    for (const Bar &bar : all)
        words =
            std::max(words, metrics.boundingRect(QRectF(0, 0, width, 1000.0), Qt::TextWordWrap, bar.words).height());
    painter.setFont(font);
    double x = area.left();
    for (const Bar &bar : all) {
        if (isDrawn) {
            painter.setPen(theme.text);
            painter.drawText(QRectF(x, area.top(), width, words + 1.0), Qt::TextWordWrap | Qt::AlignBottom, bar.words);
            drawColourBar(painter,
                          QRectF(x, area.top() + words + 3.0, std::min(width, kLongestBar), kBarHeight + line + 2.0),
                          bar.colours, font, kHairline, theme);
        }
        x += width + kGap;
    }
    double y = area.top() + words + 3.0 + kBarHeight + line + 6.0;
    const MapMarks marks = marksFor(sequence(), m_input.cell);
    std::vector<LegendItem> items{LegendItem::NotVisible};
    if (m_input.cell.isValid())
        items.push_back(LegendItem::Query);
    if (m_input.hasOccurrences && marks.firstEntry >= 0)
        items.push_back(LegendItem::FirstOccurrence);
    if (m_input.hasOccurrences && marks.askedEntry >= 0)
        items.push_back(LegendItem::AskedOccurrence);
    const ColourTable &colours = all.front().colours;
    x = area.left();
    const auto advance = [&](double itemWidth) {
        if (x > area.left() && x + itemWidth > area.right()) {
            x = area.left();
            y += line + 2.0;
        }
    };
    for (const LegendItem item : items) {
        const double itemWidth = metrics.horizontalAdvance(legendText(item)) + line + 10.0;
        advance(itemWidth);
        if (isDrawn) {
            drawLegendSwatch(painter, QRectF(x, y + 1.0, line - 2.0, line - 2.0), item,
                             maskStyleFor(colours.map(), theme), QColor(colours.colourOf(0.0F)), kHairline, theme);
            painter.setFont(font);
            painter.setPen(theme.text);
            painter.drawText(QRectF(x + line + 2.0, y, itemWidth, line), Qt::AlignLeft | Qt::AlignVCenter,
                             legendText(item));
        }
        x += itemWidth;
    }
    if (!reduction.isEmpty()) {
        const double itemWidth = metrics.horizontalAdvance(reduction) + 4.0;
        advance(itemWidth);
        if (isDrawn) {
            painter.setPen(theme.secondText);
            painter.drawText(QRectF(x, y, itemWidth, line), Qt::AlignLeft | Qt::AlignVCenter, reduction);
        }
    }
    return y + line - area.top();
}

/// The arrangement in rows that makes the maps largest.
CompareFigure::Layout CompareFigure::layOut(QPainter &painter, const QSizeF &page, const std::vector<Panel> &panels,
                                            const LabelStyle &labels, bool hasCaption, const Theme &theme) const
{
    const auto count = static_cast<int>(panels.size());
    const QFontMetricsF small(figureFont(kSmallFont), painter.device());
    const QFontMetricsF text(figureFont(kFont), painter.device());
    Layout best;
    const double caption = hasCaption
        ? std::ceil(text.boundingRect(QRectF(0, 0, page.width(), 5000.0), Qt::TextWordWrap, this->caption()).height())
            + kGap
        : 0.0;
    for (int columns = count; columns >= 1; --columns) {
        const int rows = (count + columns - 1) / columns;
        Layout layout{.columns = columns,
                      .left = std::ceil(leftLabelWidth(labels, sequence())),
                      .top = std::ceil(topLabelHeight(labels)),
                      .caption = caption,
                      .labels = labels};
        const double width = (page.width() - layout.left - kGap * (columns - 1)) / columns;
        double words = 0.0;
        for (const Panel &panel : panels)
            words = std::max(words,
                             small.boundingRect(QRectF(0, 0, width, 1000.0), Qt::TextWordWrap, panel.words).height());
        layout.title = std::ceil(text.height() + words + 3.0);
        // Words about pixels get their room before the raster is known.
        const QString reserved =
            leftPicture().shape().queries > 60 ? tr("Each pixel = 4 × 4 cells, the largest magnitude") : QString();
        layout.legend = drawLegend(painter, QRectF(0, 0, page.width(), 0), reserved, theme, false);
        const double height = (page.height() - layout.legend - kGap - layout.caption) / rows
            - (layout.title + layout.top) - kGap * (rows - 1) / rows;
        layout.side = std::min(width, height);
        if (layout.side > 1.01 * best.side)
            best = layout;
    }
    return best;
}

/// Cells laid out on the device as in the figure of one head: whole device pixels on pictures, a fine raster of its own
/// in vector files.
CellAxis CompareFigure::axisFor(QPainter &painter, double side, QPointF *corner, double *pixelsPerPoint) const
{
    constexpr double kWholePixelsLoss = 0.04;
    const std::int64_t count = leftPicture().shape().queries;
    if (!painter.paintEngine() || painter.paintEngine()->type() != QPaintEngine::Raster) {
        const CellAxis axis(
            count, static_cast<double>(std::clamp<std::int64_t>(2048 / std::max<std::int64_t>(count, 1), 1, 16)));
        *pixelsPerPoint = axis.pixels() / side;
        return axis;
    }
    const QTransform device = painter.deviceTransform();
    const double scale = device.m11();
    *pixelsPerPoint = scale;
    *corner = QPointF((std::ceil(corner->x() * scale + device.dx() - 1e-6) - device.dx()) / scale,
                      (std::ceil(corner->y() * scale + device.dy() - 1e-6) - device.dy()) / scale);
    const double room = std::floor(side * scale + 1e-6);
    const double perCell = room / static_cast<double>(count);
    const double whole = std::floor(perCell);
    return whole >= perCell * (1.0 - kWholePixelsLoss) ? CellAxis(count, whole)
                                                       : CellAxis::fitted(count, static_cast<int>(room));
}

/// One map with frames and labels; `at` = where its title begins. Returns its cells.
CellAxis CompareFigure::drawMap(QPainter &painter, const QPointF &at, const Panel &panel, const Layout &layout,
                                const Theme &theme) const
{
    QPointF corner = at + QPointF(0.0, layout.title + layout.top);
    double pixelsPerPoint = 1.0;
    const CellAxis axis = axisFor(painter, layout.side, &corner, &pixelsPerPoint);
    const double length = axis.pixels() / pixelsPerPoint;
    const QRectF plot(corner, QSizeF(length, length));
    const QFont bold = figureFont(kFont, QFont::DemiBold);
    const double titleLine = std::ceil(QFontMetricsF(bold, painter.device()).height());
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QRectF(corner.x(), at.y(), layout.side, titleLine), Qt::AlignLeft | Qt::AlignVCenter, panel.title);
    painter.setFont(figureFont(kSmallFont));
    painter.setPen(theme.secondText);
    painter.drawText(QRectF(corner.x(), at.y() + titleLine, layout.side, layout.title - titleLine), Qt::TextWordWrap,
                     panel.words);
    painter.drawImage(plot,
                      paintCells(*panel.values, axis, axis, QRect(0, 0, axis.pixels(), axis.pixels()), panel.colours,
                                 maskStyleFor(panel.colours.map(), theme)));
    const AxisPlacement queries{
        .axis = axis, .origin = plot.top(), .pixelRatio = pixelsPerPoint, .length = axis.pixels()};
    AxisPlacement keys = queries;
    keys.origin = plot.left();
    MapMarks marks = marksFor(sequence(), m_input.cell);
    if (!m_input.hasOccurrences)
        marks.askedEntry = marks.firstEntry = -1;
    painter.save();
    painter.setClipRect(plot.adjusted(-1, -1, 1, 1));
    drawGrid(painter, queries, keys, sequence(), m_input.hasEntries, kHairline,
             luminance(panel.colours.colourOf(0.0F)) < 0.4 ? Qt::white : Qt::black);
    if (m_input.hasWindowEdge)
        drawMapLines(painter, queries, keys, {.window = windowEdgeOf(panel)}, kHairline);
    drawMarks(painter, queries, keys, sequence(), marks, m_input.hasOccurrences, kHairline, theme);
    painter.restore();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.secondText, kHairline, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(plot.adjusted(-kHairline / 2, -kHairline / 2, kHairline / 2, kHairline / 2));
    drawTopLabels(painter, QRectF(plot.left(), plot.top() - layout.top, plot.width(), layout.top - 1.0), keys,
                  sequence(), marks, layout.labels, theme);
    return axis;
}

void CompareFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    const std::vector<Panel> all = panels(theme);
    const auto style = [&](bool hasEntries, bool hasTokens) {
        return LabelStyle{.font = figureFont(kSmallFont),
                          .line = kHairline,
                          .leastTokenCell = hasTokens ? kLeastTokenCell : std::numeric_limits<double>::infinity(),
                          .hasEntries = hasEntries,
                          .hasTokens = hasTokens,
                          .device = painter.device()};
    };
    const auto best = [&](const LabelStyle &labels) {
        const Layout bare = layOut(painter, page.size(), all, labels, false, theme);
        const Layout whole = layOut(painter, page.size(), all, labels, m_input.hasCaption, theme);
        return whole.side >= kLeastShare * bare.side ? whole : bare;
    };
    Layout layout = best(style(m_input.hasEntries, true));
    const double cell = layout.side / static_cast<double>(leftPicture().shape().queries);
    const bool hasEntries = m_input.hasEntries && entryLabelsFit(cell, layout.labels, sequence());
    if (hasEntries != m_input.hasEntries || cell < kLeastTokenCell) // labels that do not fit take no room
        layout = best(style(hasEntries, cell >= kLeastTokenCell));
    layout.side = std::max(layout.side, 24.0);

    CellAxis axis;
    const double rowHeight = layout.title + layout.top + layout.side;
    double bottom = page.top();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto column = static_cast<int>(i) % layout.columns;
        const auto row = static_cast<int>(i) / layout.columns;
        const QPointF at(page.left() + layout.left + column * (layout.side + kGap),
                         page.top() + row * (rowHeight + kGap));
        axis = drawMap(painter, at, all[i], layout, theme);
        bottom = at.y() + rowHeight;
        if (column > 0)
            continue;
        QPointF corner = at + QPointF(0.0, layout.title + layout.top);
        double pixelsPerPoint = 1.0;
        axisFor(painter, layout.side, &corner, &pixelsPerPoint);
        const AxisPlacement queries{
            .axis = axis, .origin = corner.y(), .pixelRatio = pixelsPerPoint, .length = axis.pixels()};
        MapMarks marks = marksFor(sequence(), m_input.cell);
        if (!m_input.hasOccurrences)
            marks.askedEntry = marks.firstEntry = -1;
        drawLeftLabels(painter,
                       QRectF(corner.x() - layout.left, corner.y(), layout.left - 1.0, axis.pixels() / pixelsPerPoint),
                       queries, sequence(), marks, layout.labels, theme);
    }
    const QRectF below(page.left(), bottom + kGap, page.width(), page.bottom() - bottom - kGap);
    const double used = drawLegend(painter, below, reductionOf(axis), theme, true);
    if (layout.caption > 0.0) {
        painter.setFont(figureFont(kFont));
        painter.setPen(theme.text);
        painter.drawText(below.adjusted(0, used + kGap, 0, 0), Qt::TextWordWrap, caption());
    }
    painter.restore();
}

} // namespace lookback::ui
