// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The scores of heads over training as a figure.
#include <algorithm>

#include "ui/charts/end_labels.h"
#include "ui/charts/nice_range.h"
#include "ui/figures/circuit_axes.h"
#include "ui/figures/circuit_figures_private.h"
#include "ui/figures/training_figure.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadMeasure;

namespace {

class TimelineFigure final : public CircuitFigure {
public:
    using CircuitFigure::CircuitFigure;

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override { return timelineCsv(m_input); }
    QString fileName() const override
    {
        return u"%1_n%2_head_timeline"_s.arg(QString::fromStdString(m_input.heads->variant))
            .arg(m_input.heads->request.n_keys);
    }
    QString title() const override { return u"Heads of %1 over training"_s.arg(name()); }

private:
    QString caption() const override
    {
        return u"Scores of heads of %1 over %2 checkpoints, n = %3, %4 sequences each. Solid: retrieval; dashed: key "
               "matching; dotted: previous token."_s.arg(name())
                   .arg(m_input.timeline->size())
                   .arg(m_input.timeline->front().request.n_keys)
                   .arg(countText(m_input.timeline->front().request.sequences));
    }
    QString command() const override { return u"lookback-cli timeline "_s % options(); }
};

void TimelineFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    PlotMetrics metrics = PlotMetrics::paper();
    const QRectF page = drawCaption(painter, size, theme);
    QPaintDevice *device = painter.device();
    const std::vector<ScoreLine> lines = scoreLines(*m_input.timeline, m_input.chosen);
    std::vector<CurvePoint> loss = lossPoints(m_input.metrics);
    std::vector<double> values;
    for (CurvePoint &point : loss) {
        point.x = stepPlace(point.x);
        if (point.y)
            values.push_back(*point.y);
    }
    double last = stepPlace(static_cast<double>(std::max<std::int64_t>(m_input.timeline->back().step, 1)));
    if (!loss.empty())
        last = std::max(last, loss.back().x);
    const SeriesShade ink{theme.text, theme.text};
    const SeriesStyle own = m_input.run.style(theme);
    const SeriesShade hue{own.line, own.label};
    std::vector<EndLabel> labels;
    for (const ScoreLine &line : lines) {
        const bool isChosen = std::ranges::find(m_input.chosen, line.id) != m_input.chosen.end();
        labels.push_back(
            {.text = scoreLabel(line), .style = scoreStyle(line.measure, isChosen ? hue : ink), .isStrong = isChosen});
    }
    const bool hasLoss = !values.empty() && page.height() > 140.0;
    const Axis lossAxis =
        hasLoss ? quantityAxis(lossRange(robustRange(values, Scale::Log10), false), 3, u"Loss (nats)"_s) : Axis();
    const Axis scores = scoreAxis(page.height() > 160.0 ? 4 : 2, u"Head score"_s);
    const qreal numbers =
        std::max(hasLoss ? numbersWidth(lossAxis, metrics, device) : 0.0, numbersWidth(scores, metrics, device));
    const QMarginsF lower = axisMargins(numbers, nullptr, true, metrics, device);
    const QMarginsF upper = axisMargins(numbers, nullptr, false, metrics, device);
    const qreal between = hasLoss ? QFontMetricsF(metrics.notes, device).height() : 0.0;
    const qreal height = page.height() - upper.top() - lower.bottom() - between;
    const qreal lossHeight = hasLoss ? 0.34 * height : 0.0;
    const qreal scoreHeight = std::max(height - lossHeight, 24.0);
    fitLabelType(labels, scoreHeight, metrics, device);
    const qreal column = endLabelsWidth(labels, 0.34 * page.width(), metrics, device);
    const QRectF lossArea(page.left() + lower.left(), page.top() + upper.top(), page.width() - lower.left() - column,
                          lossHeight);
    const QRectF area(lossArea.left(), lossArea.bottom() + between, lossArea.width(), scoreHeight);
    const Axis x = logStepAxis({0.0, last}, fittingLabels(area.width(), u"16,384,"_s, metrics.numbers, device) / 2);
    if (hasLoss) {
        const PlotPainter plot(painter, lossArea, x, lossAxis, theme, metrics);
        plot.grid();
        plot.curve(thinned(loss, x, lossAxis, plot.columns()), scoreStyle(HeadMeasure::Retrieval, hue), metrics.curve);
        plot.leftAxis(numbers);
        plot.bottomAxis(false);
    }
    const PlotPainter plot(painter, area, x, scores, theme, metrics);
    plot.grid();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        plot.curve(thinned(lines[i].points, x, scores, plot.columns()), labels[i].style,
                   labels[i].isStrong ? 1.5 * metrics.curve : metrics.curve);
        std::vector<QPointF> points;
        for (const CurvePoint &point : lines[i].points) {
            if (point.y)
                points.emplace_back(point.x, *point.y);
        }
        if (!points.empty()) {
            plot.markers(points, labels[i].style, 0.6 * metrics.marker);
            labels[i].end = plot.map(points.back().x(), points.back().y());
        }
    }
    plot.leftAxis(numbers);
    plot.bottomAxis(true);
    drawEndLabels(painter, labels, QRectF(area.right(), area.top(), column, area.height()), theme, metrics);
    painter.restore();
}

} // namespace

std::unique_ptr<Figure> makeTimelineFigure(CircuitFigureInput input)
{
    return std::make_unique<TimelineFigure>(std::move(input));
}

} // namespace lookback::ui
