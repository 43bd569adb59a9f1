// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/sublayer_strip.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QStringList>

#include <algorithm>
#include <array>

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr qreal kGlyph = 10.0;
constexpr qreal kPitch = 12.0;
constexpr int kMostGlyphs = 8;

QString tr(const char *text, const char *comment = nullptr)
{
    return QCoreApplication::translate("SublayerStrip", text, comment);
}

QColor mixed(const QColor &a, const QColor &b, qreal share)
{
    return QColor::fromRgbF(static_cast<float>(a.redF() * share + b.redF() * (1 - share)),
                            static_cast<float>(a.greenF() * share + b.greenF() * (1 - share)),
                            static_cast<float>(a.blueF() * share + b.blueF() * (1 - share)));
}

QFont smallFont(const QFont &font)
{
    QFont small = font;
    small.setPointSizeF(font.pointSizeF() * 0.85);
    return small;
}

} // namespace

void drawSublayerGlyph(QPainter &painter, const QRectF &square, const model::SublayerInfo &sublayer,
                       const QPalette &palette)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = palette.color(QPalette::Text);
    const QColor grey = mixed(ink, palette.color(QPalette::Base), 0.38);
    const QRectF r = square.adjusted(0.5, 0.5, -0.5, -0.5);
    const bool isRecurrent = !sublayer.hasSoftmaxMap;
    QPainterPath triangle;
    triangle.moveTo(r.topLeft());
    triangle.lineTo(r.bottomRight());
    triangle.lineTo(r.bottomLeft());
    triangle.closeSubpath();
    if (isRecurrent) {
        painter.setPen(QPen(ink, 1.6));
        painter.drawEllipse(r.adjusted(1, 1, -1, -1));
    } else if (sublayer.isWindowed) {
        painter.setPen(QPen(sublayer.rotaryFraction > 0.0 ? ink : grey, 2.8, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(r.topLeft() + QPointF(0.5, 0.5), r.bottomRight() - QPointF(0.5, 0.5));
    } else if (sublayer.rotaryFraction >= 1.0) {
        painter.fillPath(triangle, ink);
    } else {
        painter.setPen(QPen(ink, 1.0));
        painter.setBrush(sublayer.rotaryFraction > 0.0 ? QBrush(grey) : QBrush(Qt::NoBrush));
        painter.drawPath(triangle);
    }
    if (sublayer.logits == model::LogitForm::Squared && !isRecurrent) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        painter.drawEllipse(QPointF(r.right() - 1.5, r.top() + 1.5), 1.6, 1.6);
    }
    painter.restore();
}

void drawSublayerStrip(QPainter &painter, const QRectF &rect, const model::VariantInfo &variant, std::int64_t sublayers,
                       const QPalette &palette)
{
    if (variant.pattern.empty() || sublayers < 1)
        return;
    const bool isCut = sublayers > kMostGlyphs;
    const int drawn = isCut ? kMostGlyphs - 3 : static_cast<int>(sublayers);
    QString rest;
    qreal restWidth = 0.0;
    painter.save();
    painter.setFont(smallFont(painter.font()));
    if (isCut) {
        rest = tr("… %1", "number of sublayers").arg(sublayers);
        restWidth = painter.fontMetrics().horizontalAdvance(rest) + 2;
    }
    qreal x = rect.right() - restWidth - drawn * kPitch + (kPitch - kGlyph);
    const qreal y = rect.center().y() - kGlyph / 2;
    for (int i = 0; i < drawn; ++i, x += kPitch) {
        const auto &sublayer = variant.pattern[static_cast<std::size_t>(i) % variant.pattern.size()];
        drawSublayerGlyph(painter, QRectF(x, std::round(y), kGlyph, kGlyph), sublayer, palette);
    }
    if (isCut) {
        painter.setPen(palette.color(QPalette::PlaceholderText));
        painter.drawText(QRectF(rect.right() - restWidth, rect.top(), restWidth, rect.height()),
                         Qt::AlignRight | Qt::AlignVCenter, rest);
    }
    painter.restore();
}

int stripWidth(std::int64_t sublayers)
{
    return static_cast<int>(std::clamp<std::int64_t>(sublayers, 0, kMostGlyphs)) * static_cast<int>(kPitch);
}

QString sublayersInWords(const model::VariantInfo &variant, const RunConfig &config)
{
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, config.pairs));
    const std::size_t period = variant.pattern.size();
    QStringList groups;
    for (std::size_t kind = 0; kind < period && kind < count; ++kind) {
        QStringList numbers;
        for (std::size_t i = kind; i < count; i += period) {
            if (numbers.size() == 5 && i + period < count) {
                numbers.append(u"…"_s);
                i = kind + (count - 1 - kind) / period * period; // the last of its kind
            }
            numbers.append(QString::number(i));
        }
        QString words = QString::fromStdString(variant.pattern[kind].words());
        if (variant.pattern[kind].isWindowed)
            words += u' ' + tr("(%1 tokens)", "width of the window").arg(config.window);
        groups.append(period == 1 ? words
                                  : tr("%1: %2", "sublayer numbers: what they do").arg(numbers.join(u", "_s), words));
    }
    const QString all = groups.join(u"; "_s);
    return count == 1 ? tr("1 attention sublayer: %1").arg(all)
                      : tr("%1 attention sublayers: %2").arg(static_cast<qulonglong>(count)).arg(all);
}

SublayerLegend::SublayerLegend(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Key of the sublayer drawings"));
}

QSize SublayerLegend::sizeHint() const
{
    const QFontMetrics metrics(smallFont(font()));
    return {260, 2 * (metrics.height() + 2) + 8};
}

void SublayerLegend::paintEvent(QPaintEvent *)
{
    struct Item {
        model::SublayerInfo sublayer;
        QString text;
    };
    const auto with = [](double rotary, bool isWindowed, bool hasMap, model::LogitForm logits) {
        model::SublayerInfo info;
        info.rotaryFraction = rotary;
        info.isWindowed = isWindowed;
        info.hasSoftmaxMap = hasMap;
        info.logits = logits;
        return info;
    };
    constexpr auto kPlain = model::LogitForm::Plain;
    const std::array<Item, 6> items{{
        {with(1.0, false, true, kPlain), tr("RoPE, all")},
        {with(0.5, false, true, kPlain), tr("half RoPE, all")},
        {with(1.0, true, true, kPlain), tr("RoPE, window")},
        {with(0.0, false, true, kPlain), tr("no position")},
        {with(0.0, false, false, kPlain), tr("KDA")},
        {with(0.0, false, true, model::LogitForm::Squared), tr("dot: squared")},
    }};
    QPainter painter(this);
    painter.setFont(smallFont(font()));
    const int rowHeight = painter.fontMetrics().height() + 2;
    const qreal columnWidth = (width() - 16) / 3.0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const qreal x = 8 + columnWidth * static_cast<qreal>(i % 3);
        const qreal y = 4 + rowHeight * static_cast<qreal>(i / 3);
        drawSublayerGlyph(painter, QRectF(x, y + (rowHeight - kGlyph) / 2, kGlyph, kGlyph), items[i].sublayer,
                          palette());
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(QRectF(x + kGlyph + 6, y, columnWidth - kGlyph - 6, rowHeight),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(items[i].text, Qt::ElideRight,
                                                          static_cast<int>(columnWidth - kGlyph - 6)));
    }
}

} // namespace lookback::ui
