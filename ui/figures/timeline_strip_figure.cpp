// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The grid of heads at the checkpoints of a run, frame by frame.
#include <algorithm>
#include <cmath>

#include "ui/charts/nice_range.h"
#include "ui/figures/circuit_axes.h"
#include "ui/figures/circuit_figures_private.h"
#include "ui/figures/training_figure.h"
#include "ui/heatmap/head_cells.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadTable;

namespace {

constexpr std::size_t kMostFrames = 24; // more of them are too small to see
constexpr qreal kFrameShape = 1.3; // height of a frame by its width, as good as it gets
constexpr qreal kBarWidth = 44.0;

/// Frames that are shown: all, or as many as there is room for, the first and the last among them.
std::vector<std::size_t> framesOf(std::size_t count)
{
    std::vector<std::size_t> places;
    const std::size_t shown = std::min(count, kMostFrames);
    for (std::size_t i = 0; i < shown; ++i)
        places.push_back(shown < 2 ? 0 : i * (count - 1) / (shown - 1));
    return places;
}

QString rightText(const HeadTable &table)
{
    return table.answers > 0 ? u"%1\u202f%"_s.arg(
               std::lround(100.0 * static_cast<double>(table.rightAnswers) / static_cast<double>(table.answers)))
                             : QString();
}

/// What strip and frames share: the cells of each checkpoint on one scale of colours, and the loss.
class Frames : public CircuitFigure {
public:
    explicit Frames(CircuitFigureInput input) : CircuitFigure(std::move(input))
    {
        if (!m_input.quantity)
            m_input.quantity = circuit::HeadMeasure::Retrieval;
        double most = 0.0;
        for (const HeadTable &table : *m_input.timeline)
            most = std::max(most, headCells(table, nullptr, m_input.quantity).maximum);
        m_maximum = most;
        m_loss = lossPoints(m_input.metrics);
        std::vector<double> values;
        for (CurvePoint &point : m_loss) {
            point.x = stepPlace(point.x);
            if (point.y)
                values.push_back(*point.y);
        }
        m_hasLoss = !values.empty();
        if (m_hasLoss)
            m_lossRange = lossRange(robustRange(values, Scale::Log10), false);
        m_last = stepPlace(static_cast<double>(std::max<std::int64_t>(m_input.timeline->back().step, 1)));
        if (!m_loss.empty())
            m_last = std::max(m_last, m_loss.back().x);
    }

    QString csv() const override { return timelineCsv(m_input); }
    QStringList provenance() const override { return CircuitFigure::provenance(); }

protected:
    HeadCells cellsOf(const HeadTable &table) const
    {
        HeadCells cells = headCells(table, nullptr, m_input.quantity);
        cells.maximum = m_maximum;
        return cells;
    }

    /// The loss over all steps, with that step marked; with axes where `hasAxes`.
    void drawLoss(QPainter &painter, const QRectF &rect, std::int64_t step, bool hasAxes, const Theme &theme) const
    {
        if (!m_hasLoss)
            return;
        const PlotMetrics metrics = PlotMetrics::paper();
        const Axis y = quantityAxis(m_lossRange, 3, u"Loss (nats)"_s);
        const qreal numbers = numbersWidth(y, metrics, painter.device());
        const QMarginsF margins =
            hasAxes ? axisMargins(numbers, nullptr, true, metrics, painter.device()) : QMarginsF(0, 1, 0, 1);
        const QRectF area = rect.marginsRemoved(margins);
        const Axis x = logStepAxis({0.0, m_last},
                                   fittingLabels(area.width(), u"16,384,"_s, metrics.numbers, painter.device()) / 2);
        const PlotPainter plot(painter, area, x, y, theme, metrics);
        if (hasAxes)
            plot.grid();
        const QPointF top = plot.map(stepPlace(static_cast<double>(step)), m_lossRange.upper);
        painter.setPen(QPen(theme.secondText, 0.5));
        painter.drawLine(QPointF(top.x(), area.top()), QPointF(top.x(), area.bottom()));
        const SeriesStyle style = m_input.run.style(theme);
        plot.curve(thinned(m_loss, x, y, plot.columns()), style, hasAxes ? metrics.curve : 0.8 * metrics.curve);
        if (const std::optional<double> loss = lossAt(step)) {
            SeriesStyle dot = style;
            dot.marker = Marker::Circle;
            const std::vector<QPointF> point{{stepPlace(static_cast<double>(step)), *loss}};
            plot.markers(point, dot, hasAxes ? metrics.marker * 1.4 : metrics.marker);
        }
        if (hasAxes) {
            plot.leftAxis(numbers);
            plot.bottomAxis(true);
        }
    }

    /// The logged loss at that step, or the nearest one before it, or the first.
    std::optional<double> lossAt(std::int64_t step) const
    {
        std::optional<double> found;
        for (const CurvePoint &point : m_loss) {
            if (point.y && (!found || point.x <= stepPlace(static_cast<double>(step)) + 1e-9))
                found = point.y;
        }
        return found;
    }

    QString measureName() const { return view(circuit::measureInfo(*m_input.quantity).title); }

    double m_maximum = 1.0; ///< Of the colours, the same in all frames.
    std::vector<CurvePoint> m_loss; ///< x: stepPlace.
    bool m_hasLoss = false;
    Range m_lossRange;
    double m_last = 1.0;
};

/// One checkpoint on a page: the loss with its marker above the grid of heads.
class FrameFigure final : public Frames {
public:
    FrameFigure(CircuitFigureInput input, std::size_t place) : Frames(std::move(input)), m_place(place) { }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override
    {
        painter.save();
        const HeadTable &table = (*m_input.timeline)[m_place];
        const QRectF page = drawCaption(painter, size, theme);
        const PlotMetrics metrics = PlotMetrics::paper();
        const qreal line = 1.4 * QFontMetricsF(metrics.titles, painter.device()).height();
        painter.setFont(metrics.titles);
        painter.setPen(theme.text);
        painter.drawText(QRectF(page.left(), page.top(), page.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                         u"Step %1, %2 of answers right"_s.arg(countText(table.step), rightText(table)));
        const qreal loss = m_hasLoss ? 0.32 * page.height() : 0.0;
        drawLoss(painter, QRectF(page.left(), page.top() + line, page.width() - 6.0, loss), table.step, true, theme);
        const HeadCells cells = cellsOf(table);
        const QFont font = figureFont(8);
        const HeadCellPlaces places =
            placesOf(cells, page.adjusted(0, line + loss + (m_hasLoss ? kPad : 0.0), 0, 0), font, painter.device());
        drawHeadCells(painter, cells, places, font, 0.5, theme);
        painter.restore();
    }
    QString fileName() const override { return baseName() % u"_frame"_s; }
    QString title() const override { return u"%1 at a step, %2"_s.arg(measureName(), name()); }

private:
    QString caption() const override
    {
        return u"%1 of every head of %2, n = %3, %4 sequences; the same colours at every step."_s
            .arg(measureName(), name())
            .arg(m_input.heads->request.n_keys)
            .arg(countText(m_input.heads->request.sequences));
    }
    QString command() const override { return u"lookback-cli timeline "_s % options(); }

    std::size_t m_place;
};

class StripFigure final : public Frames {
public:
    using Frames::Frames;

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString fileName() const override
    {
        return u"%1_n%2_%3_frames"_s.arg(QString::fromStdString(m_input.heads->variant))
            .arg(m_input.heads->request.n_keys)
            .arg(view(circuit::measureInfo(*m_input.quantity).id));
    }
    QString title() const override { return u"%1 over training, %2"_s.arg(measureName(), name()); }
    std::size_t frames() const override { return m_input.timeline->size(); }
    std::unique_ptr<Figure> frame(std::size_t place) const override
    {
        return std::make_unique<FrameFigure>(m_input, place);
    }

private:
    void drawFrame(QPainter &painter, const QRectF &rect, const HeadTable &table, const Theme &theme) const;
    QString caption() const override
    {
        const std::size_t all = m_input.timeline->size();
        const QString which =
            all > kMostFrames ? u"%1 of %2 checkpoints"_s.arg(kMostFrames).arg(all) : u"%1 checkpoints"_s.arg(all);
        return u"%1 of every head of %2 at %3 (rows: layers, columns: heads), n = %4, %5 sequences each; percentage: "
               "answers right; grey: nothing to measure.%6"_s.arg(measureName(), name(), which)
                   .arg(m_input.heads->request.n_keys)
                   .arg(countText(m_input.heads->request.sequences))
                   .arg(m_hasLoss ? u" Above each grid the loss, both axes logarithmic, with the step marked."_s
                                  : QString());
    }
    QString command() const override
    {
        return u"lookback-cli figure timeline %1 --frames strip --measure %2"_s.arg(
            options(), view(circuit::measureInfo(*m_input.quantity).id));
    }
};

void StripFigure::drawFrame(QPainter &painter, const QRectF &rect, const HeadTable &table, const Theme &theme) const
{
    const PlotMetrics metrics = PlotMetrics::paper();
    const QFontMetricsF type(metrics.labels, painter.device());
    const qreal line = 1.2 * type.height();
    const QString right = rightText(table);
    QString step = u"step %1"_s.arg(countText(table.step));
    const bool hasRight = type.horizontalAdvance(countText(table.step) + u"  "_s + right) <= rect.width();
    if (type.horizontalAdvance(hasRight ? step + u"  "_s + right : step) > rect.width())
        step = countText(table.step);
    painter.setFont(metrics.labels);
    painter.setPen(theme.text);
    const QRectF words(rect.left(), rect.top(), rect.width(), line);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, step);
    if (hasRight) {
        painter.setPen(theme.secondText);
        painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, right);
    }
    const qreal loss = m_hasLoss ? 0.24 * (rect.height() - line) : 0.0;
    drawLoss(painter, QRectF(rect.left(), rect.top() + line, rect.width(), loss), table.step, false, theme);

    const HeadCells cells = cellsOf(table);
    const auto layers = static_cast<qreal>(cells.layers.size());
    const auto heads = static_cast<qreal>(cells.heads);
    const QRectF grid = rect.adjusted(0, line + loss + 2.0, 0, 0);
    const qreal width = grid.width() / std::max(heads, 1.0);
    const qreal height = std::min(grid.height() / std::max(layers, 1.0), 1.5 * width);
    const bool wasSmooth = painter.renderHints().testFlag(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t layer = 0; layer < cells.layers.size(); ++layer) {
        for (std::int64_t head = 0; head < cells.heads; ++head) {
            const HeadCell *cell = cells.at({static_cast<std::int64_t>(layer), head});
            const QRectF box(grid.left() + width * static_cast<qreal>(head),
                             grid.top() + height * static_cast<qreal>(layer), width - 0.5, height - 0.5);
            painter.fillRect(box, cell && cell->value ? headColour(cells, *cell->value, theme.isDark) : theme.mask);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, wasSmooth);
}

void StripFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    const QRectF page = drawCaption(painter, size, theme);
    const std::vector<std::size_t> shown = framesOf(m_input.timeline->size());
    const QRectF area = page.adjusted(0, 0, -kBarWidth, 0);
    // The number of columns at which frames come nearest to their best shape without wasting room.
    std::size_t columns = 1;
    qreal best = 0.0;
    for (std::size_t tried = 1; tried <= shown.size(); ++tried) {
        const auto rows = static_cast<qreal>((shown.size() + tried - 1) / tried);
        const qreal fitting = std::min(area.width() / static_cast<qreal>(tried), area.height() / rows / kFrameShape);
        if (fitting > best) {
            best = fitting;
            columns = tried;
        }
    }
    const std::size_t rows = (shown.size() + columns - 1) / columns;
    const QSizeF frame(area.width() / static_cast<qreal>(columns), area.height() / static_cast<qreal>(rows));
    const qreal gap = std::min(8.0, 0.08 * frame.width());
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const QRectF rect(area.left() + frame.width() * static_cast<qreal>(i % columns),
                          area.top() + frame.height() * static_cast<qreal>(i / columns), frame.width(), frame.height());
        drawFrame(painter, rect.adjusted(0, 0, -gap, -gap), (*m_input.timeline)[shown[i]], theme);
    }
    const HeadCells cells = cellsOf(m_input.timeline->front());
    const QRectF bar(area.right() + 4.0, page.top() + 10.0, 8.0, std::min(page.height() - 20.0, 120.0));
    drawHeadBar(painter, cells, bar, figureFont(7), 0.5, theme);
    painter.restore();
}

} // namespace

std::unique_ptr<Figure> makeTimelineStripFigure(CircuitFigureInput input)
{
    return std::make_unique<StripFigure>(std::move(input));
}

} // namespace lookback::ui
