// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/map_labels.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("MapLabels", text);
}

QString padded(std::int64_t number, std::int64_t digits)
{
    return QString::number(number).rightJustified(static_cast<qsizetype>(digits), u'0');
}

QString entryTitle(std::int64_t entry)
{
    return tr("entry %1").arg(QLocale().toString(static_cast<qlonglong>(entry)));
}

QString positionText(std::int64_t position)
{
    return QLocale().toString(static_cast<qlonglong>(position));
}

QFontMetricsF metricsOf(const QFont &font, const LabelStyle &style)
{
    return style.device ? QFontMetricsF(font, style.device) : QFontMetricsF(font);
}

QFont boldFont(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

/// The font of token names in cells of that size.
QFont tokenFont(const LabelStyle &style, double cell)
{
    const double height = metricsOf(style.font, style).ascent();
    const double factor = std::clamp(cell * 0.92 / height, 0.6, 1.0);
    return scaledFont(style.font, factor);
}

double bracketDepth(const LabelStyle &style)
{
    return std::round(metricsOf(style.font, style).height() * 0.45);
}

double tokenLine(const LabelStyle &style)
{
    return std::ceil(metricsOf(style.font, style).height());
}

std::int64_t entryCells(const AxisPlacement &placement, const task::Sequence &sequence, std::int64_t entry)
{
    return std::min((entry + 1) * sequence.shape.entryTokens(), placement.axis.cells());
}

struct EntryLook {
    QColor colour;
    QFont title;
    QFont detail;
    Qt::PenStyle bracket = Qt::SolidLine;
    bool isMarked = false;
};

EntryLook lookOf(std::int64_t entry, const MapMarks &marks, const LabelStyle &style, const Theme &theme)
{
    EntryLook look{.colour = theme.secondText, .title = style.font, .detail = style.font};
    look.isMarked = entry == marks.firstEntry || entry == marks.askedEntry;
    if (look.isMarked) {
        look.colour = theme.isDark ? theme.occurrence : theme.text; // text needs 4.5:1, the light occurrence has not
        look.detail = boldFont(style.font);
    }
    if (entry == marks.askedEntry)
        look.bracket = Qt::DashLine;
    return look;
}

/// Every how many entries a label of `need` units has room: 1, 2, or 0 = not at all.
int labelStride(double entryLength, double need)
{
    if (entryLength >= need)
        return 1;
    return 2 * entryLength >= need ? 2 : 0;
}

/// Width of "key → value" with air.
double topLabelNeed(const LabelStyle &style, const task::Sequence &sequence)
{
    const QString widest = QString(static_cast<qsizetype>(sequence.shape.key_digits), u'0') % u" → "
        % QString(static_cast<qsizetype>(sequence.shape.value_digits), u'0');
    return metricsOf(boldFont(style.font), style).horizontalAdvance(widest) + 6.0;
}

/// Whether an entry carries its label: marked ones always, the others as the stride says unless a marked neighbour
/// takes the room.
bool hasLabel(std::int64_t entry, int stride, const MapMarks &marks)
{
    const auto isMarked = [&marks](std::int64_t other) {
        return other >= 0 && (other == marks.firstEntry || other == marks.askedEntry);
    };
    if (stride == 1 || isMarked(entry))
        return true;
    return entry % 2 == 0 && !isMarked(entry - 1) && !isMarked(entry + 1);
}

/// A small triangle at a label strip, towards the map: where the chosen cell is when tokens have no room.
void drawPointer(QPainter &painter, const QPointF &tip, bool isFromAbove, double size, const QColor &colour)
{
    const QPointF back = isFromAbove ? QPointF(0, -size) : QPointF(-size, 0);
    const QPointF side = isFromAbove ? QPointF(size * 0.7, 0) : QPointF(0, size * 0.7);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QList<QPointF>{tip, tip + back + side, tip + back - side});
    painter.restore();
}

/// The smallest number of entries, of 1, 2, 5, 10, ..., over which `need` units have room.
std::int64_t positionStride(double entryLength, double need)
{
    std::int64_t power = 1;
    while (true) {
        for (const std::int64_t factor : {1, 2, 4, 8}) { // of entries of eight tokens: 8, 16, 32, 64, ...
            if (entryLength * static_cast<double>(factor * power) >= need)
                return factor * power;
        }
        power *= 16;
    }
}

QPen hairline(const QColor &colour, double width, Qt::PenStyle penStyle = Qt::SolidLine)
{
    QPen pen(colour, width, penStyle, Qt::FlatCap, Qt::MiterJoin);
    if (penStyle == Qt::DashLine)
        pen.setDashPattern({3.0, 2.0});
    return pen;
}

} // namespace

MapMarks marksFor(const task::Sequence &sequence, MapCell cell)
{
    MapMarks marks;
    marks.cell = cell;
    if (cell.query < 0)
        return marks;
    const std::int64_t entry = cell.query / sequence.shape.entryTokens();
    if (entry >= static_cast<std::int64_t>(sequence.entries.size()))
        return marks;
    marks.askedEntry = entry;
    const std::int64_t partner = sequence.entries[static_cast<std::size_t>(entry)].partner;
    if (partner < entry)
        marks.firstEntry = partner;
    return marks;
}

QString keyText(const task::Sequence &sequence, std::int64_t entry)
{
    return padded(sequence.entries[static_cast<std::size_t>(entry)].key, sequence.shape.key_digits);
}

QString valueText(const task::Sequence &sequence, std::int64_t entry)
{
    return padded(sequence.entries[static_cast<std::size_t>(entry)].value, sequence.shape.value_digits);
}

bool entryLabelsFit(double cell, const LabelStyle &style, const task::Sequence &sequence)
{
    const double entryLength = cell * static_cast<double>(sequence.shape.entryTokens());
    return style.hasEntries && labelStride(entryLength, topLabelNeed(style, sequence)) > 0;
}

QFont scaledFont(const QFont &font, double factor)
{
    QFont scaled = font;
    if (font.pointSizeF() > 0.0)
        scaled.setPointSizeF(font.pointSizeF() * factor);
    else
        scaled.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * factor))));
    return scaled;
}

double topLabelHeight(const LabelStyle &style)
{
    const double height = std::ceil(metricsOf(style.font, style).height());
    return (style.hasEntries ? 2.0 * height + bracketDepth(style) : height + 2.0)
        + (style.hasTokens ? tokenLine(style) : 4.0);
}

double leftLabelWidth(const LabelStyle &style, const task::Sequence &sequence)
{
    const QFontMetricsF metrics = metricsOf(boldFont(style.font), style);
    const auto last = static_cast<std::int64_t>(sequence.entries.size());
    double width = metrics.horizontalAdvance(positionText(last * sequence.shape.entryTokens()));
    if (style.hasEntries) {
        const QString key = QString(static_cast<qsizetype>(sequence.shape.key_digits), u'0');
        width = std::max({width, metrics.horizontalAdvance(entryTitle(last)), metrics.horizontalAdvance(key)})
            + bracketDepth(style);
    }
    return std::ceil(width + 4.0 + (style.hasTokens ? tokenLine(style) : 6.0));
}

void drawTokenRow(QPainter &painter, const QRectF &strip, const AxisPlacement &keys, const task::Sequence &sequence,
                  std::int64_t highlighted, const LabelStyle &style, const Theme &theme)
{
    if (keys.cellSize() < style.leastTokenCell)
        return;
    painter.setFont(tokenFont(style, keys.cellSize() * 1.1));
    for (std::int64_t key = keys.firstVisible(); key < keys.endVisible(); ++key) {
        const QRectF place(QPointF(keys.edge(key), strip.top()), QPointF(keys.edge(key + 1), strip.bottom()));
        const bool isHighlighted = key == highlighted;
        if (isHighlighted)
            painter.fillRect(place, theme.text);
        painter.setPen(isHighlighted ? theme.base : theme.text);
        const QString token(QLatin1Char(task::tokenCharacter(sequence.tokens[static_cast<std::size_t>(key)])));
        painter.drawText(place.adjusted(-4.0, -2.0, 4.0, 2.0), Qt::AlignCenter, token);
    }
}

void drawTopLabels(QPainter &painter, const QRectF &strip, const AxisPlacement &keys, const task::Sequence &sequence,
                   const MapMarks &marks, const LabelStyle &style, const Theme &theme)
{
    painter.save();
    painter.setClipRect(strip.adjusted(-40.0, 0, 8.0, 0)); // a wide label may hang over
    const QFontMetricsF metrics = metricsOf(style.font, style);
    const double tokenTop = strip.bottom() - tokenLine(style);
    drawTokenRow(painter, QRectF(strip.left(), tokenTop, strip.width(), tokenLine(style)), keys, sequence,
                 marks.cell.key, style, theme);
    const bool hasTokens = keys.cellSize() >= style.leastTokenCell;
    const double bottom = hasTokens ? tokenTop : strip.bottom() - 2.0;
    if (!hasTokens && marks.cell.key >= keys.firstVisible() && marks.cell.key < keys.endVisible())
        drawPointer(painter, {keys.centre(marks.cell.key), strip.bottom() + 1.0}, true, 6.0 * style.line, theme.text);
    const std::int64_t length = sequence.shape.entryTokens();
    const double entryLength = keys.cellSize() * static_cast<double>(length);
    const double height = std::ceil(metrics.height());
    const double labelWidth = topLabelNeed(style, sequence) - 2.0;
    const int stride = style.hasEntries ? labelStride(entryLength, labelWidth + 2.0) : 0;
    const std::int64_t firstEntry = keys.firstVisible() / length;
    const std::int64_t endEntry = (keys.endVisible() + length - 1) / length;
    if (stride == 0) {
        const std::int64_t step =
            positionStride(entryLength, metrics.horizontalAdvance(positionText(keys.axis.cells())) + 14.0);
        painter.setFont(style.font);
        for (std::int64_t entry = firstEntry / step * step; entry < endEntry; entry += step) {
            const double x = keys.edge(entry * length);
            painter.setPen(hairline(theme.secondText, style.line));
            painter.drawLine(QPointF(x + style.line / 2, bottom - 4.0), QPointF(x + style.line / 2, bottom));
            painter.setPen(theme.secondText);
            painter.drawText(QRectF(x + 3.0, bottom - height - 1.0, 200.0, height), Qt::AlignLeft | Qt::AlignVCenter,
                             positionText(entry * length));
        }
        painter.restore();
        return;
    }
    const double bracketTop = bottom - bracketDepth(style) + 1.0;
    for (std::int64_t entry = firstEntry; entry < endEntry; ++entry) {
        const double left = keys.edge(entry * length) + 1.5;
        const double right = keys.edge(entryCells(keys, sequence, entry)) - 1.5;
        const EntryLook look = lookOf(entry, marks, style, theme);
        painter.setPen(hairline(look.isMarked ? look.colour : theme.secondText,
                                style.line * (look.isMarked ? 1.5 : 1.0), look.bracket));
        painter.drawPolyline(
            QList<QPointF>{{left, bottom - 2.0}, {left, bracketTop}, {right, bracketTop}, {right, bottom - 2.0}});
        if (!hasLabel(entry, stride, marks))
            continue;
        const double width = std::max(labelWidth, metrics.horizontalAdvance(entryTitle(entry)));
        const double middle = 0.5 * (left + right);
        if (middle < strip.left() || middle > strip.right())
            continue; // mostly scrolled away
        // Two marked neighbours carry their labels whether these fit or not: they make room for each other.
        const auto isMarked = [&marks](std::int64_t other) {
            return other >= 0 && (other == marks.firstEntry || other == marks.askedEntry);
        };
        double aside = 0.0;
        if (stride > 1 && isMarked(entry) && width + 6.0 > entryLength)
            aside = (isMarked(entry - 1) ? 0.5 : isMarked(entry + 1) ? -0.5 : 0.0) * (width + 6.0 - entryLength);
        const QRectF title(middle + aside - width / 2, bracketTop - 2.0 * height, width, height);
        painter.setPen(look.isMarked ? look.colour : theme.secondText);
        painter.setFont(look.title);
        painter.drawText(title, Qt::AlignCenter, entryTitle(entry));
        painter.setFont(look.detail);
        painter.setPen(look.isMarked ? look.colour : theme.text);
        painter.drawText(title.translated(0.0, height), Qt::AlignCenter,
                         QString(keyText(sequence, entry) % u" → " % valueText(sequence, entry)));
    }
    painter.restore();
}

void drawLeftLabels(QPainter &painter, const QRectF &strip, const AxisPlacement &queries,
                    const task::Sequence &sequence, const MapMarks &marks, const LabelStyle &style, const Theme &theme)
{
    painter.save();
    const QFontMetricsF metrics = metricsOf(style.font, style);
    const double overhang = std::ceil(metrics.height() / 2.0); // of the first and last position
    painter.setClipRect(strip.adjusted(0, -overhang, 0, overhang));
    const double cell = queries.cellSize();
    const bool hasTokens = cell >= style.leastTokenCell;
    const double right = hasTokens ? strip.right() - tokenLine(style) : strip.right() - 2.0;
    if (!hasTokens && marks.cell.query >= queries.firstVisible() && marks.cell.query < queries.endVisible())
        drawPointer(painter, {strip.right() + 1.0, queries.centre(marks.cell.query)}, false, 6.0 * style.line,
                    theme.text);
    if (hasTokens) {
        painter.setFont(tokenFont(style, cell));
        for (std::int64_t query = queries.firstVisible(); query < queries.endVisible(); ++query) {
            const QRectF place(QPointF(right + 2.0, queries.edge(query)),
                               QPointF(strip.right(), queries.edge(query + 1)));
            const bool isHighlighted = query == marks.cell.query;
            if (isHighlighted)
                painter.fillRect(place, theme.text);
            painter.setPen(isHighlighted ? theme.base : theme.text);
            const QString token(QLatin1Char(task::tokenCharacter(sequence.tokens[static_cast<std::size_t>(query)])));
            painter.drawText(place.adjusted(-2.0, -4.0, 2.0, 4.0), Qt::AlignCenter, token);
        }
    }
    const std::int64_t length = sequence.shape.entryTokens();
    const double entryLength = cell * static_cast<double>(length);
    const double height = std::ceil(metrics.height());
    const int stride = style.hasEntries ? labelStride(entryLength, 2.0 * height + 2.0) : 0;
    const std::int64_t firstEntry = queries.firstVisible() / length;
    const std::int64_t endEntry = (queries.endVisible() + length - 1) / length;
    if (stride == 0) {
        const std::int64_t step = positionStride(entryLength, height + 4.0);
        painter.setFont(style.font);
        for (std::int64_t entry = firstEntry / step * step; entry < endEntry; entry += step) {
            const double y = queries.edge(entry * length);
            painter.setPen(hairline(theme.secondText, style.line));
            painter.drawLine(QPointF(right - 4.0, y + style.line / 2), QPointF(right, y + style.line / 2));
            painter.setPen(theme.secondText);
            painter.drawText(QRectF(strip.left(), y - height / 2.0, right - 6.0 - strip.left(), height),
                             Qt::AlignRight | Qt::AlignVCenter, positionText(entry * length));
        }
        painter.restore();
        return;
    }
    const double bracketLeft = right - bracketDepth(style) + 1.0;
    for (std::int64_t entry = firstEntry; entry < endEntry; ++entry) {
        const double top = queries.edge(entry * length) + 1.5;
        const double bottom = queries.edge(entryCells(queries, sequence, entry)) - 1.5;
        const EntryLook look = lookOf(entry, marks, style, theme);
        painter.setPen(hairline(look.isMarked ? look.colour : theme.secondText,
                                style.line * (look.isMarked ? 1.5 : 1.0), look.bracket));
        painter.drawPolyline(
            QList<QPointF>{{right - 2.0, top}, {bracketLeft, top}, {bracketLeft, bottom}, {right - 2.0, bottom}});
        if (!hasLabel(entry, stride, marks))
            continue;
        const double middle = 0.5 * (top + bottom);
        const QRectF title(strip.left(), middle - height, bracketLeft - 4.0 - strip.left(), height);
        painter.setPen(look.isMarked ? look.colour : theme.secondText);
        painter.setFont(look.title);
        painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, entryTitle(entry));
        painter.setFont(look.detail);
        painter.setPen(look.isMarked ? look.colour : theme.text);
        painter.drawText(title.translated(0.0, height), Qt::AlignRight | Qt::AlignVCenter, keyText(sequence, entry));
    }
    painter.restore();
}

void drawPositions(QPainter &painter, const QRectF &strip, const AxisPlacement &keys, const task::Sequence &sequence,
                   const LabelStyle &style, const Theme &theme)
{
    const QFontMetricsF metrics = metricsOf(style.font, style);
    const std::int64_t length = sequence.shape.entryTokens();
    const double entryLength = keys.cellSize() * static_cast<double>(length);
    const std::int64_t step =
        positionStride(entryLength, metrics.horizontalAdvance(positionText(keys.axis.cells())) + 14.0) * length;
    painter.setFont(style.font);
    painter.setPen(theme.secondText);
    for (std::int64_t position = (keys.firstVisible() + step - 1) / step * step; position < keys.endVisible();
         position += step) {
        painter.drawText(QRectF(keys.centre(position) - 60.0, strip.top(), 120.0, strip.height()),
                         Qt::AlignHCenter | Qt::AlignTop, positionText(position));
    }
}

} // namespace lookback::ui
