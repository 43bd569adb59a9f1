// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/readout_frame.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>

namespace lookback::ui {

namespace {

constexpr int kMargin = 8;
constexpr int kSwatch = 28;
constexpr int kGap = 8;
constexpr int kShortestName = 80;

QFont strong(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

ReadoutFrame::ReadoutFrame(QWidget *parent) : QWidget(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    QFont smaller = font();
    smaller.setPointSizeF(std::max(7.0, smaller.pointSizeF() * 12 / 13));
    setFont(smaller);
    hide();
}

void ReadoutFrame::setContent(const QString &head, const QString &note, const QStringList &columns,
                              std::vector<Row> rows, const QSize &most)
{
    m_most = most;
    m_head = head;
    m_note = note;
    m_columns = columns;
    m_rows = std::move(rows);
    fit();
    update();
}

void ReadoutFrame::fit()
{
    const QFontMetrics metrics(font());
    m_rowHeight = metrics.height() + 3;
    m_nameWidth = 0;
    m_valueWidth = 0;
    for (const QString &column : m_columns)
        m_valueWidth = std::max(m_valueWidth, metrics.horizontalAdvance(column));
    for (const Row &row : m_rows) {
        m_nameWidth = std::max(m_nameWidth, metrics.horizontalAdvance(row.name) + 2);
        for (const QString &value : row.values)
            m_valueWidth = std::max(m_valueWidth, metrics.horizontalAdvance(value));
    }
    const int others = kSwatch + kGap + int(m_columns.size()) * (m_valueWidth + 2 * kGap) + 2 * kMargin;
    m_nameWidth =
        std::clamp(m_nameWidth, std::min(m_nameWidth, kShortestName), std::max(kShortestName, m_most.width() - others));
    const int room = std::max(1, (m_most.height() - 2 * kMargin) / m_rowHeight - 2);
    m_shownRows = int(m_rows.size()) <= room ? int(m_rows.size()) : std::max(1, room - 1);
    const int lines = m_shownRows + (m_shownRows < int(m_rows.size()) ? 3 : 2);
    const int table = kSwatch + kGap + m_nameWidth + int(m_columns.size()) * (m_valueWidth + 2 * kGap);
    const int head = QFontMetrics(strong(font())).horizontalAdvance(m_head) + kGap + metrics.horizontalAdvance(m_note);
    resize(std::max(table, head) + 2 * kMargin, lines * m_rowHeight + 2 * kMargin);
}

void ReadoutFrame::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::forPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);

    const QFontMetrics metrics(font());
    int y = kMargin;
    painter.setPen(palette().color(QPalette::Text));
    painter.setFont(strong(font()));
    painter.drawText(QRect(kMargin, y, width(), m_rowHeight), Qt::AlignVCenter, m_head);
    const int noteLeft = kMargin + QFontMetrics(strong(font())).horizontalAdvance(m_head) + kGap;
    painter.setFont(font());
    painter.setPen(theme.secondText);
    painter.drawText(QRect(noteLeft, y, width() - noteLeft, m_rowHeight), Qt::AlignVCenter, m_note);
    y += m_rowHeight;

    const auto valueRect = [&](qsizetype column) {
        const int right = width() - kMargin - int(m_columns.size() - 1 - column) * (m_valueWidth + 2 * kGap);
        return QRect(right - m_valueWidth, y, m_valueWidth, m_rowHeight);
    };
    for (qsizetype column = 0; column < m_columns.size(); ++column)
        painter.drawText(valueRect(column), Qt::AlignRight | Qt::AlignVCenter, m_columns[column]);
    for (int i = 0; i < m_shownRows; ++i) {
        const Row &row = m_rows[std::size_t(i)];
        y += m_rowHeight;
        drawSwatch(painter, QRectF(kMargin, y, kSwatch, m_rowHeight), row.style, palette().color(QPalette::Base));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(QRect(kMargin + kSwatch + kGap, y, m_nameWidth, m_rowHeight), Qt::AlignVCenter,
                         metrics.elidedText(row.name, Qt::ElideMiddle, m_nameWidth));
        for (qsizetype column = 0; column < row.values.size(); ++column)
            painter.drawText(valueRect(column), Qt::AlignRight | Qt::AlignVCenter, row.values[column]);
    }
    if (m_shownRows < int(m_rows.size())) {
        y += m_rowHeight;
        painter.setPen(theme.secondText);
        painter.drawText(QRect(kMargin + kSwatch + kGap, y, width(), m_rowHeight), Qt::AlignVCenter,
                         tr("%n more", "runs that have no room here", int(m_rows.size()) - m_shownRows));
    }
}

void ReadoutFrame::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::FontChange)
        fit();
    QWidget::changeEvent(event);
}

} // namespace lookback::ui
