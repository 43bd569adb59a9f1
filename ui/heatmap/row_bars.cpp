// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/row_bars.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <QFontMetricsF>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

namespace lookback::ui {

namespace {

constexpr float kWritten = 0.2F; // weights above are written out

int lineHeight(const QFont &font)
{
    return static_cast<int>(std::ceil(QFontMetricsF(font).height()));
}

QString number(double value, int decimals)
{
    QString text = QLocale().toString(value, 'f', decimals);
    return text.replace(u'-', QChar(0x2212));
}

} // namespace

std::int64_t sourcePosition(const task::Sequence &sequence, std::int64_t query)
{
    const MapMarks marks = marksFor(sequence, {query, 0});
    const std::int64_t length = sequence.shape.entryTokens();
    const std::int64_t place = query % length + 1;
    return marks.firstEntry >= 0 && place < length ? marks.firstEntry * length + place : -1;
}

RowBars::RowBars(HeadMapView *view, QWidget *parent) : QWidget(parent), m_view(view)
{
    setObjectName(QStringLiteral("rowBars"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setAccessibleName(tr("Weights of the chosen query"));
    connect(view, &HeadMapView::viewChanged, this, qOverload<>(&QWidget::update));
    connect(view, &HeadMapView::cellChanged, this, &RowBars::changeRow);
    connect(view, &HeadMapView::pointerChanged, this, qOverload<>(&QWidget::update));
    connect(view, &HeadMapView::valuesChanged, this, &RowBars::changeRow);
}

void RowBars::setExample(std::shared_ptr<const analysis::Example> example)
{
    m_example = std::move(example);
    m_exact.reset();
    changeRow();
}

void RowBars::changeRow()
{
    m_isRowRead = false;
    m_row = {};
    update();
}

AxisPlacement RowBars::keys() const
{
    AxisPlacement placement = m_view->keys();
    placement.origin += m_view->viewport()->mapTo(window(), QPoint(0, 0)).x() - mapTo(window(), QPoint(0, 0)).x();
    return placement;
}

QRectF RowBars::plot() const
{
    const AxisPlacement placement = keys();
    const int line = lineHeight(m_view->labelStyle().font);
    const double top = line + 8.0;
    const double bottom = height() - line - 6.0;
    return {placement.origin, top, placement.length / placement.pixelRatio, std::max(8.0, bottom - top)};
}

void RowBars::setExactRow(std::shared_ptr<const analysis::HeadRows> row)
{
    if (row == m_exact)
        return;
    m_exact = std::move(row);
    changeRow();
}

const RowBars::Row &RowBars::row() const
{
    const PyramidPointer &values = m_view->values();
    const std::int64_t query = m_view->cell().query;
    if (std::exchange(m_isRowRead, true))
        return m_row;
    if (!values || query < 0 || query >= values->shape().queries)
        return m_row;
    const MapShape &shape = values->shape();
    if (values->isExact()) {
        const auto first = values->map().weights.begin() + query * shape.keys;
        m_row.weights.assign(first, first + shape.keys);
        m_row.isKnown = m_row.isExact = true;
    } else if (m_exact && m_exact->layer == shape.layer && m_exact->head == shape.head && m_exact->hasQuery(query)) {
        m_row.weights.resize(static_cast<std::size_t>(shape.keys));
        for (std::int64_t key = 0; key < shape.keys; ++key)
            m_row.weights[static_cast<std::size_t>(key)] = m_exact->at(query, key);
        m_row.isKnown = m_row.isExact = true;
    } else if (values->isKnown(query, query + 1) && values->rows() == ValuePyramid::Rows::AsTheyAre) {
        m_row.weights = values->row(query);
        m_row.isKnown = true;
    }
    for (const float weight : m_row.weights) { // what is not a number is neither
        m_row.most = std::max(m_row.most, weight);
        m_row.least = std::min(m_row.least, weight);
    }
    return m_row;
}

RowBars::Range RowBars::range() const
{
    const auto up = static_cast<double>(row().most);
    const auto down = -static_cast<double>(row().least);
    if (up + down <= 0.0)
        return {0.0, 1.0};
    // Room for the written number beyond the largest bar of each side.
    const double line = lineHeight(m_view->labelStyle().font) + 2.0;
    const double above = up > 0.0 ? line : 2.0;
    const double below = down > static_cast<double>(kWritten) ? line : (down > 0.0 ? 2.0 : 0.0);
    const double unit = (up + down) / std::max(8.0, plot().height() - above - below);
    return {-down - below * unit, up + above * unit};
}

double RowBars::yOf(double value, const QRectF &plot) const
{
    const auto [bottom, top] = range();
    return plot.bottom() - (value - bottom) / (top - bottom) * plot.height();
}

QSize RowBars::sizeHint() const
{
    return {400, 2 * lineHeight(m_view->labelStyle().font) + 14 + 76};
}

QSize RowBars::minimumSizeHint() const
{
    return {100, 2 * lineHeight(m_view->labelStyle().font) + 14 + 40};
}

void RowBars::mousePressEvent(QMouseEvent *event)
{
    const std::int64_t key = keys().cellUnder(event->position().x());
    if (event->button() == Qt::LeftButton && key >= 0 && m_view->cell().isValid())
        m_view->setCell({m_view->cell().query, key});
}

void RowBars::drawScale(QPainter &painter, const QRectF &plot, const Theme &theme) const
{
    const QFont font = m_view->labelStyle().font;
    const int line = lineHeight(font);
    const auto [bottom, top] = range();
    const ColourScale scale{.minimum = bottom, .maximum = top};
    const QList<double> ticks = scale.ticks();
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    const int decimals = decimalsFor(step);
    painter.setFont(font);
    QColor grid = theme.text;
    grid.setAlphaF(0.12F);
    const double spacing = plot.height() * step / (scale.maximum - scale.minimum);
    const qsizetype every = spacing >= line ? 1 : 2;
    for (qsizetype i = 0; i < ticks.size(); ++i) {
        const double y = std::round(yOf(ticks[i], plot));
        if (ticks[i] != 0.0)
            painter.fillRect(QRectF(plot.left(), y, plot.width(), 1.0), grid);
        if (i % every != 0 && ticks[i] != 0.0)
            continue;
        painter.setPen(theme.secondText);
        painter.drawText(QRectF(0, y - line / 2.0, plot.left() - 6.0, line), Qt::AlignRight | Qt::AlignVCenter,
                         ticks[i] == 0.0 ? number(0.0, 0) : number(ticks[i], decimals));
    }
    const double zero = std::round(yOf(0.0, plot));
    painter.fillRect(QRectF(plot.left(), zero, plot.width(), 1.0), theme.secondText);
}

void RowBars::drawHidden(QPainter &painter, const QRectF &plot, const AxisPlacement &keys, const Theme &theme) const
{
    const MapShape &map = m_view->values()->shape();
    const std::int64_t query = m_view->cell().query;
    painter.setFont(m_view->labelStyle().font);
    const auto hide = [&](std::int64_t from, std::int64_t to, const QString &words) {
        if (from >= to)
            return;
        const QRectF area = QRectF(QPointF(keys.edge(from), plot.top()), QPointF(keys.edge(to), plot.bottom())) & plot;
        if (area.isEmpty())
            return;
        painter.fillRect(area, theme.mask);
        painter.setPen(theme.secondText);
        if (QFontMetricsF(painter.font()).horizontalAdvance(words) + 8.0 <= area.width())
            painter.drawText(QRectF(area.left(), area.top(), area.width(), yOf(0.0, plot) - area.top()),
                             Qt::AlignCenter, words);
    };
    hide(query + 1, map.keys, tr("after the query: not visible"));
    if (map.window > 0)
        hide(0, std::max<std::int64_t>(0, query - map.window + 1), tr("before the window: not visible"));
    if (row().isKnown)
        return;
    const std::int64_t first = map.window > 0 ? std::max<std::int64_t>(0, query - map.window + 1) : 0;
    painter.setPen(theme.secondText);
    const QRectF rest =
        QRectF(QPointF(keys.edge(first), plot.top()), QPointF(keys.edge(query + 1), plot.bottom())) & plot;
    painter.drawText(rest, Qt::AlignCenter, tr("not computed yet"));
}

void RowBars::drawBars(QPainter &painter, const QRectF &plot, const AxisPlacement &keys, const Theme &theme) const
{
    const Row &row = this->row();
    if (!row.isKnown)
        return;
    const auto at = [&row](std::int64_t key) { return row.weights[static_cast<std::size_t>(key)]; };
    const MapShape &map = m_view->values()->shape();
    const std::int64_t query = m_view->cell().query;
    const std::int64_t source = sourcePosition(m_example->sequence, query);
    const std::int64_t pointer = m_view->pointerCell().query == query ? m_view->pointerCell().key : -1;
    struct Written {
        std::int64_t key;
        float value;
    };
    std::vector<Written> written;
    const double unit = 1.0 / keys.pixelRatio;
    const auto [bottom, top] = range();
    const double perUnit = plot.height() / (top - bottom);
    const auto heightOf = [&, bottom = bottom](double value) { return plot.bottom() - (value - bottom) * perUnit; };
    const double zero = std::round(heightOf(0.0));
    const auto draw = [&](double left, double right, std::int64_t key, float value) {
        const double y = heightOf(static_cast<double>(value));
        QRectF bar(left, std::min(y, zero), right - left, std::abs(y - zero));
        if (bar.width() >= 5.0)
            bar.adjust(1.0, 0.0, -1.0, 0.0);
        bar.setHeight(std::max(bar.height(), std::abs(value) > 0.0F ? unit : 0.0));
        painter.fillRect(bar, key == source ? theme.occurrence : key == pointer ? theme.text : theme.secondText);
        if (key == source && !theme.isDark && bar.width() >= 3.0) { // pink on white alone is too faint
            painter.setPen(QPen(theme.text, 1.0));
            painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, 0.0));
        }
        if (row.isExact && std::abs(value) > kWritten)
            written.push_back({key, value});
    };
    for (int pixel = keys.offset; pixel < keys.offset + keys.length;) {
        const std::int64_t first = keys.axis.cellAt(pixel);
        const std::int64_t end = keys.axis.cellEnd(pixel);
        std::int64_t best = first;
        for (std::int64_t key = first; key < end; ++key) {
            if (std::abs(at(key)) > std::abs(at(best)) || key == source)
                best = key;
        }
        const int next = keys.axis.isReduced() ? pixel + 1 : std::max(pixel + 1, keys.axis.pixelOf(end));
        if (map.isVisible(query, best))
            draw(keys.origin + (pixel - keys.offset) * unit, keys.origin + (next - keys.offset) * unit, best, at(best));
        pixel = next;
    }
    // The largest values get their number first; a smaller one that has no room is left to the pointer.
    std::sort(written.begin(), written.end(),
              [](const Written &a, const Written &b) { return std::abs(a.value) > std::abs(b.value); });
    std::vector<QRectF> taken;
    const QFont font = m_view->labelStyle().font;
    const int line = lineHeight(font);
    for (const Written &item : written) {
        QFont own = font;
        if (item.key == source)
            own.setWeight(QFont::DemiBold);
        const QString text = number(static_cast<double>(item.value), 2);
        const double width = QFontMetricsF(own).horizontalAdvance(text) + 4.0;
        const double y = heightOf(static_cast<double>(item.value));
        QRectF place(keys.centre(item.key) - width / 2, item.value >= 0.0F ? y - line : y, width, line);
        place.moveLeft(std::clamp(place.left(), plot.left(), std::max(plot.left(), plot.right() - width)));
        if (std::any_of(taken.begin(), taken.end(), [&place](const QRectF &other) { return other.intersects(place); }))
            continue;
        taken.push_back(place);
        painter.setFont(own);
        painter.setPen(item.key == source && theme.isDark ? theme.occurrence : theme.text);
        painter.drawText(place, Qt::AlignCenter, text);
    }
}

void RowBars::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const MapCell cell = m_view->cell();
    if (!m_example || !m_view->values() || !cell.isValid() || m_example->positions != m_view->values()->shape().queries)
        return;
    const Theme &theme = Theme::forPalette(palette());
    const LabelStyle style = m_view->labelStyle();
    const int line = lineHeight(style.font);
    const AxisPlacement columns = keys();
    const QRectF area = plot();
    const task::Sequence &sequence = m_example->sequence;

    painter.setFont(style.font);
    painter.setPen(theme.text);
    const QString query = tr("query %1").arg(QLocale().toString(static_cast<qlonglong>(cell.query)));
    painter.drawText(QRectF(0, 0, area.left() - 6.0, line), Qt::AlignRight | Qt::AlignVCenter, query);
    painter.setPen(theme.secondText);
    painter.drawText(QRectF(0, area.bottom() + 3.0, area.left() - 6.0, line), Qt::AlignRight | Qt::AlignVCenter,
                     tr("position"));

    painter.save();
    painter.setClipRect(QRectF(area.left(), 0, area.width(), height()));
    drawTokenRow(painter, QRectF(area.left(), 0, area.width(), line), columns, sequence, cell.key, style, theme);
    const MapMarks marks = marksFor(sequence, cell);
    if (marks.firstEntry >= 0) {
        const std::int64_t length = sequence.shape.entryTokens();
        QColor band = theme.occurrence;
        band.setAlphaF(theme.isDark ? 0.18F : 0.25F);
        painter.fillRect(QRectF(QPointF(columns.edge(marks.firstEntry * length), area.top()),
                                QPointF(columns.edge((marks.firstEntry + 1) * length), area.bottom())),
                         band);
    }
    drawHidden(painter, area, columns, theme);
    painter.restore();
    drawScale(painter, area, theme);
    painter.save();
    painter.setClipRect(area.adjusted(0, -2, 0, 1));
    drawBars(painter, area, columns, theme);
    painter.restore();
    painter.save();
    painter.setClipRect(QRectF(area.left() - 20, 0, area.width() + 40, height()));
    drawPositions(painter, QRectF(area.left(), area.bottom() + 3.0, area.width(), line), columns, sequence, style,
                  theme);
    painter.restore();
    if (m_view->isStale()) {
        QColor veil = theme.base;
        veil.setAlphaF(0.6F);
        painter.fillRect(rect(), veil);
    }
}

} // namespace lookback::ui
