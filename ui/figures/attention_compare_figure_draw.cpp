// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the figure of a comparison is laid out and drawn.
#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QFontMetricsF>

#include "core/analysis/attention_comparison.h"
#include "ui/figures/attention_compare_figure_private.h"
#include "ui/heatmap/cell_painter.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kBarHeight = 9.0;
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
    const QFont font = figureFont(kMapSmallFont);
    const QFontMetricsF metrics(font, painter.device());
    const double line = std::ceil(metrics.height());
    const std::vector<Bar> all = bars(theme);
    const double width =
        (area.width() - kMapGap * static_cast<double>(all.size() - 1)) / static_cast<double>(all.size());
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
            drawColourBar(
                painter,
                QRectF(x, area.top() + words + 3.0, std::min(width, kLongestColourBar), kBarHeight + line + 2.0),
                bar.colours, font, kMapHairline, theme);
        }
        x += width + kMapGap;
    }
    const MapMarks marks = mapMarksFor(sequence(), m_input.cell, m_input.hasOccurrences);
    const double y = drawMapKey(painter, area, area.top() + words + 3.0 + kBarHeight + line + 6.0,
                                mapLegendItems(marks, m_input.cell), reduction, all.front().colours, theme, isDrawn);
    return y + line - area.top();
}

/// The arrangement in rows that makes the maps largest.
CompareFigure::Layout CompareFigure::layOut(QPainter &painter, const QSizeF &page, const std::vector<Panel> &panels,
                                            const LabelStyle &labels, bool hasCaption, const Theme &theme) const
{
    const auto count = static_cast<int>(panels.size());
    const QFontMetricsF small(figureFont(kMapSmallFont), painter.device());
    const QFontMetricsF text(figureFont(kMapFont), painter.device());
    Layout best;
    const double caption = hasCaption
        ? std::ceil(text.boundingRect(QRectF(0, 0, page.width(), 5000.0), Qt::TextWordWrap, this->caption()).height())
            + kMapGap
        : 0.0;
    for (int columns = count; columns >= 1; --columns) {
        const int rows = (count + columns - 1) / columns;
        Layout layout{.columns = columns,
                      .left = std::ceil(leftLabelWidth(labels, sequence())),
                      .top = std::ceil(topLabelHeight(labels)),
                      .caption = caption,
                      .labels = labels};
        const double width = (page.width() - layout.left - kMapGap * (columns - 1)) / columns;
        double words = 0.0;
        for (const Panel &panel : panels)
            words = std::max(words,
                             small.boundingRect(QRectF(0, 0, width, 1000.0), Qt::TextWordWrap, panel.words).height());
        layout.title = std::ceil(text.height() + words + 3.0);
        // Words about pixels get their room before the raster is known.
        const QString reserved =
            leftPicture().shape().queries > 60 ? tr("Each pixel = 4 × 4 cells, the largest magnitude") : QString();
        layout.legend = drawLegend(painter, QRectF(0, 0, page.width(), 0), reserved, theme, false);
        const double height = (page.height() - layout.legend - kMapGap - layout.caption) / rows
            - (layout.title + layout.top) - kMapGap * (rows - 1) / rows;
        layout.side = std::min(width, height);
        if (layout.side > 1.01 * best.side)
            best = layout;
    }
    return best;
}

/// One map with frames and labels; `at` = where its title begins. Returns where its cells are.
MapRaster CompareFigure::drawMap(QPainter &painter, const QPointF &at, const Panel &panel, const Layout &layout,
                                 const Theme &theme) const
{
    const MapRaster raster =
        mapRasterFor(painter, at + QPointF(0.0, layout.title + layout.top), layout.side, leftPicture().shape().queries);
    const QRectF plot = raster.plot();
    const QFont bold = figureFont(kMapFont, QFont::DemiBold);
    const double titleLine = std::ceil(QFontMetricsF(bold, painter.device()).height());
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QRectF(plot.left(), at.y(), layout.side, titleLine), Qt::AlignLeft | Qt::AlignVCenter,
                     panel.title);
    painter.setFont(figureFont(kMapSmallFont));
    painter.setPen(theme.secondText);
    painter.drawText(QRectF(plot.left(), at.y() + titleLine, layout.side, layout.title - titleLine), Qt::TextWordWrap,
                     panel.words);
    const CellAxis &axis = raster.axis;
    painter.drawImage(plot,
                      paintCells(*panel.values, axis, axis, QRect(0, 0, axis.pixels(), axis.pixels()), panel.colours,
                                 maskStyleFor(panel.colours.map(), theme)));
    const MapMarks marks = mapMarksFor(sequence(), m_input.cell, m_input.hasOccurrences);
    drawMapFrames(painter, raster, sequence(), marks, {.window = m_input.hasWindowEdge ? windowEdgeOf(panel) : 0},
                  m_input.hasEntries, m_input.hasOccurrences, panel.colours, theme);
    drawTopLabels(painter, QRectF(plot.left(), plot.top() - layout.top, plot.width(), layout.top - 1.0), raster.keys(),
                  sequence(), marks, layout.labels, theme);
    return raster;
}

void CompareFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(kMapMargin, kMapMargin, -kMapMargin, -kMapMargin);
    const std::vector<Panel> all = panels(theme);
    const auto best = [&](const LabelStyle &labels) {
        const Layout bare = layOut(painter, page.size(), all, labels, false, theme);
        const Layout whole = layOut(painter, page.size(), all, labels, m_input.hasCaption, theme);
        return whole.side >= kLeastShare * bare.side ? whole : bare;
    };
    Layout layout = best(mapLabelStyle(painter, m_input.hasEntries, true));
    const double cell = layout.side / static_cast<double>(leftPicture().shape().queries);
    const bool hasEntries = m_input.hasEntries && entryLabelsFit(cell, layout.labels, sequence());
    if (hasEntries != m_input.hasEntries || cell < kLeastTokenCell) // labels that do not fit take no room
        layout = best(mapLabelStyle(painter, hasEntries, cell >= kLeastTokenCell));
    layout.side = std::max(layout.side, 24.0);

    CellAxis axis;
    const MapMarks marks = mapMarksFor(sequence(), m_input.cell, m_input.hasOccurrences);
    const double rowHeight = layout.title + layout.top + layout.side;
    double bottom = page.top();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto column = static_cast<int>(i) % layout.columns;
        const auto row = static_cast<int>(i) / layout.columns;
        const QPointF at(page.left() + layout.left + column * (layout.side + kMapGap),
                         page.top() + row * (rowHeight + kMapGap));
        const MapRaster raster = drawMap(painter, at, all[i], layout, theme);
        axis = raster.axis;
        bottom = at.y() + rowHeight;
        if (column > 0)
            continue;
        const QRectF plot = raster.plot();
        drawLeftLabels(painter, QRectF(plot.left() - layout.left, plot.top(), layout.left - 1.0, plot.height()),
                       raster.queries(), sequence(), marks, layout.labels, theme);
    }
    const QRectF below(page.left(), bottom + kMapGap, page.width(), page.bottom() - bottom - kMapGap);
    const double used = drawLegend(painter, below, reductionOf(axis), theme, true);
    if (layout.caption > 0.0) {
        painter.setFont(figureFont(kMapFont));
        painter.setPen(theme.text);
        painter.drawText(below.adjusted(0, used + kMapGap, 0, 0), Qt::TextWordWrap, caption());
    }
    painter.restore();
}

} // namespace lookback::ui
