// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Fonts, sizes and margins of plots.
#include <QFontMetricsF>

#include <algorithm>

#include "ui/charts/plot_painter.h"
#include "ui/theme/figure_font.h"

namespace lookback::ui {

PlotMetrics PlotMetrics::screen(const QFont &font)
{
    // The house sizes are those of a 13 px font; all grow with the system's.
    const qreal points = font.pointSizeF() > 0 ? font.pointSizeF() : 10.0;
    const auto scaled = [&font, points](qreal pixels, QFont::Weight weight) {
        QFont other = font;
        other.setPointSizeF(points * pixels / 13.0);
        other.setWeight(weight);
        return other;
    };
    PlotMetrics metrics;
    metrics.numbers = scaled(11, QFont::Normal);
    metrics.titles = scaled(12, QFont::Normal);
    metrics.labels = scaled(12, QFont::DemiBold);
    metrics.notes = scaled(11, QFont::Normal);
    return metrics;
}

PlotMetrics PlotMetrics::paper()
{
    PlotMetrics metrics;
    metrics.numbers = metrics.titles = metrics.labels = figureFont(8);
    metrics.notes = figureFont(7);
    metrics.curve = 1.2;
    metrics.selectedCurve = 1.2;
    metrics.marker = 4.5;
    metrics.hairline = 0.5;
    metrics.tick = 3.0;
    metrics.gap = 2.5;
    metrics.columnsPerUnit = 4.0;
    metrics.isScreen = false;
    return metrics;
}

qreal numbersWidth(const Axis &axis, const PlotMetrics &metrics, QPaintDevice *device)
{
    const QFontMetricsF numbers(metrics.numbers, device);
    qreal widest = 0;
    for (const Tick &tick : axis.ticks)
        widest = std::max(widest, numbers.horizontalAdvance(tick.label));
    return widest;
}

QMarginsF axisMargins(qreal numbersWidth, const Axis *top, bool hasBottomNumbers, const PlotMetrics &metrics,
                      QPaintDevice *device)
{
    const QFontMetricsF numbers(metrics.numbers, device);
    const QFontMetricsF titles(metrics.titles, device);
    const qreal axis = metrics.tick + metrics.gap + numbers.height() + titles.height();
    return {metrics.tick + 2 * metrics.gap + numbersWidth + titles.height(), top ? axis : numbers.height(), 0,
            hasBottomNumbers ? axis : metrics.hairline};
}

int fittingLabels(qreal width, const QString &text, const QFont &font, QPaintDevice *device)
{
    const QFontMetricsF metrics(font, device);
    return std::max(2, int(width / (metrics.horizontalAdvance(text) + metrics.averageCharWidth() * 0.5) + 1));
}

} // namespace lookback::ui
