// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/line_chart_private.h"
#include "ui/charts/number_text.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// A picture every 40 ms is fluid; more would only take time from training.
constexpr qint64 kFrameMilliseconds = 40;

} // namespace

void LineChart::Private::schedule()
{
    isDirty = true;
    if (!q->isVisible() || timer.isActive())
        return; // shown, or fired, it will be done
    const qint64 wait = sinceRefresh.isValid() ? kFrameMilliseconds - sinceRefresh.elapsed() : 0;
    timer.start(int(std::max<qint64>(wait, 0)));
}

void LineChart::Private::refresh()
{
    timer.stop();
    isDirty = false;
    layOut();
    updateSeries();
    isCacheValid = false;
    sinceRefresh.start();
    q->update();
    Q_EMIT q->refreshed();
}

void LineChart::Private::readTheme()
{
    const QPalette palette = q->palette();
    theme = Theme::forPalette(palette);
    // The system's own answer wins where it has one.
    theme.base = palette.color(QPalette::Base);
    theme.text = palette.color(QPalette::Text);
    metrics = PlotMetrics::screen(q->font());
}

void LineChart::Private::layOut()
{
    ValueHistogram values;
    for (const ChartCurve &curve : curves) {
        if (curve.isShown)
            values.add(data[curve.id].values());
    }
    bulk = values.robustRange(y.axis({1, 2}, 2).scale);
    const Range yRange = yHeld.value_or(y.range(bulk, isFullRange));

    const QFontMetricsF numberMetrics(metrics.numbers, q);
    numbers = numberMetrics.horizontalAdvance(y.widestNumber);
    const Axis *above = x.top ? &top.emplace() : nullptr;
    const QMarginsF margins = axisMargins(numbers, above, hasBottomNumbers, metrics, q);
    const qreal edge = std::max(8.0, numberMetrics.horizontalAdvance(x.widestNumber) / 2);

    column = std::max(edge, labelShare * q->width());
    if (hasLabels && labelShare == 0.0) {
        std::vector<EndLabel> wide;
        for (const ChartCurve &curve : curves) {
            if (!curve.label.isEmpty())
                wide.push_back({.text = curve.label,
                                .value = y.labelValue ? u"0.0000 nats"_s : QString(),
                                .isStrong = curve.isStrong});
        }
        // In steps, so that the plot does not change its width with every curve that comes.
        const qreal stepWidth = 4 * numberMetrics.height();
        const qreal wanted = std::ceil(endLabelsWidth(wide, 0.3 * q->width(), metrics, q) / stepWidth) * stepWidth;
        column = std::max(edge, std::min(wanted, 0.3 * q->width()));
    }
    const qreal air = 8;
    area = QRectF(air + margins.left(), air / 2 + margins.top(), q->width() - air - margins.left() - column - air / 2,
                  q->height() - air - margins.top() - margins.bottom());
    // On half pixels, so that hairlines are sharp.
    const auto half = [](qreal value) { return std::floor(value) + 0.5; };
    area.setCoords(half(area.left()), half(area.top()), half(std::max(area.right(), area.left() + 20)),
                   half(std::max(area.bottom(), area.top() + 20)));

    const int mostX = std::clamp(int(fittingLabels(area.width(), x.widestNumber, metrics.numbers, q) * 0.8), 2, 12);
    const int mostY = std::clamp(int(area.height() / (numberMetrics.height() * 2.4)), 2, 10);
    xAxis = x.axis(view->range(), view->scale(), mostX);
    yAxis = y.axis(yRange, mostY);
    if (x.top)
        top = x.top(view->range(), std::max(2, int(area.width() / (numberMetrics.horizontalAdvance(u"256"_s) * 1.6))));
}

const ThinnedCurve &LineChart::Private::shownLine(CurveData &curve, const PlotPainter &plot)
{
    return smoothing > 0 ? curve.smooth(xAxis, yAxis, plot.columns()) : curve.raw(xAxis, yAxis, plot.columns());
}

void LineChart::Private::updateSeries()
{
    scene.setGeometry(q->size(), area);
    scene.setAxes(xAxis, yAxis);
    const int columns = std::max(1, int(std::ceil(area.width() * metrics.columnsPerUnit)));
    int key = 0;
    for (const ChartCurve &curve : curves) {
        static const ThinnedCurve none;
        CurveData &points = data[curve.id];
        const bool isSmooth = smoothing > 0 && curve.isShown;
        const bool isRaw = curve.isShown && !(isSmooth && isHair(curve)); // raw values behind hair lines would be fog
        const qreal opacity = isHair(curve) ? kHairOpacity : 1.0;
        const ThinnedCurve &raw = isRaw ? points.raw(xAxis, yAxis, columns) : none;
        // A hidden curve has an own revision: its series are empty, but stay.
        scene.setLine(key++, raw, isRaw ? points.rawRevision() : -2, curve.style, widthOf(curve),
                      isSmooth ? 0.25 : opacity);
        const ThinnedCurve &smooth = isSmooth ? points.smooth(xAxis, yAxis, columns) : none;
        scene.setLine(key++, smooth, isSmooth ? points.smoothRevision() : -2, curve.style, widthOf(curve), opacity);
    }
}

std::vector<EndLabel> LineChart::Private::endLabels()
{
    std::vector<EndLabel> list;
    labelIds.clear();
    for (const ChartCurve &curve : curves) {
        if (!curve.isShown || curve.label.isEmpty())
            continue;
        const CurvePoint *last = data[curve.id].lastFinite();
        if (!last)
            continue;
        EndLabel label;
        label.text = curve.label;
        label.brief = curve.brief;
        label.value = y.labelValue ? y.labelValue(*last->y) : QString();
        label.style = curve.style;
        label.isStrong = curve.isStrong;
        QPointF end = q->positionOf(last->x, *last->y);
        if (!std::isfinite(end.y()))
            end.setY(area.bottom());
        if (!std::isfinite(end.x()))
            end.setX(area.left());
        label.end = {std::clamp(end.x(), area.left(), area.right()), std::clamp(end.y(), area.top(), area.bottom())};
        list.push_back(std::move(label));
        labelIds.push_back(curve.id);
    }
    return list;
}

void LineChart::Private::paintCurves(const PlotPainter &plot, QPainter &painter)
{
    for (const ChartCurve &curve : curves) {
        if (!curve.isShown || !hasIntervals || isHair(curve))
            continue;
        const auto intervals = data[curve.id].intervals();
        if (hasWhiskers)
            plot.whiskers(intervals, curve.style.line);
        else
            plot.band(intervals, curve.style.line);
    }
    scene.render(painter, QRectF(QPointF(0, 0), q->size()));
    for (const ChartCurve &curve : curves) {
        if (!curve.isShown)
            continue;
        CurveData &points = data[curve.id];
        const ThinnedCurve &line = shownLine(points, plot);
        plot.lonePoints(line, curve.style, widthOf(curve), isHair(curve) ? kHairOpacity : 1.0);
        plot.breaks(line, curve.style);
        if (isHair(curve))
            continue;
        plot.offScale(line, curve.style);
        if (curve.hasMarkers) {
            for (const auto &segment : line.segments)
                plot.markers(segment, curve.style, metrics.marker + (curve.isSelected ? 1 : 0));
        } else if (const CurvePoint *last = points.lastFinite()) {
            const QPointF end[] = {{last->x, *last->y}};
            plot.markers(end, curve.style, metrics.marker + 1);
        }
    }
}

void LineChart::Private::paintNotes(QPainter &painter)
{
    offScale.clear();
    offScaleRect = {};
    std::int64_t above = 0;
    std::int64_t below = 0;
    if (!yHeld) {
        above = bulk.highest > yAxis.range.upper ? bulk.above : 0;
        below = bulk.lowest < yAxis.range.lower ? bulk.below : 0;
    }
    if (above + below > 0) {
        const QString count =
            above + below == 1 ? tr("1 value off scale") : tr("%1 values off scale").arg(countText(above + below));
        const QString extreme =
            above > 0 ? tr("up to %1").arg(y.text(bulk.highest)) : tr("down to %1").arg(y.text(bulk.lowest));
        offScale = tr("%1, %2: show all", "how many values; the extreme").arg(count, extreme);
    } else if (isFullRange) {
        offScale = tr("All values: show the bulk");
    }
    if (offScale.isEmpty())
        return;
    QFont font = metrics.notes;
    font.setUnderline(true);
    const QFontMetricsF fontMetrics(font, q);
    offScaleRect = QRectF(area.left() + 2 * metrics.gap, area.top() + metrics.gap,
                          fontMetrics.horizontalAdvance(offScale), fontMetrics.height());
    painter.fillRect(offScaleRect.adjusted(-3, -1, 3, 1), theme.base);
    painter.setFont(font);
    painter.setPen(theme.warning);
    painter.drawText(offScaleRect, Qt::AlignCenter | Qt::TextDontClip, offScale);
}

void LineChart::Private::paintCache()
{
    const qreal ratio = q->devicePixelRatioF();
    const QSize pixels = (QSizeF(q->size()) * ratio).toSize();
    if (cache.size() != pixels)
        cache = QPixmap(pixels);
    cache.setDevicePixelRatio(ratio);
    cache.fill(theme.base);
    QPainter painter(&cache);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    const PlotPainter plot = plotPainter(painter);
    plot.stages(stages);
    plot.grid();
    NoteSpace notes(area);
    for (const ChartCurve &curve : curves) {
        if (curve.isShown)
            plot.occupy(notes, shownLine(data[curve.id], plot));
    }
    plot.references(references, referenceCurve, std::move(notes));
    paintCurves(plot, painter);
    plot.leftAxis(numbers);
    plot.bottomAxis(hasBottomNumbers);
    if (top)
        plot.topAxis(*top);
    labels.clear();
    if (hasLabels) {
        const std::vector<EndLabel> list = endLabels();
        const qreal air = metrics.gap;
        labels = drawEndLabels(painter, list, QRectF(area.right(), area.top() - air, column, area.height() + 2 * air),
                               theme, metrics);
    }
    paintNotes(painter);
    isCacheValid = true;
}

void LineChart::Private::paintOverlay(QPainter &painter)
{
    const PlotPainter plot = plotPainter(painter);
    for (const ChartCurve &curve : curves) {
        if (curve.id == hovered && curve.isShown)
            plot.curve(shownLine(data[curve.id], plot), curve.style, metrics.selectedCurve);
    }
    const std::optional<double> &at = view->crossHair();
    const double share = at ? xAxis.share(*at) : -1;
    if (at && share >= 0 && share <= 1) {
        const qreal line = area.left() + share * area.width();
        painter.setPen(QPen(theme.text, metrics.hairline));
        painter.drawLine(QPointF(line, top ? area.top() - metrics.tick : area.top()), QPointF(line, area.bottom()));
        for (const ChartCurve &curve : curves) {
            const CurvePoint *point = curve.isShown ? data[curve.id].at(*at) : nullptr;
            if (!point || !point->y || isHair(curve) || !std::isfinite(yAxis.share(*point->y)))
                continue;
            SeriesStyle style = curve.style;
            style.marker = Marker::Ring;
            const QPointF position[] = {{point->x, *point->y}};
            plot.markers(position, style, metrics.marker);
        }
        if (hasBottomNumbers) {
            const QFontMetricsF font(metrics.numbers, q);
            const QString number = x.text(*at);
            const qreal width = font.horizontalAdvance(number) + 4 * metrics.gap;
            QRectF box(line - width / 2, area.bottom() + 1, width, font.height() + metrics.tick + metrics.gap / 2);
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.text);
            painter.drawRoundedRect(box, 2, 2);
            painter.setPen(theme.base);
            painter.setFont(metrics.numbers);
            painter.drawText(box, Qt::AlignCenter, number);
        }
    }
    if (drag == Drag::Zoom && isDragFar) {
        const QRectF box = QRectF(dragStart, dragNow).normalized().intersected(area);
        QColor fill = theme.accent;
        fill.setAlphaF(0.12F);
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(fill);
        painter.drawRect(box);
    }
    if (q->hasFocus()) {
        painter.setPen(QPen(theme.focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(q->rect()).adjusted(1, 1, -1, -1));
    }
}

void LineChart::paintEvent(QPaintEvent *)
{
    if (d->isDirty && !d->timer.isActive())
        d->refresh();
    if (!d->isCacheValid || d->cache.devicePixelRatio() != devicePixelRatioF())
        d->paintCache();
    QPainter painter(this);
    painter.drawPixmap(0, 0, d->cache);
    painter.setRenderHint(QPainter::Antialiasing);
    d->paintOverlay(painter);
}

} // namespace lookback::ui
