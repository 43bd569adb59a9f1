// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/attention_figure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include <QCoreApplication>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QLocale>
#include <QPaintEngine>
#include <QPainter>

#include "ui/figures/figure_run.h"
#include "ui/heatmap/cell_painter.h"
#include "ui/heatmap/map_labels.h"
#include "ui/heatmap/value_pyramid.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kFont = 8.0; // points
constexpr double kSmallFont = 7.0;
constexpr double kHairline = 0.5;
constexpr double kGap = 8.0;
constexpr double kMargin = 4.0;
constexpr double kSideWidth = 112.0; // colour bar and key beside the map
constexpr double kLongestBar = 160.0;
constexpr double kNarrow = 300.0; // points: below, they go under it
constexpr double kWholePixelsLoss = 0.04; // cells of equal size are worth this much of the room, not more
constexpr double kLeastTokenCell = 6.5; // so that token names have 6 points

QString tr(const char *text)
{
    return QCoreApplication::translate("AttentionFigure", text);
}

QString number(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

QString weightText(float value)
{
    if (std::isnan(value))
        return u"NaN"_s;
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return QString::fromLatin1(text.data(), end - text.data());
}

/// Cells laid out on the device: whole device pixels on pictures, so that no cell is resampled; a fine raster of its
/// own in vector files.
struct Raster {
    CellAxis axis;
    double pixelsPerPoint = 1.0;
    QPointF origin; ///< Of the first cell, in points.
};

class AttentionFigure : public Figure {
public:
    explicit AttentionFigure(AttentionFigureInput input)
        : m_input(std::move(input)),
          m_values(m_input.map,
                   m_input.range == RangeChoice::RowMaximum ? ValuePyramid::Rows::ToTheirMaximum
                                                            : ValuePyramid::Rows::AsTheyAre)
    {
    }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override;
    QString fileName() const override;
    QString title() const override;
    QStringList provenance() const override;

private:
    ColourTable table(const Theme &theme) const;
    QString caption() const;
    QString runName() const;
    Raster rasterFor(QPainter &painter, const QPointF &corner, double side) const;
    QImage cells(const Raster &raster, const ColourTable &colours, const Theme &theme) const;
    void drawBare(QPainter &painter, const QSizeF &size, const Theme &theme) const;
    void drawAround(QPainter &painter, const Raster &raster, const QRectF &plot, const QSizeF &labels,
                    const LabelStyle &style, const ColourTable &colours, const Theme &theme) const;
    double drawSide(QPainter &painter, const QRectF &area, const ColourTable &colours, const QString &reduction,
                    const Theme &theme, bool isDrawn) const;

    const task::Sequence &sequence() const { return m_input.example->sequence; }

    AttentionFigureInput m_input;
    ValuePyramid m_values;
};

QString AttentionFigure::runName() const
{
    return m_input.runTitle.isEmpty() ? QString::fromStdString(m_input.example->variant) : m_input.runTitle;
}

QString AttentionFigure::title() const
{
    return tr("Layer %1, head %2 of %3").arg(number(m_input.map->layer), number(m_input.map->head), runName());
}

QString AttentionFigure::fileName() const
{
    return u"%1_layer%2_head%3_n%4_sequence%5"_s.arg(QString::fromStdString(m_input.example->variant))
        .arg(m_input.map->layer)
        .arg(m_input.map->head)
        .arg(m_input.example->key.n_keys)
        .arg(m_input.example->key.sequence);
}

QStringList AttentionFigure::provenance() const
{
    const analysis::ExampleKey &key = m_input.example->key;
    const QString folder = QFileInfo(QString::fromStdString(key.runFolder)).fileName();
    QStringList lines;
    if (m_input.record) {
        FigureRun run;
        run.id = folder;
        run.title = runName();
        run.record = *m_input.record;
        lines = provenanceLines(std::span(&run, 1));
    }
    const QString command =
        u"lookback-cli attention %1 --step %2 --n %3 --sequence %4 --layer %5 --head %6 --out %7.png"_s;
    lines.append(u"Head map of step %1: "_s.arg(key.step)
                 % command.arg(folder)
                       .arg(key.step)
                       .arg(key.n_keys)
                       .arg(key.sequence)
                       .arg(m_input.map->layer)
                       .arg(m_input.map->head)
                       .arg(fileName()));
    return lines;
}

QString AttentionFigure::csv() const
{
    const analysis::HeadMap &map = *m_input.map;
    QString text = u"layer,head,query,query_token,key,key_token,weight\r\n"_s;
    for (std::int64_t query = 0; query < map.queries; ++query) {
        const QString row = u"%1,%2,%3,%4,"_s.arg(map.layer).arg(map.head).arg(query).arg(
            QLatin1Char(task::tokenCharacter(sequence().tokens[static_cast<std::size_t>(query)])));
        for (std::int64_t key = 0; key < map.keys; ++key) {
            if (!map.isVisible(query, key))
                continue;
            text += row % QString::number(key) % u','
                % QLatin1Char(task::tokenCharacter(sequence().tokens[static_cast<std::size_t>(key)])) % u','
                % weightText(map.at(query, key)) % u"\r\n";
        }
    }
    return text;
}

ColourTable AttentionFigure::table(const Theme &theme) const
{
    const bool isSigned = m_values.isSigned();
    const ColourMap colours = m_input.colours.value_or(colourMapsFor(isSigned, theme.isDark).first());
    ColourScale scale = isSigned ? ColourScale::sharedSigned() : ColourScale::shared();
    if (m_input.isLog && !isSigned)
        scale = scale.asLog();
    if (m_input.range == RangeChoice::OwnMaximum)
        scale = scale.withMaximum(static_cast<double>(m_values.maximum()));
    return {colours, scale, theme.wrong.rgb()};
}

QString AttentionFigure::caption() const
{
    const analysis::Example &example = *m_input.example;
    const auto layer = static_cast<std::size_t>(m_input.map->layer);
    const QString words =
        layer < example.layers.size() ? QString::fromStdString(example.layers[layer].words()) : QString();
    QString text =
        tr("Layer %1, head %2 (%3) of %4 at step %5; evaluation sequence %6 with %7 unique keys, %8 tokens; "
           "queries downwards, keys to the right.")
            .arg(number(m_input.map->layer), number(m_input.map->head), words, runName(), number(example.key.step),
                 number(example.key.sequence), number(example.key.n_keys), number(example.positions + 1));
    if (m_input.cell.isValid()) {
        text += u' '
            % QString::fromStdString(
                    analysis::sentenceFor(example, *m_input.map, m_input.cell.query, m_input.cell.key));
    }
    return text;
}

Raster AttentionFigure::rasterFor(QPainter &painter, const QPointF &corner, double side) const
{
    const std::int64_t count = m_input.map->queries;
    Raster raster;
    const bool isRaster = painter.paintEngine() && painter.paintEngine()->type() == QPaintEngine::Raster;
    if (!isRaster) {
        // Programs smooth embedded pictures when they enlarge them: several pixels a cell keep its edges sharp.
        const auto perCell =
            static_cast<double>(std::clamp<std::int64_t>(2048 / std::max<std::int64_t>(count, 1), 1, 16));
        raster.axis = CellAxis(count, perCell);
        raster.pixelsPerPoint = static_cast<double>(raster.axis.pixels()) / side;
        raster.origin = corner;
        return raster;
    }
    const QTransform device = painter.deviceTransform();
    const double scale = device.m11();
    const double room = std::floor(side * scale + 1e-6);
    const double perCell = room / static_cast<double>(count);
    const double whole = std::floor(perCell);
    raster.axis = whole >= perCell * (1.0 - kWholePixelsLoss) ? CellAxis(count, whole)
                                                              : CellAxis::fitted(count, static_cast<int>(room));
    raster.pixelsPerPoint = scale;
    raster.origin = QPointF((std::ceil(corner.x() * scale + device.dx() - 1e-6) - device.dx()) / scale,
                            (std::ceil(corner.y() * scale + device.dy() - 1e-6) - device.dy()) / scale);
    return raster;
}

QImage AttentionFigure::cells(const Raster &raster, const ColourTable &colours, const Theme &theme) const
{
    const QRect whole(0, 0, raster.axis.pixels(), raster.axis.pixels());
    return paintCells(m_values, raster.axis, raster.axis, whole, colours, maskStyleFor(colours.map(), theme.mask));
}

void AttentionFigure::drawBare(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    const double side = std::min(size.width(), size.height());
    Raster raster = rasterFor(painter, {0.0, 0.0}, side);
    if (painter.paintEngine()->type() == QPaintEngine::Raster)
        raster.axis =
            CellAxis::fitted(m_input.map->queries, static_cast<int>(std::lround(side * raster.pixelsPerPoint)));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const double length = raster.axis.pixels() / raster.pixelsPerPoint;
    painter.drawImage(QRectF(raster.origin, QSizeF(length, length)), cells(raster, table(theme), theme));
}

/// Colour bar with its words, then the key of the frames; returns the height used.
double AttentionFigure::drawSide(QPainter &painter, const QRectF &area, const ColourTable &colours,
                                 const QString &reduction, const Theme &theme, bool isDrawn) const
{
    const QFont font = figureFont(kSmallFont);
    const QFontMetricsF metrics(font, painter.device());
    const double line = std::ceil(metrics.height());
    double y = area.top();
    painter.setFont(font);
    const auto paragraph = [&](const QString &text, const QColor &colour) {
        if (text.isEmpty())
            return;
        const QRectF box = metrics.boundingRect(QRectF(area.left(), y, area.width(), 1000.0), Qt::TextWordWrap, text);
        if (isDrawn) {
            painter.setPen(colour);
            painter.drawText(QRectF(area.left(), y, area.width(), box.height() + 1.0), Qt::TextWordWrap, text);
        }
        y += box.height() + 2.0;
    };
    paragraph(scaleWords(colours.scale(), m_input.range, m_input.map->kind), theme.text);
    paragraph(reduction, theme.secondText);
    const QRectF bar(area.left(), y + 1.0, std::min(area.width(), kLongestBar), 9.0 + line + 2.0);
    if (isDrawn)
        drawColourBar(painter, bar, colours, font, kHairline, theme);
    y = bar.bottom() + 6.0;
    const MapMarks marks = marksFor(sequence(), m_input.cell);
    std::vector<LegendItem> items{LegendItem::NotVisible};
    if (m_input.cell.isValid())
        items.push_back(LegendItem::Query);
    if (m_input.hasOccurrences && marks.firstEntry >= 0)
        items.push_back(LegendItem::FirstOccurrence);
    if (m_input.hasOccurrences && marks.askedEntry >= 0)
        items.push_back(LegendItem::AskedOccurrence);
    double x = area.left();
    for (const LegendItem item : items) {
        const double width = metrics.horizontalAdvance(legendText(item)) + line + 10.0;
        if (x > area.left() && x + width > area.right()) {
            x = area.left();
            y += line + 2.0;
        }
        if (isDrawn) {
            drawLegendSwatch(painter, QRectF(x, y + 1.0, line - 2.0, line - 2.0), item,
                             maskStyleFor(colours.map(), theme.mask), QColor(colours.colourOf(0.0F)), kHairline, theme);
            painter.setFont(font);
            painter.setPen(theme.text);
            painter.drawText(QRectF(x + line + 2.0, y, width, line), Qt::AlignLeft | Qt::AlignVCenter,
                             legendText(item));
        }
        x += width;
    }
    return y + line - area.top();
}

void AttentionFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    if (m_input.isBare) {
        drawBare(painter, size, theme);
        return;
    }
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    const bool isColumn = page.width() < kNarrow;
    const QFont captionFont = figureFont(isColumn ? kSmallFont : kFont);
    const QFontMetricsF captionMetrics(captionFont, painter.device());
    const QString words = caption();
    const auto captionHeight = [&](double width) {
        return std::ceil(captionMetrics.boundingRect(QRectF(0, 0, width, 5000.0), Qt::TextWordWrap, words).height())
            + 2.0;
    };
    const ColourTable colours = table(theme);
    LabelStyle style{.font = figureFont(kSmallFont),
                     .line = kHairline,
                     .leastTokenCell = kLeastTokenCell,
                     .hasEntries = m_input.hasEntries,
                     .device = painter.device()};
    // Words that depend on the raster get their room before it is known.
    const QString reserved = m_input.map->queries > 400 ? tr("Each pixel = 4 × 4 cells, maximum") : QString();
    const auto sideHeight = [&](double width) {
        return drawSide(painter, QRectF(0, 0, width, 0), colours, reserved, theme, false);
    };

    // Wide pages: the map takes the height, everything else stands at its right, if it fits. Else the caption goes
    // below; on columns the colour bar too. Labels of entries that do not fit take no room.
    double left = 0.0;
    double top = 0.0;
    double side = 0.0;
    bool isCaptionAtSide = false;
    const auto layOut = [&] {
        left = std::ceil(leftLabelWidth(style, sequence()));
        top = std::ceil(topLabelHeight(style));
        const double beside = page.width() - left - kSideWidth - 2.0 * kGap;
        if (isColumn) {
            const double below = 2.0 * kGap + sideHeight(page.width()) + captionHeight(page.width());
            side = std::min(page.width() - left, page.height() - top - below);
            return;
        }
        side = std::min(page.height() - top, beside);
        const double sideWidth = page.width() - left - side - 2.0 * kGap;
        isCaptionAtSide = sideHeight(sideWidth) + kGap + captionHeight(sideWidth) <= side;
        if (!isCaptionAtSide)
            side = std::min(beside, page.height() - top - kGap - captionHeight(page.width()));
    };
    layOut();
    if (style.hasEntries && !entryLabelsFit(side / static_cast<double>(m_input.map->queries), style, sequence())) {
        style.hasEntries = false;
        layOut();
    }
    const Raster raster = rasterFor(painter, page.topLeft() + QPointF(left, top), std::max(side, 24.0));
    const double length = raster.axis.pixels() / raster.pixelsPerPoint;
    const QRectF plot(raster.origin, QSizeF(length, length));
    painter.drawImage(plot, cells(raster, colours, theme));
    drawAround(painter, raster, plot, QSizeF(left, top), style, colours, theme);

    const QString reduction = reductionWords(raster.axis, raster.axis, m_input.map->kind);
    double captionTop = plot.bottom() + kGap;
    QRectF captionArea(page.left(), captionTop, page.width(), page.bottom() - captionTop);
    if (isColumn) {
        const double used =
            drawSide(painter, QRectF(page.left(), captionTop, page.width(), 0), colours, reduction, theme, true);
        captionArea.setTop(captionTop + used + kGap);
    } else {
        const QRectF beside(plot.right() + 2.0 * kGap, plot.top(), page.right() - plot.right() - 2.0 * kGap,
                            plot.height());
        const double used = drawSide(painter, beside, colours, reduction, theme, true);
        if (isCaptionAtSide)
            captionArea = beside.adjusted(0, used + kGap, 0, 0);
    }
    painter.setFont(captionFont);
    painter.setPen(theme.text);
    painter.drawText(captionArea, Qt::TextWordWrap, words);
    painter.restore();
}

/// Grid, frames and labels of the map.
void AttentionFigure::drawAround(QPainter &painter, const Raster &raster, const QRectF &plot, const QSizeF &labels,
                                 const LabelStyle &style, const ColourTable &colours, const Theme &theme) const
{
    AxisPlacement queries{
        .axis = raster.axis, .origin = plot.top(), .pixelRatio = raster.pixelsPerPoint, .length = raster.axis.pixels()};
    AxisPlacement keys = queries;
    keys.origin = plot.left();
    MapMarks marks = marksFor(sequence(), m_input.cell);
    if (!m_input.hasOccurrences)
        marks.askedEntry = marks.firstEntry = -1;
    painter.save();
    painter.setClipRect(plot.adjusted(-1, -1, 1, 1));
    drawGrid(painter, queries, keys, sequence(), m_input.hasEntries, kHairline,
             luminance(colours.colourOf(0.0F)) < 0.4 ? Qt::white : Qt::black);
    drawMarks(painter, queries, keys, sequence(), marks, m_input.hasOccurrences, kHairline, theme);
    painter.restore();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.secondText, kHairline, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(plot.adjusted(-kHairline / 2, -kHairline / 2, kHairline / 2, kHairline / 2));
    drawTopLabels(painter, QRectF(plot.left(), plot.top() - labels.height(), plot.width(), labels.height() - 1.0), keys,
                  sequence(), marks, style, theme);
    drawLeftLabels(painter, QRectF(plot.left() - labels.width(), plot.top(), labels.width() - 1.0, plot.height()),
                   queries, sequence(), marks, style, theme);
}

} // namespace

std::unique_ptr<Figure> makeAttentionFigure(AttentionFigureInput input)
{
    return std::make_unique<AttentionFigure>(std::move(input));
}

QSize onePixelACell(const AttentionFigureInput &input)
{
    return {static_cast<int>(input.map->keys), static_cast<int>(input.map->queries)};
}

} // namespace lookback::ui
