// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_parts.h"

#include <algorithm>

#include <QEvent>
#include <QPainter>
#include <QProgressBar>
#include <QVBoxLayout>

#include "ui/heatmap/map_labels.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/primary_button.h"

namespace lookback::ui {

QFrame *makeHairline(QWidget *parent)
{
    auto *line = new QFrame(parent);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Midlight);
    line->setFixedHeight(1);
    return line;
}

ElidedText::ElidedText(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedText::setText(const QString &text)
{
    m_text = text;
    setAccessibleName(text);
    setToolTip(text);
    updateGeometry();
    update();
}

QSize ElidedText::sizeHint() const
{
    const QFontMetrics metrics(scaledFont(font(), 0.85));
    return {metrics.horizontalAdvance(m_text) + 2, metrics.height()};
}

QSize ElidedText::minimumSizeHint() const
{
    return {0, sizeHint().height()};
}

void ElidedText::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(scaledFont(font(), 0.85));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(painter.font()).elidedText(m_text, Qt::ElideRight, width()));
}

ToggleButton::ToggleButton(QWidget *parent) : QToolButton(parent)
{
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
}

QSize ToggleButton::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text()) + 20, std::max(28, metrics.height() + 10)};
}

void ToggleButton::enterEvent(QEnterEvent *event)
{
    QToolButton::enterEvent(event);
    update();
}

void ToggleButton::leaveEvent(QEvent *event)
{
    QToolButton::leaveEvent(event);
    update();
}

void ToggleButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setBrush(isChecked() ? theme.selection : theme.control);
    painter.setPen(isEnabled() && (isChecked() || underMouse()) ? theme.accent : theme.controlBorder);
    painter.drawRect(frame);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.focus, 2.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
    painter.setPen(isEnabled() ? theme.text : theme.disabledText);
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextShowMnemonic, text());
}

BusyStrip::BusyStrip(QWidget *parent)
    : QWidget(parent), m_label(makeNote(this)), m_bar(new QProgressBar(this)), m_cancel(new QToolButton(this))
{
    constexpr int kShowAfterMs = 400;
    constexpr int kBarWidth = 88;
    setObjectName(QStringLiteral("busyStrip"));
    m_label->setObjectName(QStringLiteral("busy"));
    m_label->setWordWrap(false);
    m_bar->setObjectName(QStringLiteral("busyBar"));
    m_bar->setAccessibleName(tr("Progress of the heads"));
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(kBarWidth, 8);
    m_cancel->setObjectName(QStringLiteral("cancelHeads"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop computing these heads"));
    m_cancel->setMinimumSize(24, 24);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_label);
    row->addWidget(m_bar);
    row->addWidget(m_cancel);
    m_delay.setSingleShot(true);
    m_delay.setInterval(kShowAfterMs);
    connect(&m_delay, &QTimer::timeout, this, [this] { showParts(true); });
    connect(m_cancel, &QToolButton::clicked, this, &BusyStrip::cancelAsked);
    showParts(false);
}

void BusyStrip::setState(const QString &text, std::optional<double> fraction)
{
    m_label->setText(text);
    m_bar->setRange(0, fraction ? 1000 : 0);
    if (fraction)
        m_bar->setValue(static_cast<int>(std::clamp(*fraction, 0.0, 1.0) * 1000.0));
    if (text.isEmpty()) {
        m_delay.stop();
        showParts(false);
    } else if (!m_delay.isActive() && m_cancel->isHidden()) {
        m_delay.start();
    }
}

QSize BusyStrip::sizeHint() const
{
    const QSize own = QWidget::sizeHint();
    return {own.width(), std::max(own.height(), m_cancel->sizeHint().height())};
}

void BusyStrip::showParts(bool isShown)
{
    m_label->setVisible(isShown);
    m_bar->setVisible(isShown);
    m_cancel->setVisible(isShown);
    updateGeometry();
}

EmptyState::EmptyState(QWidget *parent)
    : QWidget(parent), m_title(makeTitle({}, this)), m_reason(new QLabel(this)), m_button(new PrimaryButton(this))
{
    setObjectName(QStringLiteral("emptyState"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_title->setAlignment(Qt::AlignCenter);
    m_reason->setWordWrap(true);
    m_reason->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_reason->setForegroundRole(QPalette::PlaceholderText);
    m_button->setObjectName(QStringLiteral("emptyStateButton"));
    m_button->setPrimary(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 24);
    column->setSpacing(12);
    column->addStretch(2);
    column->addWidget(m_title);
    column->addWidget(m_reason, 0, Qt::AlignHCenter);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
    column->addStretch(3);
    connect(m_button, &PrimaryButton::clicked, this, &EmptyState::pressed);
}

void EmptyState::setTexts(const QString &title, const QString &reason, const QString &button)
{
    m_title->setText(title);
    m_reason->setText(reason);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    fitReason();
}

void EmptyState::fitReason()
{
    // A centred label that wraps gets no height for its width from the layout.
    const int width = std::clamp(this->width() - 48, 160, 420);
    m_reason->setMinimumSize(0, 0); // or the former height would be the least
    m_reason->setFixedSize(width, m_reason->heightForWidth(width));
}

void EmptyState::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitReason();
}

} // namespace lookback::ui
