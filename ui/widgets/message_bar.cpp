// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_bar.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include "ui/theme/theme.h"
#include "ui/widgets/icon.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

MessageBar::MessageBar(QWidget *parent)
    : QFrame(parent), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_buttonRow(new QHBoxLayout),
      m_close(new QToolButton(this))
{
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_close->setIcon(icon("close"_L1));
    m_close->setAutoRaise(true);
    m_close->setFocusPolicy(Qt::TabFocus);
    m_close->setToolTip(tr("Close this message"));
    m_close->setAccessibleName(tr("Close this message"));
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    row->addLayout(m_buttonRow);
    row->addWidget(m_close);
    m_buttonRow->setSpacing(8);
    hide();
}

void MessageBar::showMessage(Kind kind, const QString &sentence, const std::vector<Button> &buttons,
                             const QString &details)
{
    m_kind = kind;
    const auto [name, role] = [kind] {
        switch (kind) {
        case Kind::Warning:
            return std::pair("warning"_L1, IconRole::Warning);
        case Kind::Error:
            return std::pair("error"_L1, IconRole::Wrong);
        case Kind::Information:
            break;
        }
        return std::pair("info"_L1, IconRole::Text);
    }();
    m_icon->setPixmap(icon(name, role).pixmap(QSize(16, 16), devicePixelRatioF()));
    m_text->setText(sentence);
    m_text->setToolTip(details.toHtmlEscaped());
    for (QPushButton *old : m_buttons) {
        old->hide();
        old->deleteLater();
    }
    m_buttons.clear();
    for (const Button &button : buttons) {
        auto *widget = new QPushButton(button.text, this);
        connect(widget, &QPushButton::clicked, this, [this, act = button.act] {
            dismiss();
            act();
        });
        m_buttonRow->addWidget(widget);
        m_buttons.push_back(widget);
    }
    setAccessibleName(sentence);
    show();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

QString MessageBar::sentence() const
{
    return isHidden() ? QString() : m_text->text();
}

void MessageBar::dismiss()
{
    if (isHidden())
        return;
    hide();
    Q_EMIT dismissed();
}

void MessageBar::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::forPalette(palette());
    const QColor edge = m_kind == Kind::Error ? theme.wrong : m_kind == Kind::Warning ? theme.warning : theme.accent;
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    painter.fillRect(QRect(0, 0, 4, height()), edge);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.hairline);
}

} // namespace lookback::ui
