// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/runs_delegate.h"

#include <QApplication>
#include <QPainter>

#include <algorithm>

#include "ui/models/time_text.h"
#include "ui/models/run_collection.h"
#include "ui/models/runs_model.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

namespace {
constexpr int kRowHeight = 24;
constexpr int kBarHeight = 12;
constexpr int kSwatchWidth = 28;
} // namespace

void paintRowBackground(QPainter *painter, const QStyleOptionViewItem &option)
{
    QStyleOptionViewItem background = option;
    background.text.clear();
    background.icon = {};
    background.features &= ~(QStyleOptionViewItem::HasCheckIndicator | QStyleOptionViewItem::HasDecoration
                             | QStyleOptionViewItem::HasDisplay);
    const QStyle *style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &background, painter, option.widget);
}

RunsDelegate::RunsDelegate(const RunCollection *runs, QObject *parent) : QStyledItemDelegate(parent), m_runs(runs) { }

void RunsDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    // The pale selection keeps plain text; a hidden run steps back.
    const RunCollection::Run *run = m_runs->find(index.data(RunsModel::IdRole).toString().toStdString());
    const QColor text = option->palette.color(run && !run->isShown ? QPalette::PlaceholderText : QPalette::Text);
    option->palette.setColor(QPalette::HighlightedText, text);
    option->palette.setColor(QPalette::Text, text);
    option->textElideMode = index.column() == RunsModel::Name ? Qt::ElideMiddle : Qt::ElideRight;
    if (run && index.column() == RunsModel::TimeLeft
        && (run->snapshot.state == run::RunState::Failed || !run->snapshot.isReadable)) {
        const QColor wrong = Theme::forPalette(option->palette).wrong;
        option->palette.setColor(QPalette::HighlightedText, wrong);
        option->palette.setColor(QPalette::Text, wrong);
    }
}

void RunsDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (index.column() == RunsModel::Progress) {
        paintProgress(painter, option, index);
        return;
    }
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() != RunsModel::Curve)
        return;
    const run::RunId id = index.data(RunsModel::IdRole).toString().toStdString();
    const RunCollection::Run *run = m_runs->find(id);
    if (!run || !run->snapshot.isReadable)
        return;
    const Theme &theme = Theme::forPalette(option.palette);
    QRectF swatch(0, 0, kSwatchWidth, 12);
    swatch.moveCenter(QRectF(option.rect).center());
    painter->save();
    painter->setOpacity(run->isShown ? 1.0 : 0.5);
    drawSwatch(*painter, swatch, m_runs->styleOf(id, theme), theme.base);
    painter->restore();
}

void RunsDelegate::paintProgress(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QString percent = item.text;
    paintRowBackground(painter, item);
    if (percent.isEmpty())
        return;
    const Theme &theme = Theme::forPalette(option.palette);
    const double share = std::clamp(index.data(RunsModel::ProgressRole).toDouble(), 0.0, 1.0);
    const int textWidth = item.fontMetrics.horizontalAdvance(progressText(1, 1));
    QRectF bar = QRectF(option.rect).adjusted(4, 0, -(textWidth + 12), 0);
    bar.setHeight(kBarHeight);
    bar.moveTop(option.rect.top() + (option.rect.height() - kBarHeight) / 2.0);
    painter->save();
    painter->setPen(item.palette.color(QPalette::Text));
    painter->drawText(option.rect.adjusted(0, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, percent);
    if (bar.width() >= 16) {
        const bool isMoving = !index.data(RunsModel::IsIdleRole).toBool();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(theme.controlBorder, 1));
        painter->setBrush(theme.hairline);
        const QRectF frame = bar.adjusted(0.5, 0.5, -0.5, -0.5);
        painter->drawRoundedRect(frame, 2, 2);
        QRectF done = frame;
        done.setWidth(frame.width() * share);
        if (done.width() >= 1.0) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(isMoving || share >= 1.0 ? theme.accent : theme.disabledText);
            painter->drawRoundedRect(done, 2, 2);
        }
    }
    painter->restore();
}

QSize RunsDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(kRowHeight, option.fontMetrics.height() + 8));
    if (index.column() == RunsModel::Progress)
        size.setWidth(128);
    if (index.column() == RunsModel::Curve)
        size.setWidth(kSwatchWidth + 12);
    return size;
}

} // namespace lookback::ui
