// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/share_bars.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/charts/label_layout.h"
#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/head_cells.h"
#include "ui/heatmap/map_labels.h"
#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kLeader = 16.0;
constexpr double kWidest = 56.0; // of a bar
constexpr double kShown = 0.001; // of the whole: less is no bar
constexpr double kDarkText = 0.2; // luminance from which on text is dark

QString shareText(double share)
{
    return QString::number(share, 'f', 2);
}

/// From the most telling part to the rest: the accent, its hatched tint, and three greys that differ in lightness.
QColor fillOf(std::size_t part, const Theme &theme)
{
    const auto mixed = [&](const QColor &over, double share) {
        const auto channel = [&](int above, int below) {
            return static_cast<int>(std::lround(share * above + (1.0 - share) * below));
        };
        return QColor(channel(over.red(), theme.base.red()), channel(over.green(), theme.base.green()),
                      channel(over.blue(), theme.base.blue()));
    };
    const QColor accent = theme.isDark ? theme.shades[0][0].label : theme.accent;
    switch (part) {
    case 0:
        return accent;
    case 1:
        return mixed(accent, 0.35);
    case 2:
        return mixed(theme.text, 0.55);
    case 3:
        return mixed(theme.text, 0.32);
    default:
        return mixed(theme.text, 0.14);
    }
}

} // namespace

ShareBars::ShareBars(QWidget *parent) : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setFocusPolicy(Qt::StrongFocus);
}

void ShareBars::setColumns(const QStringList &parts, const QString &unit, std::vector<Column> columns)
{
    if (parts == m_parts && unit == m_unit && columns == m_columns)
        return;
    m_parts = parts;
    m_unit = unit;
    m_columns = std::move(columns);
    m_current = m_columns.empty() ? 0 : std::min(m_current, m_columns.size() - 1);
    announceValue(this, spokenValue());
    update();
}

QString ShareBars::words(std::size_t column) const
{
    QStringList parts;
    for (std::size_t i = 0; i < m_columns[column].shares.size(); ++i)
        parts << tr("%1 %2", "part, share")
                     .arg(m_parts[static_cast<qsizetype>(i)], shareText(m_columns[column].shares[i]));
    return tr("%1 %2: %3", "unit, column, shares").arg(m_unit, m_columns[column].label, parts.join(u", "_s));
}

QString ShareBars::spokenValue() const
{
    return m_columns.empty() ? QString() : words(m_current);
}

QString ShareBars::spokenHelp() const
{
    return tr("Left and Right go through the columns.");
}

QSize ShareBars::sizeHint() const
{
    return {380, 10 * fontMetrics().height()};
}

QSize ShareBars::minimumSizeHint() const
{
    return {200, 6 * fontMetrics().height()};
}

QRectF ShareBars::barArea() const
{
    const QFontMetricsF metrics(scaledFont(font(), 0.85));
    double names = 0.0;
    for (const QString &part : m_parts)
        names = std::max(names, metrics.horizontalAdvance(part));
    names = std::min(names + kLeader + 8.0, 0.5 * width());
    return {12.0, 8.0, width() - 12.0 - names - 4.0, height() - 12.0 - 2.2 * metrics.height()};
}

QRectF ShareBars::slotRect(std::size_t column) const
{
    const QRectF area = barArea();
    const double slot = area.width() / static_cast<double>(m_columns.size());
    return {area.left() + static_cast<double>(column) * slot, area.top(), slot, area.height()};
}

qsizetype ShareBars::columnAt(double x) const
{
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const QRectF slot = slotRect(i);
        if (x >= slot.left() && x < slot.right())
            return static_cast<qsizetype>(i);
    }
    return -1;
}

void ShareBars::paintEvent(QPaintEvent *)
{
    if (m_columns.empty())
        return;
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    const QFont small = scaledFont(font(), 0.85);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    const QRectF area = barArea();
    std::vector<LabelWish> wishes;
    std::vector<QPointF> ends;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const QRectF slot = slotRect(i);
        const double width = std::min(0.78 * slot.width(), kWidest);
        double bottom = slot.bottom();
        for (std::size_t part = 0; part < m_columns[i].shares.size(); ++part) {
            const double share = std::clamp(m_columns[i].shares[part], 0.0, 1.0);
            const QRectF box(slot.center().x() - width / 2.0, bottom - share * slot.height(), width,
                             share * slot.height());
            bottom = box.top();
            if (i + 1 == m_columns.size()) {
                wishes.push_back({.y = box.center().y(), .height = metrics.height()});
                ends.emplace_back(box.right(), box.center().y());
            }
            if (share < kShown)
                continue;
            const QColor fill = fillOf(part, theme);
            painter.fillRect(box.adjusted(0.0, 0.0, 0.0, box.height() > 3.0 ? -1.0 : 0.0), fill);
            if (part == 1) { // told apart from the first in grey, too
                painter.setRenderHint(QPainter::Antialiasing, true);
                QColor hatch = theme.text;
                hatch.setAlphaF(0.45F);
                drawHatch(painter, box.adjusted(0.0, 0.0, 0.0, box.height() > 3.0 ? -1.0 : 0.0), hatch, 1.0);
                painter.setRenderHint(QPainter::Antialiasing, false);
            }
            const QString text = shareText(share);
            if (box.height() >= metrics.height() && metrics.horizontalAdvance(text) <= width - 2.0) {
                const double reach = metrics.horizontalAdvance(text) + 4.0;
                const QRectF place(box.center().x() - reach / 2.0, box.center().y() - metrics.height() / 2.0, reach,
                                   metrics.height());
                if (part == 1)
                    painter.fillRect(place, fill); // no lines through the number
                painter.setPen(luminance(fill.rgb()) > kDarkText ? QColor(0x1A, 0x1B, 0x1E) : QColor(Qt::white));
                painter.drawText(place, Qt::AlignCenter, text);
            }
        }
        painter.setPen(theme.secondText);
        if (metrics.horizontalAdvance(m_columns[i].label) <= slot.width())
            painter.drawText(QRectF(slot.left(), area.bottom() + 3.0, slot.width(), metrics.height()), Qt::AlignCenter,
                             m_columns[i].label);
        if (hasFocus() && i == m_current) {
            painter.setPen(QPen(theme.focus, 2.0));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(
                QRectF(slot.center().x() - width / 2.0 - 3.0, slot.top() - 3.0, width + 6.0, slot.height() + 6.0));
        }
    }
    painter.setPen(theme.secondText);
    painter.drawText(QRectF(area.left(), area.bottom() + 3.0 + metrics.height(), area.width(), metrics.height()),
                     Qt::AlignCenter, metrics.elidedText(m_unit, Qt::ElideRight, area.width()));
    // The names, from the bottom up like the parts.
    std::vector<LabelWish> down(wishes.rbegin(), wishes.rend());
    const std::vector<double> places = labelPositions(down, area.top(), area.bottom());
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::size_t part = places.size() - 1 - i;
        const double left = ends[part].x() + kLeader;
        painter.setPen(QPen(theme.controlBorder, 1.0));
        painter.drawLine(ends[part] + QPointF(2.0, 0.0), QPointF(left - 3.0, places[i]));
        painter.setPen(part == 0 ? theme.text : theme.secondText);
        const QRectF place(left, places[i] - metrics.height() / 2.0, this->width() - left - 4.0, metrics.height());
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(m_parts[static_cast<qsizetype>(part)], Qt::ElideRight, place.width()));
    }
}

bool ShareBars::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const qsizetype column = columnAt(help->pos().x());
        QToolTip::showText(help->globalPos(), column >= 0 ? words(static_cast<std::size_t>(column)) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

void ShareBars::keyPressEvent(QKeyEvent *event)
{
    const bool isLeft = event->key() == Qt::Key_Left;
    if ((!isLeft && event->key() != Qt::Key_Right) || m_columns.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const std::size_t last = m_columns.size() - 1;
    m_current = isLeft ? m_current - std::min<std::size_t>(m_current, 1) : std::min(m_current + 1, last);
    announceValue(this, spokenValue());
    update();
}

void ShareBars::mousePressEvent(QMouseEvent *event)
{
    const qsizetype column = columnAt(event->position().x());
    if (event->button() != Qt::LeftButton || column < 0)
        return;
    m_current = static_cast<std::size_t>(column);
    announceValue(this, spokenValue());
    update();
}

void ShareBars::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    update();
}

void ShareBars::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace lookback::ui
