// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/variant_delegate.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/models/variant_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/runs_delegate.h"
#include "ui/widgets/sublayer_strip.h"

namespace lookback::ui {

namespace {

constexpr int kMargin = 12;
constexpr int kCheck = 16;
constexpr int kSwatch = 28;
constexpr int kGap = 8;

const model::VariantInfo *variantOf(const QModelIndex &index)
{
    return index.data(VariantModel::VariantRole).value<const model::VariantInfo *>();
}

QFont smallFont(const QFont &font, QFont::Weight weight = QFont::Normal)
{
    QFont small = font;
    small.setPointSizeF(font.pointSizeF() * 0.85);
    small.setWeight(weight);
    return small;
}

int rowHeight(const QFont &font)
{
    return QFontMetrics(font).height() + QFontMetrics(smallFont(font)).height() + 6;
}

} // namespace

QSize VariantDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (!variantOf(index)) {
        const int title = QFontMetrics(smallFont(option.font, QFont::DemiBold)).height();
        return {100, title + (index.row() == 0 ? 8 : 12)};
    }
    const int width =
        kMargin + kCheck + kGap + kSwatch + kGap + option.fontMetrics.averageCharWidth() * 22 + stripWidth(8);
    return {width, rowHeight(option.font)};
}

void VariantDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const model::VariantInfo *variant = variantOf(index);
    const QRect row = option.rect;
    painter->save();
    if (!variant) {
        painter->setFont(smallFont(option.font, QFont::DemiBold));
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        const QString title = index.data().toString();
        const int height = painter->fontMetrics().height();
        const QRect text(row.left() + kMargin, row.bottom() - height - 1, row.width() - 2 * kMargin, height);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter, title);
        const int from = text.left() + painter->fontMetrics().horizontalAdvance(title) + kGap;
        painter->setPen(Theme::forPalette(option.palette).hairline);
        painter->drawLine(from, text.center().y() + 1, text.right(), text.center().y() + 1);
        painter->restore();
        return;
    }

    QStyleOptionViewItem item = option;
    item.showDecorationSelected = true;
    paintRowBackground(painter, item);
    const QStyle *style = option.widget ? option.widget->style() : QApplication::style();
    const int lineHeight = option.fontMetrics.height();
    const QRect line(row.left(), row.top() + 3, row.width(), lineHeight);

    QStyleOptionViewItem check = option;
    check.rect = QRect(row.left() + kMargin, line.center().y() - kCheck / 2 + 1, kCheck, kCheck);
    check.state &= ~(QStyle::State_HasFocus | QStyle::State_On | QStyle::State_Off);
    check.state |= index.data(Qt::CheckStateRole).toInt() == Qt::Checked ? QStyle::State_On : QStyle::State_Off;
    style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &check, painter, option.widget);

    const Theme &theme = Theme::forPalette(option.palette);
    const int swatchLeft = check.rect.right() + 1 + kGap;
    drawSwatch(*painter, QRectF(swatchLeft, line.center().y() - 5, kSwatch, 12),
               theme.seriesStyle(variant->family, variant->logits), theme.base);

    const int textLeft = swatchLeft + kSwatch + kGap;
    const std::int64_t sublayers = index.data(VariantModel::SublayersRole).toLongLong();
    const int width = stripWidth(sublayers);
    const QRect strip(row.right() - kMargin + 1 - width, line.top(), width, line.height());
    painter->setPen(option.palette.color(QPalette::Text));
    painter->setFont(option.font);
    const int nameWidth = strip.left() - textLeft - 4;
    painter->drawText(QRect(textLeft, line.top(), nameWidth, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, nameWidth));
    painter->setFont(smallFont(option.font));
    const QFontMetrics small = painter->fontMetrics();
    const QRect second(textLeft, line.bottom() + 1, row.right() - kMargin - textLeft, small.height());
    painter->setPen(option.palette.color(QPalette::PlaceholderText));
    painter->drawText(
        second, Qt::AlignLeft | Qt::AlignVCenter,
        small.elidedText(index.data(VariantModel::ExplanationRole).toString(), Qt::ElideRight, second.width()));
    painter->setFont(option.font);
    drawSublayerStrip(*painter, strip, *variant, sublayers, option.palette);
    if (option.state & QStyle::State_HasFocus) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(theme.focus, 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(row).adjusted(2, 1, -2, -1), 3, 3);
    }
    painter->restore();
}

bool VariantDelegate::editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                                  const QModelIndex &index)
{
    if (!variantOf(index))
        return false;
    // The whole row is the target; Space does the same.
    bool isToggle = false;
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        isToggle = mouse->button() == Qt::LeftButton && option.rect.contains(mouse->position().toPoint());
    } else if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        isToggle = key == Qt::Key_Space || key == Qt::Key_Select;
    }
    if (!isToggle)
        return event->type() == QEvent::MouseButtonDblClick;
    const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, isChecked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace lookback::ui
