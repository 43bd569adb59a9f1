// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/end_labels.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QSizeF>

#include <algorithm>
#include <cmath>

#include "ui/charts/label_layout.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

struct LabelFonts {
    LabelFonts(const PlotMetrics &metrics, QPaintDevice *device)
        : strong(metrics.labels), plain(metrics.labels), strongMetrics(strong, device), notes(metrics.notes, device)
    {
        plain.setWeight(QFont::Normal);
        plainMetrics = QFontMetricsF(plain, device);
    }
    const QFont &font(const EndLabel &label) const { return label.isStrong ? strong : plain; }
    const QFontMetricsF &of(const EndLabel &label) const { return label.isStrong ? strongMetrics : plainMetrics; }
    qreal height(const EndLabel &label, bool hasValues) const
    {
        return of(label).height() + (hasValues && !label.value.isEmpty() ? notes.height() : 0.0);
    }

    QFont strong;
    QFont plain;
    QFontMetricsF strongMetrics;
    QFontMetricsF plainMetrics{QFont()};
    QFontMetricsF notes;
};

qreal leaderWidth(const PlotMetrics &metrics)
{
    return metrics.marker + 2 * metrics.gap;
}

/// Whether the labels that have a brief form are to be written in it: all of them, as soon as one has no room.
bool needBriefForms(std::span<const EndLabel> labels, const LabelFonts &fonts, qreal width)
{
    return std::ranges::any_of(labels, [&](const EndLabel &label) {
        return !label.brief.isEmpty() && fonts.of(label).horizontalAdvance(label.text) > width;
    });
}

/// The text or its brief form, or what is left of that when shortened in the middle.
QString fittingText(const EndLabel &label, const QFontMetricsF &font, qreal width, bool isBrief)
{
    return font.elidedText(isBrief && !label.brief.isEmpty() ? label.brief : label.text, Qt::ElideMiddle, width);
}

struct LegendShape {
    int columns = 1;
    int rows = 1;
    qreal entry = 0; ///< Width of an entry.
    qreal swatch = 0;
    qreal row = 0;
};

LegendShape legendShape(std::span<const EndLabel> labels, const QSizeF &most, const PlotMetrics &metrics,
                        QPaintDevice *device)
{
    const LabelFonts fonts(metrics, device);
    LegendShape shape;
    shape.swatch = metrics.marker * 3.5;
    shape.row = fonts.strongMetrics.height();
    for (const EndLabel &label : labels)
        shape.entry = std::max(shape.entry, fonts.of(label).horizontalAdvance(label.text));
    const int count = std::max(1, int(labels.size()));
    const qreal around = shape.swatch + 4 * metrics.gap;
    shape.columns = std::clamp(int(most.width() / (shape.entry + around)), 1, count);
    const qreal least = around + 6 * fonts.plainMetrics.averageCharWidth();
    const auto rows = [&] { return (count + shape.columns - 1) / shape.columns; };
    while (rows() * shape.row > most.height() && most.width() / (shape.columns + 1) > least && shape.columns < count)
        ++shape.columns;
    shape.rows = rows();
    shape.entry = most.width() / shape.columns;
    return shape;
}

} // namespace

LabelFit labelFit(std::span<const EndLabel> labels, qreal height, const PlotMetrics &metrics, QPaintDevice *device)
{
    const LabelFonts fonts(metrics, device);
    qreal withValues = 0;
    qreal names = 0;
    for (const EndLabel &label : labels) {
        withValues += fonts.height(label, true);
        names += fonts.height(label, false);
    }
    return withValues <= height ? LabelFit::WithValues : names <= height ? LabelFit::NamesOnly : LabelFit::TooMany;
}

qreal endLabelsWidth(std::span<const EndLabel> labels, qreal most, const PlotMetrics &metrics, QPaintDevice *device)
{
    const LabelFonts fonts(metrics, device);
    qreal widest = 0;
    for (const EndLabel &label : labels) {
        widest = std::max(widest, fonts.of(label).horizontalAdvance(label.text));
        widest = std::max(widest, fonts.notes.horizontalAdvance(label.value));
    }
    return widest > 0 ? std::min(std::ceil(widest + leaderWidth(metrics)) + metrics.gap, most) : 0.0;
}

std::vector<QRectF> drawEndLabels(QPainter &painter, std::span<const EndLabel> labels, const QRectF &column,
                                  const Theme &theme, const PlotMetrics &metrics)
{
    std::vector<QRectF> rects(labels.size());
    if (labels.empty() || column.width() < leaderWidth(metrics))
        return rects;
    const LabelFonts fonts(metrics, painter.device());
    const LabelFit fit = labelFit(labels, column.height(), metrics, painter.device());
    const bool hasValues = fit == LabelFit::WithValues;

    // The ones that are drawn: all, or the strong ones first as far as there is room, less one line for "+3 more".
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < labels.size(); ++i)
        drawn.push_back(i);
    qreal bottom = column.bottom();
    if (fit == LabelFit::TooMany) {
        std::ranges::stable_sort(drawn,
                                 [&](std::size_t a, std::size_t b) { return labels[a].isStrong > labels[b].isStrong; });
        const auto room = std::size_t(std::max(0.0, std::floor(column.height() / fonts.strongMetrics.height()) - 1));
        drawn.resize(std::min(room, drawn.size()));
        std::ranges::sort(drawn);
        bottom -= fonts.plainMetrics.height();
    }

    std::vector<LabelWish> wishes;
    for (const std::size_t i : drawn)
        wishes.push_back({labels[i].end.y(), fonts.height(labels[i], hasValues)});
    const std::vector<double> middles = labelPositions(wishes, column.top(), bottom);

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const qreal left = column.left() + leaderWidth(metrics);
    const qreal width = column.right() - left;
    const bool isBrief = needBriefForms(labels, fonts, width);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
        const EndLabel &label = labels[drawn[k]];
        const QFontMetricsF &font = fonts.of(label);
        const qreal nameHeight = font.height();
        const QRectF rect(left, middles[k] - wishes[k].height / 2, width, wishes[k].height);
        // The leader meets the name's line, not the middle of both lines.
        const qreal nameY = rect.top() + nameHeight / 2;
        // Grey and dotted, so that it never reads as a continued curve.
        painter.setPen(QPen(theme.secondText, metrics.hairline * 0.6, Qt::DotLine));
        const QPointF elbow(column.left() + metrics.gap / 2, label.end.y());
        const QPointF start(label.end.x() + metrics.marker * 0.8, label.end.y());
        const QPointF target(left - metrics.gap / 2, nameY);
        if (start.x() < elbow.x() && std::abs(nameY - label.end.y()) < 1.5 * nameHeight) {
            painter.drawLine(start, elbow);
            painter.drawLine(elbow, target);
        } else {
            painter.drawLine(start, target);
        }
        const QString name = fittingText(label, font, width, isBrief);
        painter.setFont(fonts.font(label));
        painter.setPen(label.style.label);
        const int flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip;
        painter.drawText(QRectF(left, rect.top(), width, nameHeight), flags, name);
        if (hasValues && !label.value.isEmpty()) {
            painter.setFont(metrics.notes);
            painter.setPen(theme.secondText);
            painter.drawText(QRectF(left, rect.top() + nameHeight * 0.94, width, fonts.notes.height()), flags,
                             fonts.notes.elidedText(label.value, Qt::ElideRight, width));
        }
        rects[drawn[k]] = QRectF(left, rect.top(), std::min(width, font.horizontalAdvance(name)), rect.height());
    }
    if (drawn.size() < labels.size()) {
        painter.setFont(fonts.plain);
        painter.setPen(theme.secondText);
        painter.drawText(QRectF(left, bottom, width, fonts.plainMetrics.height()), Qt::AlignLeft | Qt::AlignTop,
                         u"+%1 more"_s.arg(labels.size() - drawn.size()));
    }
    painter.restore();
    return rects;
}

bool fitLabelType(std::span<const EndLabel> labels, qreal height, PlotMetrics &metrics, QPaintDevice *device)
{
    for (const qreal points : {8.0, 7.0, 6.0}) {
        metrics.labels.setPointSizeF(points);
        if (labelFit(labels, height, metrics, device) != LabelFit::TooMany)
            return true;
    }
    return false;
}

qreal legendHeight(std::span<const EndLabel> labels, const QSizeF &most, const PlotMetrics &metrics,
                   QPaintDevice *device)
{
    const LegendShape shape = legendShape(labels, most, metrics, device);
    return shape.rows * shape.row;
}

void drawLegend(QPainter &painter, std::span<const EndLabel> labels, const QRectF &rect, const Theme &theme,
                const PlotMetrics &metrics)
{
    const LabelFonts fonts(metrics, painter.device());
    const LegendShape shape = legendShape(labels, rect.size(), metrics, painter.device());
    const qreal room = shape.entry - shape.swatch - 3 * metrics.gap;
    const bool isBrief = needBriefForms(labels, fonts, room);
    painter.save();
    for (int i = 0; i < int(labels.size()); ++i) {
        const EndLabel &label = labels[std::size_t(i)];
        // Down the columns, so that a list keeps its order for the eye.
        const int column = i / shape.rows;
        const QPointF at(rect.left() + column * shape.entry, rect.top() + (i % shape.rows) * shape.row);
        SeriesStyle style = label.style;
        style.width = metrics.curve;
        drawSwatch(painter, QRectF(at, QSizeF(shape.swatch, shape.row)), style, theme.base);
        const qreal width = room;
        painter.setFont(fonts.font(label));
        painter.setPen(label.style.label);
        painter.drawText(QRectF(at.x() + shape.swatch + metrics.gap, at.y(), width, shape.row),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                         fittingText(label, fonts.of(label), width, isBrief));
    }
    painter.restore();
}

} // namespace lookback::ui
