// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/labelled_plot.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json.h"
#include "ui/charts/end_labels.h"
#include "ui/charts/nice_range.h"
#include "ui/figures/figure.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr qreal kPad = 4.0;

std::vector<EndLabel> namesOf(const LabelledPlot &plot)
{
    std::vector<EndLabel> names;
    for (const LabelledCurve &curve : plot.curves) {
        if (curve.hasName)
            names.push_back({.text = curve.text, .style = curve.style, .isStrong = curve.isStrong});
    }
    return names;
}

/// The last point of a curve that has a place.
QPointF endOf(const LabelledCurve &curve, const PlotPainter &plot)
{
    QPointF end = plot.area().bottomRight();
    for (const CurvePoint &point : curve.points) {
        if (point.y) {
            const QPointF place = plot.map(point.x, *point.y);
            if (std::isfinite(place.x()) && std::isfinite(place.y()))
                end = place;
        }
    }
    return {std::clamp(end.x(), plot.area().left(), plot.area().right()),
            std::clamp(end.y(), plot.area().top(), plot.area().bottom())};
}

} // namespace

QRectF drawCaptionBelow(QPainter &painter, const QSizeF &size, const QString &caption, const Theme &theme)
{
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(kPad, kPad, -kPad, -kPad);
    if (size.height() < 120.0 || caption.isEmpty())
        return page;
    const PlotMetrics metrics = PlotMetrics::paper();
    const QRectF box = QFontMetricsF(metrics.notes, painter.device())
                           .boundingRect(QRectF(0, 0, page.width(), 1000), Qt::TextWordWrap, caption);
    painter.setFont(metrics.notes);
    painter.setPen(theme.secondText);
    painter.drawText(QRectF(page.left(), page.bottom() - box.height(), page.width(), box.height()),
                     Qt::TextWordWrap | Qt::TextDontClip, caption);
    return page.adjusted(0, 0, 0, -box.height() - kPad);
}

qreal numbersOf(const LabelledPlot &plot, QPaintDevice *device)
{
    return numbersWidth(plot.y(5), PlotMetrics::paper(), device);
}

qreal columnOf(const LabelledPlot &plot, qreal width, QPaintDevice *device)
{
    const PlotMetrics metrics = PlotMetrics::paper();
    return std::max(endLabelsWidth(namesOf(plot), width * (width < kSmallPage ? 0.42 : 0.34), metrics, device),
                    QFontMetricsF(metrics.numbers, device).horizontalAdvance(plot.widestX) / 2);
}

Axis plainAxis(const Range &range, int most, const QString &title)
{
    Axis axis{Scale::Linear, range, {}, title, {}};
    for (const double value : niceTicks(range, most))
        axis.ticks.push_back({value, QString::fromStdString(realText(std::round(value * 1e6) / 1e6))});
    return axis;
}

SeriesStyle listedStyle(std::size_t place, const Theme &theme)
{
    using model::Family;
    constexpr std::array kHues{Family::FullRope,    Family::HybridWindow,   Family::Kda,      Family::ChunkRetrieval,
                               Family::PartialRope, Family::HybridNoWindow, Family::Baseline, Family::Own};
    return theme.seriesStyle(kHues[place % kHues.size()], model::LogitForm::Squared,
                             static_cast<int>(place / kHues.size()));
}

void drawLabelledPlot(QPainter &painter, const QRectF &page, const LabelledPlot &plot, const Theme &theme)
{
    PlotMetrics metrics = PlotMetrics::paper();
    QPaintDevice *device = painter.device();
    const QFontMetricsF notes(metrics.notes, device);
    const bool isSmall = page.width() < kSmallPage;
    const qreal titleHeight = plot.title.isEmpty() ? 0.0 : 1.4 * notes.height();
    std::vector<EndLabel> names = namesOf(plot);
    const qreal numbers = std::max(plot.numbers, numbersOf(plot, device));
    const QMarginsF margins = axisMargins(numbers, nullptr, true, metrics, device);
    const qreal fullHeight = page.height() - margins.top() - margins.bottom() - titleHeight;
    const bool hasLegend = !fitLabelType(names, fullHeight + notes.height(), metrics, device);
    const qreal legend =
        hasLegend ? legendHeight(names, QSizeF(page.width(), 0.42 * page.height()), metrics, device) + metrics.gap : 0;
    const qreal column = hasLegend
        ? std::max(plot.column, QFontMetricsF(metrics.numbers, device).horizontalAdvance(plot.widestX) / 2)
        : std::max(plot.column, columnOf(plot, page.width(), device));
    const QRectF area(page.left() + margins.left(), page.top() + margins.top() + titleHeight,
                      page.width() - margins.left() - column, std::max(fullHeight - legend, 20.0));

    const Axis x = plot.x(fittingLabels(area.width(), plot.widestX, metrics.numbers, device));
    const Axis y = plot.y(std::clamp(static_cast<int>(area.height() / 20), 1, 6));
    const PlotPainter painted(painter, area, x, y, theme, metrics);
    if (titleHeight > 0.0) {
        painter.setFont(metrics.titles);
        painter.setPen(theme.text);
        painter.drawText(QRectF(area.left(), page.top(), area.width() + column, titleHeight),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, plot.title);
    }
    painted.grid();
    NoteSpace space(area);
    std::vector<ThinnedCurve> thin;
    for (const LabelledCurve &curve : plot.curves) {
        thin.push_back(thinned(curve.points, x, y, painted.columns()));
        painted.occupy(space, thin.back());
    }
    std::vector<ReferenceLine> lines = plot.lines;
    if (isSmall) {
        for (ReferenceLine &line : lines)
            line.text.clear();
    }
    painted.references(lines, plot.reference, std::move(space));
    for (const LabelledCurve &curve : plot.curves) {
        if (!curve.isBand) {
            painted.whiskers(curve.intervals, curve.style.line);
            continue;
        }
        std::vector<IntervalPoint> band = curve.intervals;
        for (IntervalPoint &point : band) // on a logarithmic axis a band to 0 and below runs to the edge
            point.low = std::max(point.low, y.range.lower);
        painted.band(band, curve.style.line);
    }
    for (std::size_t i = 0; i < plot.curves.size(); ++i) {
        const LabelledCurve &curve = plot.curves[i];
        if (curve.isHair) {
            painted.curve(thin[i], curve.style, metrics.hairline, kHairOpacity);
            continue;
        }
        painted.curve(thin[i], curve.style, curve.isStrong ? 1.5 * metrics.curve : metrics.curve);
        if (curve.hasMarkers) {
            for (const auto &segment : thin[i].segments)
                painted.markers(segment, curve.style, 0.8 * metrics.marker);
        } else {
            painted.lonePoints(thin[i], curve.style, metrics.curve);
        }
        painted.offScale(thin[i], curve.style);
    }
    painted.bottomAxis(true);
    painted.leftAxis(numbers);

    if (hasLegend) {
        drawLegend(painter, names,
                   QRectF(page.left(), area.bottom() + margins.bottom() + metrics.gap, page.width(), legend), theme,
                   metrics);
        return;
    }
    std::size_t name = 0;
    for (const LabelledCurve &curve : plot.curves) {
        if (curve.hasName)
            names[name++].end = endOf(curve, painted);
    }
    drawEndLabels(painter, names,
                  QRectF(area.right(), area.top() - notes.height() / 2, column, area.height() + notes.height()), theme,
                  metrics);
}

} // namespace lookback::ui
