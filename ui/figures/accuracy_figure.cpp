// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/accuracy_figure.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/end_labels.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

class AccuracyFigure final : public Figure {
public:
    explicit AccuracyFigure(AccuracyFigureInput input) : m_input(std::move(input))
    {
        for (const AccuracyFigureCurve &curve : m_input.curves)
            m_runs.push_back(curve.run);
        m_names = labelNames(m_runs);
        for (std::size_t i = 0; i < m_input.curves.size(); ++i) {
            if (const QString &note = m_input.curves[i].note; !note.isEmpty())
                m_names[qsizetype(i)] += u", "_s + note;
            if (!m_runs[i].isHair())
                m_named.push_back(i);
            m_hasBands |= m_runs[i].isSeedBand;
        }
    }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override;
    QString fileName() const override
    {
        return m_input.isErrorRate ? u"error_rate_vs_context"_s : u"accuracy_vs_context"_s;
    }
    QString title() const override
    {
        return m_input.isErrorRate ? u"Wrong answers by context length"_s : u"Exact match by context length"_s;
    }
    QStringList provenance() const override
    {
        return QStringList(accuracyCaption(m_input.curves, m_input.isErrorRate, m_input.hasIntervals))
            + provenanceLines(m_runs);
    }

private:
    std::vector<EndLabel> labels(const Theme &theme) const;
    void applyView(AccuracyAxes &axes, const QRectF &area, QPaintDevice *device, const PlotMetrics &metrics) const;
    void drawCurves(const PlotPainter &plot, const AccuracyAxes &axes, const Theme &theme,
                    const PlotMetrics &metrics) const;

    AccuracyFigureInput m_input;
    std::vector<FigureRun> m_runs;
    QStringList m_names;
    bool m_hasBands = false; ///< Some curves are medians of seeds.
    std::vector<std::size_t> m_named; ///< Curves that have a label: all but hair lines.
};

std::vector<EndLabel> AccuracyFigure::labels(const Theme &theme) const
{
    std::vector<EndLabel> labels;
    for (const std::size_t i : m_named) {
        EndLabel label;
        label.text = m_names[qsizetype(i)];
        if (m_runs[i].isPublished) // dotted and hollow says it too
            label.brief = QString::fromStdString(m_runs[i].record.config.variant);
        label.style = m_runs[i].style(theme);
        labels.push_back(std::move(label));
    }
    return labels;
}

void AccuracyFigure::applyView(AccuracyAxes &axes, const QRectF &area, QPaintDevice *device,
                               const PlotMetrics &metrics) const
{
    if (m_input.tokens) {
        std::vector<std::int64_t> n_keys;
        for (const Tick &tick : axes.keys.ticks)
            n_keys.push_back(std::llround(tick.value / double(axes.tokensPerKey)));
        axes.tokens = contextAxis(*m_input.tokens, fittingLabels(area.width(), u"1,024"_s, metrics.numbers, device));
        axes.keys = keysAxis(*m_input.tokens, n_keys, axes.tokensPerKey,
                             fittingLabels(area.width(), u"256"_s, metrics.numbers, device));
    }
    if (m_input.share && m_input.isErrorRate)
        axes.share = errorRateAxis(*m_input.share, axes.share.title);
    else if (m_input.share)
        axes.share = shareAxis(*m_input.share, 5, axes.share.title, false);
}

void AccuracyFigure::drawCurves(const PlotPainter &plot, const AccuracyAxes &axes, const Theme &theme,
                                const PlotMetrics &metrics) const
{
    if (m_input.hasIntervals) {
        for (const AccuracyFigureCurve &curve : m_input.curves) {
            if (curve.run.isPublished || curve.run.isHair()) // published: one run each, and no interval
                continue;
            const auto intervals = shareIntervals(curve.curve, m_input.isErrorRate);
            // On the log axis the bands of errorless points would cover everything below them.
            if (m_input.isErrorRate)
                plot.whiskers(intervals, curve.run.style(theme).line);
            else
                plot.band(intervals, curve.run.style(theme).line);
        }
    }
    // Published curves first, then the seeds of bands, so that own ones lie above.
    const auto turnOf = [](const FigureRun &run) { return run.isPublished ? 0 : run.isHair() ? 1 : 2; };
    for (const int turn : {0, 1, 2}) {
        for (const AccuracyFigureCurve &curve : m_input.curves) {
            if (turnOf(curve.run) != turn)
                continue;
            const SeriesStyle style = curve.run.style(theme);
            const auto points = sharePoints(curve.curve, m_input.isErrorRate);
            const ThinnedCurve line = thinned(points, axes.tokens, axes.share, plot.columns());
            if (curve.run.isHair()) {
                plot.curve(line, style, metrics.hairline, kHairOpacity);
                continue;
            }
            plot.curve(line, style, metrics.curve);
            for (const auto &segment : line.segments)
                plot.markers(segment, style, metrics.marker);
            plot.offScale(line, style);
        }
    }
}

void AccuracyFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    PlotMetrics metrics = PlotMetrics::paper();
    QPaintDevice *device = painter.device();
    const QFontMetricsF notes(metrics.notes, device);
    constexpr qreal pad = 3.0;
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(pad, pad, -pad, -pad);
    const bool isErrorRate = m_input.isErrorRate;
    const bool isSmall = page.width() < kSmallPage;

    const QString note = accuracyCaption(m_input.curves, isErrorRate, m_input.hasIntervals);
    const QRectF noteSpace = notes.boundingRect(QRectF(0, 0, page.width(), 1000), Qt::TextWordWrap, note);
    const qreal noteHeight = size.height() >= 200 ? noteSpace.height() + metrics.gap : 0;

    std::vector<EndLabel> names = labels(theme);
    AccuracyAxes axes = accuracyAxes(m_input.curves, isErrorRate, 6, 8, 5, false);
    const qreal numbers = numbersWidth(axes.share, metrics, device);
    const QMarginsF margins = axisMargins(numbers, &axes.keys, true, metrics, device);
    const qreal fullHeight = page.height() - margins.top() - margins.bottom() - noteHeight;

    const bool hasLegend = m_input.hasLabels && !fitLabelType(names, fullHeight + notes.height(), metrics, device);
    const qreal legend =
        hasLegend ? legendHeight(names, QSizeF(page.width(), 0.42 * page.height()), metrics, device) + metrics.gap : 0;
    const qreal column = hasLegend || !m_input.hasLabels
        ? QFontMetricsF(metrics.numbers, device).horizontalAdvance(u"10,000"_s) / 2
        : endLabelsWidth(names, page.width() * (isSmall ? 0.42 : 0.4), metrics, device);
    const QRectF area(page.left() + margins.left(), page.top() + margins.top(), page.width() - margins.left() - column,
                      std::max(fullHeight - legend, 20.0));

    const int shares = std::clamp(int(area.height() / 20), 1, 5);
    axes = accuracyAxes(m_input.curves, isErrorRate, fittingLabels(area.width(), u"1,024"_s, metrics.numbers, device),
                        fittingLabels(area.width(), u"256"_s, metrics.numbers, device), shares, false);
    applyView(axes, area, device, metrics);
    const PlotPainter plot(painter, area, axes.tokens, axes.share, theme, metrics);
    plot.grid();
    std::vector<ReferenceLine> references = trainedLines(m_input.curves);
    references.push_back(chanceLine(m_input.curves, isErrorRate));
    if (isSmall)
        references.back().text.clear();
    NoteSpace space(area);
    for (const AccuracyFigureCurve &curve : m_input.curves)
        plot.occupy(space, thinned(sharePoints(curve.curve, isErrorRate), axes.tokens, axes.share, plot.columns()));
    plot.references(references,
                    {anyValueCurve(m_input.curves, isErrorRate),
                     isSmall ? (isErrorRate ? QString() : u"1/n"_s) : u"1/n: any value"_s},
                    std::move(space));
    drawCurves(plot, axes, theme, metrics);
    plot.bottomAxis(true);
    plot.topAxis(axes.keys);
    plot.leftAxis(numbers);

    if (hasLegend) {
        drawLegend(painter, names,
                   QRectF(page.left(), area.bottom() + margins.bottom() + metrics.gap, page.width(), legend), theme,
                   metrics);
    } else if (m_input.hasLabels) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto points = sharePoints(m_input.curves[m_named[i]].curve, isErrorRate);
            QPointF end = points.empty() ? area.bottomRight() : plot.map(points.back().x, *points.back().y);
            end.setX(std::isfinite(end.x()) ? std::clamp(end.x(), area.left(), area.right()) : area.right());
            end.setY(std::isfinite(end.y()) ? std::clamp(end.y(), area.top(), area.bottom()) : area.bottom());
            names[i].end = end;
        }
        // Labels may use the axes' height too: more room where many curves end at 0 %.
        drawEndLabels(painter, names,
                      QRectF(area.right(), area.top() - notes.height() / 2, column, area.height() + notes.height()),
                      theme, metrics);
    }
    if (noteHeight > 0) {
        painter.setFont(metrics.notes);
        painter.setPen(theme.secondText);
        painter.drawText(QRectF(page.left(), page.bottom() - noteSpace.height(), page.width(), noteSpace.height()),
                         Qt::TextWordWrap | Qt::TextDontClip, note);
    }
}

QString AccuracyFigure::csv() const
{
    QString text = u"run,label,variant,seed,published,step,total_steps,trained_tokens,evaluation_seed,n_keys,"
                   "context_tokens,sequences,answers,exact,accuracy,low_95,high_95,digits_right,mean_loss"_s;
    text += m_hasBands ? u",seed_low,seed_high\r\n"_s : u"\r\n"_s;
    for (std::size_t i = 0; i < m_input.curves.size(); ++i) {
        const AccuracyFigureCurve &curve = m_input.curves[i];
        const bool isBand = curve.run.isSeedBand;
        // What a published table does not tell stays empty, and what a median of seeds does not have.
        const auto own = [&curve](auto value) { return curve.run.isPublished ? QString() : QString::number(value); };
        const auto ofRun = [&curve](const QString &value) { return curve.run.isSeedBand ? QString() : value; };
        const QString head = QStringList{csvField(curve.run.id),
                                         csvField(m_names[qsizetype(i)]),
                                         csvField(QString::fromStdString(curve.curve.variant)),
                                         ofRun(own(curve.run.record.config.seed)),
                                         curve.run.isPublished ? u"yes"_s : u"no"_s,
                                         QString::number(curve.curve.step),
                                         QString::number(curve.curve.totalSteps),
                                         QString::number(curve.curve.trainedTokens),
                                         own(curve.curve.evaluationSeed)}
                                 .join(u',');
        for (const eval::AccuracyPoint &point : curve.curve.points) {
            QStringList fields{head,
                               QString::number(point.n_keys),
                               QString::number(point.contextTokens),
                               QString::number(point.sequences),
                               ofRun(QString::number(point.answers)),
                               ofRun(QString::number(point.exact)),
                               csvNumber(point.accuracy),
                               ofRun(csvNumber(point.low)),
                               ofRun(csvNumber(point.high)),
                               ofRun(own(point.digitsRight)),
                               curve.run.isPublished ? QString() : ofRun(csvNumber(point.meanLoss))};
            if (m_hasBands) {
                fields << (isBand ? csvNumber(point.low) : QString()) << (isBand ? csvNumber(point.high) : QString());
            }
            text += fields.join(u',') + u"\r\n"_s;
        }
    }
    return text;
}

} // namespace

std::unique_ptr<Figure> makeAccuracyFigure(AccuracyFigureInput input)
{
    return std::make_unique<AccuracyFigure>(std::move(input));
}

} // namespace lookback::ui
