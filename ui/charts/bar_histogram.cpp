// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/bar_histogram.h"

#include <algorithm>

#include <QPainter>

#include "ui/heatmap/map_labels.h"
#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

BarHistogram::BarHistogram(QWidget *parent) : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
}

void BarHistogram::setBars(const QString &title, const QString &note, std::vector<Bar> bars)
{
    m_title = title;
    m_note = note;
    m_bars = std::move(bars);
    setAccessibleName(title);
    setToolTip(spokenValue());
    announceValue(this, spokenValue());
    update();
}

QString BarHistogram::spokenValue() const
{
    QStringList words;
    for (const Bar &bar : m_bars)
        words << tr("%1: %2", "bar, value").arg(bar.label, bar.text);
    return words.join(u"; "_s);
}

QSize BarHistogram::sizeHint() const
{
    return {280, 8 * fontMetrics().height()};
}

QSize BarHistogram::minimumSizeHint() const
{
    return {160, 6 * fontMetrics().height()};
}

void BarHistogram::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    const QFont small = scaledFont(font(), 0.85);
    const QFontMetricsF metrics(small);
    constexpr double kMargin = 12.0;
    const double line = metrics.height();
    QFont strong = font();
    strong.setWeight(QFont::DemiBold);
    painter.setFont(strong);
    painter.setPen(theme.text);
    const double titleHeight = QFontMetricsF(strong).height();
    painter.drawText(QRectF(kMargin, 4, width() - 2 * kMargin, titleHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(strong).elidedText(m_title, Qt::ElideRight, width() - 2 * kMargin));
    painter.setFont(small);
    painter.setPen(theme.secondText);
    painter.drawText(QRectF(kMargin, 4 + titleHeight, width() - 2 * kMargin, line), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(m_note, Qt::ElideRight, width() - 2 * kMargin));
    if (m_bars.empty())
        return;
    const QRectF area(kMargin, 8 + titleHeight + 2 * line, width() - 2 * kMargin,
                      height() - 16 - titleHeight - 3.4 * line);
    double most = 0.0;
    for (const Bar &bar : m_bars)
        most = std::max({most, bar.value, bar.expected.value_or(0.0)});
    const double slot = area.width() / static_cast<double>(m_bars.size());
    painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1.0), theme.hairline);
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const Bar &bar = m_bars[i];
        const double left = area.left() + static_cast<double>(i) * slot;
        const double height = most > 0.0 ? bar.value / most * area.height() : 0.0;
        const QRectF box(left + 0.15 * slot, area.bottom() - height, 0.7 * slot, height);
        painter.fillRect(box, theme.isDark ? theme.shades[0][0].label : theme.accent);
        if (bar.expected && most > 0.0) {
            const double y = area.bottom() - *bar.expected / most * area.height();
            painter.setPen(QPen(theme.text, 1.5, Qt::DashLine));
            painter.drawLine(QPointF(left + 0.05 * slot, y), QPointF(left + 0.95 * slot, y));
        }
        painter.setPen(theme.text);
        if (metrics.horizontalAdvance(bar.text) <= slot)
            painter.drawText(QRectF(left, box.top() - line, slot, line), Qt::AlignCenter, bar.text);
        painter.setPen(theme.secondText);
        const QString label = metrics.horizontalAdvance(bar.label) <= slot ? bar.label : bar.brief;
        if (metrics.horizontalAdvance(label) <= slot)
            painter.drawText(QRectF(left, area.bottom() + 3, slot, line), Qt::AlignCenter, label);
    }
}

} // namespace lookback::ui
