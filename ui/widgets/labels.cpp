// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/labels.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QStyle>

#include <algorithm>

#include "ui/theme/theme.h"

namespace lookback::ui {

namespace {

/// A label whose size is a share of its parent's font and whose colour is a role of the theme.
class TonedLabel : public QLabel {
public:
    TonedLabel(QWidget *parent, qreal scale, QFont::Weight weight) : QLabel(parent), m_scale(scale), m_weight(weight)
    {
        refresh();
    }

    void setTone(Tone tone)
    {
        m_tone = tone;
        refresh();
    }

protected:
    bool event(QEvent *event) override
    {
        const bool isHandled = QLabel::event(event);
        const QEvent::Type type = event->type();
        if (!m_isRefreshing
            && (type == QEvent::ParentChange || type == QEvent::ApplicationFontChange || type == QEvent::PaletteChange))
            refresh();
        return isHandled;
    }

    // A line that does not fit ends in "…" instead of in half a letter.
    void paintEvent(QPaintEvent *event) override
    {
        const QRect room = contentsRect();
        QStringList lines = text().split(u'\n');
        const bool fits = std::ranges::all_of(
            lines, [&](const QString &line) { return fontMetrics().horizontalAdvance(line) <= room.width(); });
        if (wordWrap() || fits) {
            QLabel::paintEvent(event);
            return;
        }
        for (QString &line : lines)
            line = fontMetrics().elidedText(line, Qt::ElideRight, room.width());
        QPainter painter(this);
        style()->drawItemText(&painter, room, static_cast<int>(alignment()), palette(), isEnabled(), lines.join(u'\n'),
                              foregroundRole());
    }

private:
    void refresh()
    {
        m_isRefreshing = true; // the changes below are events, too
        const QWidget *source = parentWidget();
        QFont font = source ? source->font() : QApplication::font();
        font.setPointSizeF(font.pointSizeF() * m_scale);
        font.setWeight(m_weight);
        setFont(font);
        QPalette own;
        if (m_tone == Tone::Wrong)
            own.setColor(QPalette::WindowText, Theme::forPalette(source ? source->palette() : own).wrong);
        setPalette(own);
        setForegroundRole(m_tone == Tone::Second ? QPalette::PlaceholderText : QPalette::WindowText);
        m_isRefreshing = false;
    }

    qreal m_scale;
    QFont::Weight m_weight;
    Tone m_tone = Tone::Text;
    bool m_isRefreshing = false;
};

/// As high as its buddy, so that its text stands beside the buddy's.
class FieldLabel : public QLabel {
public:
    using QLabel::QLabel;
    QSize sizeHint() const override
    {
        const QSize size = QLabel::sizeHint();
        return {size.width(), buddy() ? std::max(size.height(), buddy()->sizeHint().height()) : size.height()};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }
};

} // namespace

QLabel *makeNote(QWidget *parent)
{
    auto *label = new TonedLabel(parent, 0.85, QFont::Normal);
    label->setTone(Tone::Second);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel *makeTitle(const QString &text, QWidget *parent)
{
    auto *label = new TonedLabel(parent, 1.0, QFont::DemiBold);
    label->setText(text);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel *makeFieldLabel(const QString &text, QWidget *field, QWidget *parent)
{
    auto *label = new FieldLabel(text, parent);
    label->setBuddy(field);
    label->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return label;
}

void setTone(QLabel *label, Tone tone)
{
    if (auto *toned = dynamic_cast<TonedLabel *>(label))
        toned->setTone(tone);
}

} // namespace lookback::ui
