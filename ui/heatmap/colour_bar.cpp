// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/colour_bar.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

namespace lookback::ui {

namespace {

constexpr qsizetype kFrames = 4; // items that always stand in the key
constexpr int kSwatch = 12;
constexpr int kBarHeight = 12;
constexpr double kColumnGap = 8.0;

QString tr(const char *text)
{
    return QCoreApplication::translate("ColourBar", text);
}

int lineHeight(const QFont &font)
{
    return static_cast<int>(std::ceil(QFontMetricsF(font).height()));
}

} // namespace

QString scaleWords(const ColourScale &scale, RangeChoice range, analysis::MapKind kind)
{
    const bool isLog = scale.form == ColourScale::Form::Log;
    const bool isSigned = kind == analysis::MapKind::RecurrenceMatrix;
    if (kind == analysis::MapKind::Difference) {
        return range == RangeChoice::OwnMaximum
            ? tr("Right less left, linear, own range, up to ±%1").arg(QLocale().toString(scale.maximum, 'g', 2))
            : tr("Right less left, linear, −1 to 1");
    }
    switch (range) {
    case RangeChoice::AllHeads:
        if (isSigned)
            return tr("Signed weight of the recurrence, linear, all heads alike");
        return isLog ? tr("Attention weight, logarithmic, all heads alike")
                     : tr("Attention weight, linear, all heads alike");
    case RangeChoice::OwnMaximum: {
        const QString maximum = QLocale().toString(scale.maximum, 'g', 2);
        if (isSigned)
            return tr("Signed weight of the recurrence, linear, this head's own range, up to ±%1").arg(maximum);
        return isLog ? tr("Attention weight, logarithmic, this head's own range, up to %1").arg(maximum)
                     : tr("Attention weight, linear, this head's own range, up to %1").arg(maximum);
    }
    case RangeChoice::RowMaximum:
        if (isSigned)
            return tr("Weight as a share of its row's largest, linear, signed");
        return isLog ? tr("Weight as a share of its row's maximum, logarithmic")
                     : tr("Weight as a share of its row's maximum, linear");
    }
    return {};
}

QString reductionWords(const CellAxis &queries, const CellAxis &keys, analysis::MapKind kind)
{
    if (!queries.isReduced() && !keys.isReduced())
        return {};
    const auto cells = [](const CellAxis &axis) {
        return QLocale().toString(static_cast<qlonglong>(axis.cellsPerPixel()));
    };
    const QString template_ = kind != analysis::MapKind::AttentionWeights
        ? tr("Each pixel = %1 × %2 cells, the largest magnitude")
        : tr("Each pixel = %1 × %2 cells, maximum");
    return template_.arg(cells(queries), cells(keys));
}

QString tickText(double value, const ColourScale &scale)
{
    const QChar minus(0x2212);
    if (value == 0.0)
        return QLocale().toString(0);
    if (scale.form == ColourScale::Form::Log) {
        const int power = static_cast<int>(std::lround(std::log10(value)));
        if (power >= -2)
            return QLocale().toString(value, 'f', std::max(0, -power));
        QString text = QStringLiteral("10\u207B"); // superscript minus
        const QString digits = QString::number(-power);
        static const QString superscripts =
            QStringLiteral("\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079");
        for (const QChar digit : digits)
            text += superscripts[digit.digitValue()];
        return text;
    }
    const QList<double> ticks = scale.ticks();
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    const bool isWhole = std::abs(value - std::round(value)) < 1e-9;
    return QLocale().toString(value, 'f', isWhole ? 0 : decimalsFor(step)).replace(u'-', minus);
}

void drawColourBar(QPainter &painter, const QRectF &rect, const ColourTable &table, const QFont &font, double line,
                   const Theme &theme)
{
    const double textHeight = std::ceil(QFontMetricsF(font, painter.device()).height());
    const QRectF bar(rect.left(), rect.top(), rect.width(), rect.height() - textHeight - 4.0 * line);
    constexpr int kSteps = 256;
    QImage gradient(kSteps, 1, QImage::Format_RGB32);
    for (int i = 0; i < kSteps; ++i)
        gradient.setPixel(i, 0, colourAt(table.map(), i / (kSteps - 1.0)));
    painter.drawImage(bar, gradient);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.controlBorder, line));
    painter.drawRect(bar.adjusted(line / 2, line / 2, -line / 2, -line / 2));
    painter.setFont(font);
    painter.setPen(theme.text);
    // The ends first, then the middle: a narrow bar has no room for all numbers.
    const QList<double> ticks = table.scale().ticks();
    QList<qsizetype> turns;
    if (!ticks.empty())
        turns = {0, ticks.size() - 1, ticks.size() / 2};
    for (qsizetype i = 0; i < ticks.size(); ++i)
        turns.push_back(i);
    std::vector<std::pair<double, double>> taken;
    QList<bool> isDone(ticks.size(), false);
    for (const qsizetype turn : turns) {
        if (isDone[turn])
            continue;
        isDone[turn] = true;
        const double value = ticks[turn];
        const double x = bar.left() + table.scale().fractionOf(value) * bar.width();
        painter.setPen(QPen(theme.controlBorder, line));
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + 3.0 * line));
        const QString text = tickText(value, table.scale());
        const double width = QFontMetricsF(font, painter.device()).horizontalAdvance(text) + 1.0;
        const double left = std::clamp(x - width / 2, rect.left(), rect.right() - width);
        const bool isFree = std::ranges::none_of(taken, [&](const auto &other) {
            return left < other.second + 3.0 * line && other.first < left + width + 3.0 * line;
        });
        if (!isFree)
            continue;
        taken.emplace_back(left, left + width);
        painter.setPen(theme.text);
        painter.drawText(QRectF(left, bar.bottom() + 3.0 * line, width, textHeight), Qt::AlignCenter, text);
    }
}

QString legendText(LegendItem item)
{
    switch (item) {
    case LegendItem::NotVisible:
        return tr("not visible");
    case LegendItem::Query:
        return tr("query row");
    case LegendItem::FirstOccurrence:
        return tr("first occurrence");
    case LegendItem::AskedOccurrence:
        return tr("this one");
    case LegendItem::WindowEdge:
        return tr("window edge");
    case LegendItem::TrainingLength:
        return tr("training length");
    case LegendItem::NotComputed:
        return tr("not computed yet");
    }
    return {};
}

void drawLegendSwatch(QPainter &painter, const QRectF &rect, LegendItem item, const MaskStyle &mask, const QColor &zero,
                      double line, const Theme &theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (item == LegendItem::NotVisible) {
        painter.fillRect(rect, QColor(mask.colour));
        if (mask.isHatched) {
            painter.setClipRect(rect);
            painter.setPen(QPen(QColor(mask.hatch), line));
            const double pitch = rect.width() / 2;
            const int lines = static_cast<int>(std::ceil((rect.width() + rect.height()) / pitch));
            for (int i = 0; i < lines; ++i) {
                const double x = rect.left() + i * pitch;
                painter.drawLine(QPointF(x, rect.top()), QPointF(x - rect.height(), rect.bottom()));
            }
        }
    } else if (item == LegendItem::NotComputed) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(rect, QColor(mask.pending));
        painter.setClipRect(rect);
        painter.setPen(QPen(QColor(mask.pendingHatch), line));
        const double pitch = 5.0 * line;
        for (double x = rect.left() - rect.height(); x < rect.right(); x += pitch)
            painter.drawLine(QPointF(x, rect.top()), QPointF(x + rect.height(), rect.bottom()));
        painter.setClipping(false);
        painter.setPen(QPen(theme.hairline, line));
        painter.drawRect(rect.adjusted(line / 2, line / 2, -line / 2, -line / 2));
    } else if (item == LegendItem::WindowEdge || item == LegendItem::TrainingLength) {
        const bool isEdge = item == LegendItem::WindowEdge;
        painter.fillRect(rect, zero);
        painter.setClipRect(rect);
        const double middle = rect.center().y();
        drawMapLine(painter,
                    isEdge ? QLineF(rect.topLeft(), rect.bottomRight())
                           : QLineF(rect.left(), middle, rect.right(), middle),
                    isEdge ? MapLineKind::WindowEdge : MapLineKind::TrainingLength, line);
    } else {
        const QColor colour = item == LegendItem::Query ? QColor(Qt::white) : theme.occurrence;
        painter.fillRect(rect, zero); // as it looks on the map: white would vanish on a white page
        const double inset = 2.0 * line;
        drawMapFrame(painter, rect.adjusted(inset, inset, -inset, -inset), colour, 1.5 * line,
                     item == LegendItem::AskedOccurrence);
    }
    painter.restore();
}

// --- widgets ---

ColourBar::ColourBar(QWidget *parent) : QWidget(parent), m_table(ColourMap::Viridis, ColourScale::shared())
{
    setObjectName(QStringLiteral("colourBar"));
    setAccessibleName(tr("Colour bar"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ColourBar::setScale(const ColourTable &table, const QString &words, const QString &reduction)
{
    m_table = table;
    m_words = words;
    m_reduction = reduction;
    updateGeometry();
    update();
    announceValue(this, spokenValue());
}

QString ColourBar::spokenValue() const
{
    return m_reduction.isEmpty() ? m_words : QString(m_words % u". " % m_reduction);
}

QFont ColourBar::smallFont() const
{
    return scaledFont(font(), 0.85);
}

int ColourBar::titleHeight(int width) const
{
    const QFontMetricsF metrics(smallFont());
    const auto heightOf = [&](const QString &text) {
        return text.isEmpty()
            ? 0.0
            : metrics.boundingRect(QRectF(0, 0, std::max(width, 40), 1000), Qt::TextWordWrap, text).height();
    };
    return static_cast<int>(std::ceil(heightOf(m_words) + heightOf(m_reduction)));
}

QSize ColourBar::sizeHint() const
{
    return {180, heightForWidth(180)};
}

int ColourBar::heightForWidth(int width) const
{
    return titleHeight(width) + 4 + kBarHeight + 4 + lineHeight(smallFont());
}

void ColourBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    const int title = titleHeight(width());
    painter.setFont(smallFont());
    painter.setPen(theme.text);
    QRectF used;
    painter.drawText(QRectF(0, 0, width(), title), Qt::TextWordWrap, m_words, &used);
    painter.setPen(theme.secondText);
    painter.drawText(QRectF(0, used.height(), width(), title - used.height()), Qt::TextWordWrap, m_reduction);
    drawColourBar(painter, QRectF(0, title + 4, width(), kBarHeight + 4 + lineHeight(smallFont())), m_table,
                  smallFont(), 1.0, theme);
}

FrameLegend::FrameLegend(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("frameLegend"));
    nameItems();
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void FrameLegend::nameItems()
{
    QStringList words;
    for (const LegendItem item : m_items)
        words.append(legendText(item));
    setAccessibleName(tr("Key of the map: %1").arg(words.join(QStringLiteral(", "))));
}

void FrameLegend::setFurtherItems(const QList<LegendItem> &items)
{
    if (m_items.mid(kFrames) == items)
        return;
    m_items = m_items.first(kFrames) + items;
    nameItems();
    updateGeometry();
    update();
}

void FrameLegend::setColourMap(ColourMap map)
{
    m_map = map;
    update();
}

double FrameLegend::columnWidth(int column) const
{
    const QFontMetricsF metrics(scaledFont(font(), 0.85));
    double widest = 0.0;
    for (qsizetype i = column; i < m_items.size(); i += 2)
        widest = std::max(widest, metrics.horizontalAdvance(legendText(m_items[i])));
    return std::ceil(widest) + kSwatch + 5.0;
}

bool FrameLegend::hasTwoColumns(int width) const
{
    return width >= columnWidth(0) + kColumnGap + columnWidth(1);
}

int FrameLegend::rowHeight() const
{
    return std::max(lineHeight(scaledFont(font(), 0.85)), kSwatch) + 4;
}

int FrameLegend::heightForWidth(int width) const
{
    const auto count = static_cast<int>(m_items.size());
    return (hasTwoColumns(width) ? (count + 1) / 2 : count) * rowHeight();
}

QSize FrameLegend::sizeHint() const
{
    const int width = static_cast<int>(columnWidth(0) + kColumnGap + columnWidth(1));
    return {width, heightForWidth(width)};
}

QSize FrameLegend::minimumSizeHint() const
{
    return {static_cast<int>(std::max(columnWidth(0), columnWidth(1))), 2 * rowHeight()};
}

void FrameLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    painter.setFont(scaledFont(font(), 0.85));
    const int step = rowHeight();
    const int columns = hasTwoColumns(width()) ? 2 : 1;
    for (int i = 0; i < static_cast<int>(m_items.size()); ++i) {
        const double x = i % columns * (columnWidth(0) + kColumnGap);
        const int y = i / columns * step;
        const int above = (step - kSwatch) / 2;
        drawLegendSwatch(painter, QRectF(x, y + above, kSwatch, kSwatch), m_items[i], maskStyleFor(m_map, theme),
                         QColor(colourAt(m_map, isDiverging(m_map) ? 0.5 : 0.0)), 1.0, theme);
        painter.setPen(theme.text);
        painter.drawText(QRectF(x + kSwatch + 5, y, width() - x, step), Qt::AlignLeft | Qt::AlignVCenter,
                         legendText(m_items[i]));
    }
}

} // namespace lookback::ui
