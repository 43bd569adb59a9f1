// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/training_figure.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/end_labels.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/charts/smoothing.h"
#include "ui/figures/training_lines.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// One quantity of all runs.
struct Panel {
    Axis axis;
    std::vector<std::vector<CurvePoint>> points; ///< One of each line.
    std::vector<std::vector<IntervalPoint>> ranges; ///< Of bands; else empty.
    std::vector<QString> values; ///< Newest value of each, as text.
    ReferenceLine chance;
};

/// The last finite value of a curve, or nothing.
std::optional<QPointF> lastFinite(const std::vector<CurvePoint> &points)
{
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
        if (point->y && std::isfinite(*point->y))
            return QPointF(point->x, *point->y);
    }
    return std::nullopt;
}

class TrainingFigure final : public Figure {
public:
    explicit TrainingFigure(TrainingFigureInput input) : m_input(std::move(input))
    {
        for (const TrainingFigureRun &run : m_input.runs)
            m_runs.push_back(run.run);
        m_lines = trainingLines(m_input.runs, m_input.hasSeedBands);
        std::vector<FigureRun> named;
        for (const TrainingLine &line : m_lines)
            named.push_back(line.run);
        m_names = labelNames(named);
    }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override { return trainingCsv(m_input.runs, m_lines); }
    QString fileName() const override { return u"training"_s; }
    QString title() const override
    {
        return m_runs.size() == 1 ? u"Training of %1"_s.arg(m_runs[0].title)
                                  : u"Training of %1 runs"_s.arg(m_runs.size());
    }
    QStringList provenance() const override { return QStringList(caption()) + provenanceLines(m_runs); }

private:
    void addPoints(Panel &panel, LoggedPoints points) const;
    Axis steps(int most) const;
    Panel lossPanel(int most) const;
    Panel accuracyPanel(int most) const;
    std::vector<EndLabel> labels(const Panel &panel, const Theme &theme) const;
    void drawPanel(QPainter &painter, const QRectF &area, const Axis &x, const Panel &panel, const Theme &theme,
                   const PlotMetrics &metrics) const;
    QString caption() const;
    const TrainingFigureRun *stagesRun() const;

    TrainingFigureInput m_input;
    std::vector<FigureRun> m_runs;
    std::vector<TrainingLine> m_lines;
    QStringList m_names; ///< Of each line.
};

void TrainingFigure::addPoints(Panel &panel, LoggedPoints points) const
{
    for (const TrainingLine &line : m_lines) {
        SeedCurve curve = line.curve(m_input.runs, points);
        panel.points.push_back(std::move(curve.medians));
        panel.ranges.push_back(std::move(curve.range));
    }
}

const TrainingFigureRun *TrainingFigure::stagesRun() const
{
    for (const TrainingFigureRun &run : m_input.runs) {
        if (run.run.id == m_input.stagesOf)
            return &run;
    }
    return m_input.runs.empty() ? nullptr : &m_input.runs.front();
}

Axis TrainingFigure::steps(int most) const
{
    double last = 1;
    for (const TrainingFigureRun &run : m_input.runs) {
        if (!run.metrics.empty())
            last = std::max(last, double(run.metrics.back().step));
    }
    return stepAxis(m_input.steps.value_or(stepRange(last, m_input.stepScale)), m_input.stepScale, most);
}

Panel TrainingFigure::lossPanel(int most) const
{
    Panel panel;
    std::vector<double> values;
    addPoints(panel, lossPoints);
    for (const std::vector<CurvePoint> &points : panel.points) {
        for (const CurvePoint &point : points) {
            if (point.y)
                values.push_back(*point.y);
        }
        const auto last = lastFinite(points);
        panel.values.push_back(last ? u"%1 nats"_s.arg(quantityText(last->y())) : QString());
    }
    const RobustRange bulk = robustRange(values, Scale::Log10);
    const Range range = m_input.loss.value_or(lossRange(bulk, m_input.hasFullRange));
    panel.axis = quantityAxis(range, most, u"Cross-entropy (nats per digit)"_s);
    panel.axis.brief = u"Loss (nats)"_s;
    panel.chance = {Qt::Horizontal, kChanceLoss, u"chance %1"_s.arg(quantityText(kChanceLoss)), {}};
    return panel;
}

Panel TrainingFigure::accuracyPanel(int most) const
{
    Panel panel;
    addPoints(panel, accuracyPoints);
    for (const std::vector<CurvePoint> &points : panel.points) {
        const auto last = lastFinite(points);
        panel.values.push_back(last ? percentText(last->y()) : QString());
    }
    panel.axis = shareAxis(m_input.accuracy.value_or(kShareRange), most, u"Per-digit accuracy (%)"_s, false);
    panel.axis.brief = u"Accuracy (%)"_s;
    panel.chance = {Qt::Horizontal, kChanceDigit, u"chance 10 %"_s, {}};
    return panel;
}

std::vector<EndLabel> TrainingFigure::labels(const Panel &panel, const Theme &theme) const
{
    std::vector<EndLabel> labels;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (m_lines[i].run.isHair())
            continue;
        EndLabel label;
        label.text = m_names[qsizetype(i)];
        label.value = panel.values[i];
        label.style = m_lines[i].run.style(theme);
        labels.push_back(label);
    }
    return labels;
}

void TrainingFigure::drawPanel(QPainter &painter, const QRectF &area, const Axis &x, const Panel &panel,
                               const Theme &theme, const PlotMetrics &metrics) const
{
    const PlotPainter plot(painter, area, x, panel.axis, theme, metrics);
    if (const TrainingFigureRun *run = stagesRun()) {
        std::vector<Stage> stages = curriculumStages(run->run.record.config, run->metrics);
        if (panel.axis.scale == Scale::Linear) { // named once, above the loss
            for (Stage &stage : stages)
                stage.text.clear();
        }
        plot.stages(stages);
    }
    plot.grid();
    std::vector<ThinnedCurve> lines;
    NoteSpace notes(area);
    for (const std::vector<CurvePoint> &points : panel.points) {
        lines.push_back(thinned(points, x, panel.axis, plot.columns()));
        plot.occupy(notes, lines.back());
    }
    plot.references({&panel.chance, 1}, {}, std::move(notes));
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (!panel.ranges[i].empty())
            plot.band(panel.ranges[i], m_lines[i].run.style(theme).line);
    }
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const SeriesStyle style = m_lines[i].run.style(theme);
        const ThinnedCurve &raw = lines[i];
        const bool isHair = m_lines[i].run.isHair();
        const qreal width = isHair ? metrics.hairline : metrics.curve;
        const qreal opacity = isHair ? kHairOpacity : 1.0;
        if (m_input.smoothing > 0) {
            const auto smooth = smoothed(panel.points[i], m_input.smoothing);
            if (!isHair) // raw values behind hair lines would be fog
                plot.curve(raw, style, width, 0.25);
            plot.curve(thinned(smooth, x, panel.axis, plot.columns()), style, width, opacity);
        } else {
            plot.curve(raw, style, width, opacity);
        }
        plot.breaks(raw, style);
        if (isHair)
            continue;
        plot.offScale(raw, style);
        if (const auto last = lastFinite(panel.points[i])) {
            const QPointF end[] = {*last};
            plot.markers(end, style, metrics.marker);
        }
    }
}

void TrainingFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    PlotMetrics metrics = PlotMetrics::paper();
    QPaintDevice *device = painter.device();
    const QFontMetricsF notes(metrics.notes, device);
    constexpr qreal pad = 3.0;
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(pad, pad, -pad, -pad);

    const int rows = std::clamp(int(page.height() / 2 / 26), 2, 6);
    const Panel loss = lossPanel(rows);
    const Panel accuracy = accuracyPanel(rows);
    const Axis roughSteps = steps(5);

    const QString note = caption();
    const QRectF noteSpace = notes.boundingRect(QRectF(0, 0, page.width(), 1000), Qt::TextWordWrap, note);
    const qreal noteHeight = size.height() >= 200 ? noteSpace.height() + metrics.gap : 0;

    std::vector<EndLabel> lossLabels = labels(loss, theme);
    std::vector<EndLabel> accuracyLabels = labels(accuracy, theme);

    const qreal numbers =
        std::max(numbersWidth(loss.axis, metrics, device), numbersWidth(accuracy.axis, metrics, device));
    const QMarginsF upper = axisMargins(numbers, nullptr, false, metrics, device);
    const QMarginsF lower = axisMargins(numbers, nullptr, true, metrics, device);
    const qreal between = notes.height();
    const auto panelHeight = [&](qreal legend) {
        return (page.height() - noteHeight - legend - upper.top() - between - lower.bottom()) / 2;
    };
    // Direct labels if all names fit beside each panel; else a legend below that names every run.
    const bool hasLegend = !fitLabelType(lossLabels, panelHeight(0), metrics, device);
    const qreal legend = hasLegend
        ? legendHeight(lossLabels, QSizeF(page.width(), 0.42 * page.height()), metrics, device) + metrics.gap
        : 0;
    const qreal share = page.width() < kSmallPage ? 0.42 : 0.32;
    const qreal column = hasLegend ? QFontMetricsF(metrics.numbers, device).horizontalAdvance(u"100,000"_s) / 2
                                   : std::max(endLabelsWidth(lossLabels, page.width() * share, metrics, device),
                                              endLabelsWidth(accuracyLabels, page.width() * share, metrics, device));
    const qreal height = std::max(panelHeight(legend), 20.0);
    const QRectF lossArea(page.left() + lower.left(), page.top() + upper.top(), page.width() - lower.left() - column,
                          height);
    const QRectF accuracyArea = lossArea.translated(0, height + between);

    const Axis x = steps(fittingLabels(
        lossArea.width(), roughSteps.ticks.empty() ? u"0"_s : roughSteps.ticks.back().label, metrics.numbers, device));
    drawPanel(painter, lossArea, x, loss, theme, metrics);
    drawPanel(painter, accuracyArea, x, accuracy, theme, metrics);

    for (const auto &[panel, area, list] :
         {std::tuple(&loss, lossArea, &lossLabels), std::tuple(&accuracy, accuracyArea, &accuracyLabels)}) {
        const PlotPainter plot(painter, area, x, panel->axis, theme, metrics);
        plot.leftAxis(numbers);
        plot.bottomAxis(area == accuracyArea);
        if (hasLegend)
            continue;
        std::vector<EndLabel> shown;
        std::size_t next = 0;
        for (std::size_t i = 0; i < m_lines.size(); ++i) {
            if (m_lines[i].run.isHair())
                continue;
            // A run whose last value lies outside a zoomed view still has its name, at the edge.
            const QPointF last = lastFinite(panel->points[i]).value_or(QPointF(x.range.upper, panel->axis.range.lower));
            QPointF end = plot.map(last.x(), last.y());
            end.setX(std::clamp(end.x(), area.left(), area.right()));
            end.setY(std::isfinite(end.y()) ? std::clamp(end.y(), area.top(), area.bottom()) : area.bottom());
            shown.push_back((*list)[next++]);
            shown.back().end = end;
        }
        const QRectF labelColumn(area.right(), area.top(), column, area.height());
        drawEndLabels(painter, shown, labelColumn, theme, metrics);
    }
    const qreal legendTop = accuracyArea.bottom() + lower.bottom() + metrics.gap;
    if (hasLegend)
        drawLegend(painter, lossLabels, QRectF(page.left(), legendTop, page.width(), legend), theme, metrics);
    if (noteHeight > 0) {
        painter.setFont(metrics.notes);
        painter.setPen(theme.secondText);
        painter.drawText(QRectF(page.left(), page.bottom() - noteSpace.height(), page.width(), noteSpace.height()),
                         Qt::TextWordWrap | Qt::TextDontClip, note);
    }
}

QString TrainingFigure::caption() const
{
    QStringList sentences{u"Values of the training batch at each logged step."_s};
    if (const TrainingFigureRun *run = stagesRun(); run && !run->run.record.config.curriculum.empty()) {
        const QString who = m_runs.size() > 1 ? u" of %1"_s.arg(run->run.title) : QString();
        sentences << u"Shaded: curriculum%1, n unique keys."_s.arg(who);
    }
    if (std::ranges::any_of(m_lines, [](const TrainingLine &line) { return line.run.isSeedBand; }))
        sentences << u"Several seeds: their median, a band from the lowest to the highest, each seed as a hair line."_s;
    QStringList learned;
    for (const TrainingLine &line : m_lines) {
        if (!line.learned.isEmpty())
            learned << line.learned;
    }
    if (!learned.isEmpty())
        sentences << learned.join(u", "_s) + u'.' << learnedRule(true);
    if (m_input.smoothing > 0)
        sentences << u"Smoothed %1, raw values behind at 25 %."_s.arg(m_input.smoothing);
    std::vector<double> all;
    for (const TrainingFigureRun &run : m_input.runs) {
        const auto points = lossPoints(run.metrics);
        QStringList gaps;
        for (const CurveBreak &gap : breaksOf(points, Scale::Log10))
            gaps << breakText(gap);
        if (const qsizetype more = gaps.size() - 3; more > 0)
            gaps = gaps.mid(0, 3) << u"and %1 more gaps"_s.arg(more);
        if (!gaps.isEmpty())
            sentences << u"%1: loss %2."_s.arg(run.run.title, gaps.join(u", "_s));
        for (const CurvePoint &point : points) {
            if (point.y)
                all.push_back(*point.y);
        }
    }
    const RobustRange bulk = robustRange(all, Scale::Log10);
    if (!m_input.hasFullRange && !m_input.loss && bulk.above + bulk.below > 0) {
        const std::int64_t count = bulk.above + bulk.below;
        sentences << u"%1 off scale (all values: %2 to %3)."_s.arg(
            count == 1 ? u"1 loss value is"_s : u"%1 loss values are"_s.arg(countText(count)),
            quantityText(bulk.lowest), quantityText(bulk.highest));
    }
    return sentences.join(u' ');
}

} // namespace

std::unique_ptr<Figure> makeTrainingFigure(TrainingFigureInput input)
{
    return std::make_unique<TrainingFigure>(std::move(input));
}

} // namespace lookback::ui
