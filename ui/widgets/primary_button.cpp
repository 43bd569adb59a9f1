// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/primary_button.h"

#include <QPainter>
#include <QStyleOptionButton>

#include <algorithm>

#include "ui/theme/theme.h"
#include "ui/widgets/icon.h"

namespace lookback::ui {

namespace {
constexpr int kHeight = 36;
constexpr int kIcon = 16;
constexpr int kGap = 8;
constexpr int kFocusRoom = 4; // 2 px frame, 2 px off
} // namespace

PrimaryButton::PrimaryButton(QWidget *parent) : QPushButton(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void PrimaryButton::setPrimary(bool isPrimary)
{
    if (m_isPrimary == isPrimary)
        return;
    m_isPrimary = isPrimary;
    update();
}

void PrimaryButton::setIconName(QLatin1StringView name)
{
    m_icon = name;
    update();
}

void PrimaryButton::setHint(const QString &hint)
{
    m_hint = hint;
    updateGeometry();
    update();
}

QSize PrimaryButton::sizeHint() const
{
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(bold);
    int width = metrics.horizontalAdvance(text()) + 32 + kIcon + kGap;
    if (!m_hint.isEmpty())
        width += 2 * kGap + fontMetrics().horizontalAdvance(m_hint);
    return {width + 2 * kFocusRoom, std::max(kHeight, metrics.height() + 16) + 2 * kFocusRoom};
}

void PrimaryButton::enterEvent(QEnterEvent *event)
{
    QPushButton::enterEvent(event);
    update();
}

void PrimaryButton::leaveEvent(QEvent *event)
{
    QPushButton::leaveEvent(event);
    update();
}

void PrimaryButton::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::forPalette(palette());
    const bool isFilled = m_isPrimary && isEnabled();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF face =
        QRectF(rect()).adjusted(kFocusRoom, kFocusRoom, -kFocusRoom, -kFocusRoom).adjusted(0.5, 0.5, -0.5, -0.5);
    QColor fill = isFilled ? theme.accent : theme.control;
    QColor border = isFilled ? theme.accent : theme.controlBorder;
    if (isDown())
        fill = fill.darker(112);
    else if (underMouse() && isEnabled()) {
        fill = isFilled ? fill.lighter(108) : fill;
        border = theme.accent;
    }
    painter.setPen(QPen(border, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(face, 3, 3);
    if (hasFocus()) {
        painter.setPen(QPen(theme.focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
    }

    const QColor ink = !isEnabled() ? palette().color(QPalette::Disabled, QPalette::ButtonText)
        : isFilled                  ? theme.accentText
                                    : palette().color(QPalette::ButtonText);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const int textWidth = QFontMetrics(bold).horizontalAdvance(text());
    const int hintWidth = m_hint.isEmpty() ? 0 : 2 * kGap + fontMetrics().horizontalAdvance(m_hint);
    const int iconWidth = m_icon.isEmpty() ? 0 : kIcon + kGap;
    qreal x = std::max(face.left() + 8, face.center().x() - (iconWidth + textWidth + hintWidth) / 2.0);
    if (!m_icon.isEmpty()) {
        const QIcon glyph = ui::icon(m_icon, isFilled ? IconRole::AccentText : IconRole::Text);
        const QRect place(static_cast<int>(x), static_cast<int>(face.center().y() - kIcon / 2.0 + 0.5), kIcon, kIcon);
        glyph.paint(&painter, place, Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
    }
    x += iconWidth;
    painter.setPen(ink);
    painter.setFont(bold);
    painter.drawText(QRectF(x, face.top(), textWidth + 1, face.height()), Qt::AlignVCenter, text());
    if (!m_hint.isEmpty()) {
        painter.setFont(font());
        painter.drawText(QRectF(x + textWidth + 2 * kGap, face.top(), hintWidth, face.height()), Qt::AlignVCenter,
                         m_hint);
    }
}

} // namespace lookback::ui
