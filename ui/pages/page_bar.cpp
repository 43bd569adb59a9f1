// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_bar.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include "ui/widgets/icon.h"

namespace lookback::ui {

PageBar::PageBar(QWidget *parent) : QWidget(parent), m_layout(new QHBoxLayout(this))
{
    m_layout->setContentsMargins(12, 4, 12, 5);
    m_layout->setSpacing(8);
    setMinimumHeight(40);
}

QToolButton *PageBar::addButton(QLatin1StringView iconName, const QString &text, const QString &tip,
                                const QString &name)
{
    auto *button = new QToolButton(this);
    button->setObjectName(name);
    if (!iconName.isEmpty())
        button->setIcon(icon(iconName));
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolButtonStyle(text.isEmpty()           ? Qt::ToolButtonIconOnly
                                   : iconName.isEmpty() ? Qt::ToolButtonTextOnly
                                                        : Qt::ToolButtonTextBesideIcon);
    // A text alone is never squeezed below what it needs in the style and font of now.
    button->setMinimumHeight(28);
    if (!iconName.isEmpty())
        button->setMinimumWidth(28);
    if (!text.isEmpty() && !iconName.isEmpty())
        m_textButtons << button;
    m_layout->addWidget(button);
    return button;
}

QToolButton *PageBar::addToggle(QLatin1StringView iconName, const QString &text, const QString &tip,
                                const QString &name)
{
    QToolButton *button = addButton(iconName, text, tip, name);
    button->setCheckable(true);
    return button;
}

QLabel *PageBar::addField(const QString &label, QWidget *widget)
{
    auto *text = new QLabel(label, this);
    text->setBuddy(widget);
    m_labels << text;
    if (widget->accessibleName().isEmpty())
        widget->setAccessibleName(QString(label).remove(u'&'));
    m_layout->addWidget(text);
    m_layout->addWidget(widget);
    return text;
}

void PageBar::addWidget(QWidget *widget)
{
    m_layout->addWidget(widget);
}

void PageBar::addSeparator()
{
    auto *line = new QFrame(this);
    line->setFrameShape(QFrame::VLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Midlight);
    m_layout->addWidget(line);
}

void PageBar::addStretch()
{
    m_layout->addStretch(1);
}

QSize PageBar::sizeHint() const
{
    return {400, QWidget::sizeHint().height()};
}

QSize PageBar::minimumSizeHint() const
{
    return {200, QWidget::minimumSizeHint().height()};
}

void PageBar::collapse(int level)
{
    for (QToolButton *button : m_textButtons)
        button->setToolButtonStyle(level >= 1 ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    for (QLabel *label : m_labels)
        label->setVisible(level < 3);
    m_layout->setContentsMargins(level < 2 ? 12 : 8, 4, level < 2 ? 12 : 8, 5);
    m_layout->setSpacing(level < 2 ? 8 : 3);
    m_layout->activate();
}

void PageBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    for (const int level : {0, 1, 2, 3}) {
        collapse(level);
        if (m_layout->sizeHint().width() <= width())
            break;
    }
}

void PageBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::Midlight));
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

} // namespace lookback::ui
