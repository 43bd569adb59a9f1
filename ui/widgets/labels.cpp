// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/labels.h"

#include <QEvent>

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
        if (event->type() == QEvent::ParentChange || event->type() == QEvent::ApplicationFontChange
            || event->type() == QEvent::ApplicationPaletteChange)
            refresh();
        return isHandled;
    }

private:
    void refresh()
    {
        const QWidget *source = parentWidget();
        QFont font = source ? source->font() : QFont();
        font.setPointSizeF(font.pointSizeF() * m_scale);
        font.setWeight(m_weight);
        setFont(font);
        const QPalette base = source ? source->palette() : QPalette();
        const Theme &theme = Theme::forPalette(base);
        const QColor colour = m_tone == Tone::Wrong ? theme.wrong
            : m_tone == Tone::Second                ? base.color(QPalette::PlaceholderText)
                                                    : base.color(QPalette::WindowText);
        QPalette own;
        own.setColor(QPalette::WindowText, colour);
        setPalette(own);
    }

    qreal m_scale;
    QFont::Weight m_weight;
    Tone m_tone = Tone::Text;
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

void setTone(QLabel *label, Tone tone)
{
    if (auto *toned = dynamic_cast<TonedLabel *>(label))
        toned->setTone(tone);
}

} // namespace lookback::ui
