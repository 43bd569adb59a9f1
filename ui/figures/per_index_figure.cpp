// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/per_index_figure.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <system_error>

#include "core/run/file.h"
#include "core/run/kvbench.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/labelled_plot.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using eval::IndexLoss;

namespace {

constexpr double kGuess = std::numbers::ln10; // nats of a digit that nobody can know
constexpr std::size_t kMostBands = 3; // more of them hide each other
constexpr std::int64_t kPublishedSequences = 768; // behind each number of an eval.json
constexpr qreal kLowest = 150.0; // lower areas hold one plot
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

class PerIndexFigure final : public Figure {
public:
    explicit PerIndexFigure(PerIndexFigureInput input) : m_input(std::move(input))
    {
        for (const PerIndexFigureCurve &curve : m_input.curves) { // measured and recorded curves of a run are one run
            if (std::ranges::find(m_runs, curve.run.id, &FigureRun::id) == m_runs.end())
                m_runs.push_back(curve.run);
        }
        const QStringList names = labelNames(m_runs);
        for (const PerIndexFigureCurve &curve : m_input.curves) {
            QString name = names[std::ranges::find(m_runs, curve.run.id, &FigureRun::id) - m_runs.begin()];
            if (curve.isRecorded)
                name += u", recorded"_s;
            else if (curve.table.step < curve.run.record.config.steps)
                name += u", step %1"_s.arg(countText(curve.table.step));
            m_names << name;
        }
    }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override;
    QString fileName() const override { return u"loss_by_entry_n%1"_s.arg(keys()); }
    QString title() const override { return u"Loss by entry"_s; }
    QStringList provenance() const override
    {
        QStringList lines{caption()};
        lines += provenanceLines(m_runs);
        QStringList ids;
        for (const PerIndexFigureCurve &curve : m_input.curves) {
            if (!curve.isRecorded)
                ids << curve.run.id;
        }
        return lines << u"lookback-cli figure per-index %1 --n %2 --sequences %3"_s.arg(ids.join(u' '))
                            .arg(keys())
                            .arg(sequences());
    }

private:
    std::int64_t keys() const { return m_input.curves.front().table.request.n_keys; }
    std::int64_t sequences() const
    {
        const auto own = std::ranges::find(m_input.curves, false, &PerIndexFigureCurve::isRecorded);
        return (own != m_input.curves.end() ? *own : m_input.curves.front()).table.request.sequences;
    }
    bool hasBands() const { return m_input.curves.size() <= kMostBands; }
    bool hasRecorded() const
    {
        return std::ranges::find(m_input.curves, true, &PerIndexFigureCurve::isRecorded) != m_input.curves.end();
    }
    SeriesStyle styleOf(const PerIndexFigureCurve &curve, const Theme &theme) const
    {
        return curve.isRecorded ? theme.publishedStyle(curve.run.family, curve.run.logits) : curve.run.style(theme);
    }
    LabelledCurve curveOf(std::size_t place, const std::vector<IndexLoss> &losses, const Theme &theme) const;
    QString caption() const;
    LabelledPlot upper(const Theme &theme, bool isAlone) const;
    LabelledPlot lower(const Theme &theme) const;

    PerIndexFigureInput m_input;
    std::vector<FigureRun> m_runs;
    QStringList m_names;
};

QString PerIndexFigure::caption() const
{
    QString text =
        u"Cross-entropy of a value digit by the index of its entry, n = %1, %2 evaluation sequences. Above all "
        "entries, as published, with first occurrences, which cannot be known, as hair lines; below second "
        "occurrences on a logarithmic axis."_s.arg(keys())
            .arg(countText(sequences()));
    if (hasBands())
        text += u" Bands: two standard errors either way."_s;
    if (hasRecorded())
        text += u" Dotted: as a kvbench folder recorded it, over all entries."_s;
    return text;
}

LabelledCurve PerIndexFigure::curveOf(std::size_t place, const std::vector<IndexLoss> &losses, const Theme &theme) const
{
    const PerIndexFigureCurve &curve = m_input.curves[place];
    LabelledCurve drawn{.text = m_names[qsizetype(place)], .style = styleOf(curve, theme)};
    drawn.isBand = true;
    drawn.hasMarkers = false;
    drawn.isStrong = curve.run.isSelected;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const IndexLoss &loss = losses[i];
        const auto index = static_cast<double>(i);
        if (!(loss.entries > 0))
            continue;
        drawn.points.push_back({index, loss.mean});
        if (hasBands() && std::isfinite(loss.standardError))
            drawn.intervals.push_back(
                {index, loss.mean - 2.0 * loss.standardError, loss.mean + 2.0 * loss.standardError});
    }
    return drawn;
}

LabelledPlot PerIndexFigure::upper(const Theme &theme, bool isAlone) const
{
    LabelledPlot plot;
    double highest = kGuess;
    for (std::size_t i = 0; i < m_input.curves.size(); ++i) {
        LabelledCurve hair = curveOf(i, m_input.curves[i].table.first, theme);
        hair.intervals.clear();
        hair.isHair = true;
        hair.hasName = false;
        plot.curves.push_back(std::move(hair));
    }
    for (std::size_t i = 0; i < m_input.curves.size(); ++i) {
        LabelledCurve curve = curveOf(i, m_input.curves[i].table.all, theme);
        // The plot below names the others.
        curve.hasName = isAlone || m_input.curves[i].table.second.empty();
        plot.curves.push_back(std::move(curve));
    }
    for (const LabelledCurve &curve : plot.curves) {
        for (const CurvePoint &point : curve.points) {
            if (std::isfinite(*point.y))
                highest = std::max(highest, *point.y);
        }
    }
    const auto last = static_cast<double>(2 * keys() - 1);
    plot.x = [last, isAlone](int most) {
        Axis axis = stepAxis({-0.02 * last, 1.02 * last}, Scale::Linear, most);
        std::erase_if(axis.ticks, [last](const Tick &tick) { return tick.value < 0.0 || tick.value > last; });
        axis.title = isAlone ? u"Entry index"_s : QString();
        return axis;
    };
    plot.y = [highest](int most) {
        Axis axis = plainAxis({-0.02 * highest, 1.1 * highest}, most, u"Loss (nats)"_s);
        std::erase_if(axis.ticks, [](const Tick &tick) { return tick.value < 0.0; });
        return axis;
    };
    plot.widestX = u"100"_s;
    plot.lines.push_back({Qt::Horizontal, kGuess, u"guessing, 2.30"_s});
    plot.title = u"All entries"_s;
    return plot;
}

LabelledPlot PerIndexFigure::lower(const Theme &theme) const
{
    LabelledPlot plot = upper(theme, true);
    plot.curves.clear();
    Range values{kGuess, kGuess};
    for (std::size_t i = 0; i < m_input.curves.size(); ++i) {
        if (m_input.curves[i].table.second.empty())
            continue;
        LabelledCurve curve = curveOf(i, m_input.curves[i].table.second, theme);
        for (const CurvePoint &point : curve.points) {
            if (std::isfinite(*point.y) && *point.y > 0.0)
                values = {std::min(values.lower, *point.y), std::max(values.upper, *point.y)};
        }
        plot.curves.push_back(std::move(curve));
    }
    const Range range = niceLogRange({values.lower, std::max(values.upper, 1.3 * kGuess)});
    plot.y = [range](int most) { return quantityAxis(range, most, u"Loss (nats)"_s); };
    plot.lines = {{Qt::Horizontal, kGuess, u"guessing, 2.30"_s}};
    plot.title = u"Second occurrences"_s;
    return plot;
}

void PerIndexFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    const QRectF page = drawCaptionBelow(painter, size, caption(), theme);
    LabelledPlot below = lower(theme);
    const bool isAlone = page.height() < kLowest || below.curves.empty();
    LabelledPlot above = upper(theme, isAlone);
    if (isAlone) {
        if (below.curves.empty())
            drawLabelledPlot(painter, page, above, theme);
        else
            drawLabelledPlot(painter, page, below, theme);
        painter.restore();
        return;
    }
    QPaintDevice *device = painter.device();
    above.numbers = below.numbers = std::max(numbersOf(above, device), numbersOf(below, device));
    above.column = below.column =
        std::max(columnOf(above, page.width(), device), columnOf(below, page.width(), device));
    const qreal height = 0.45 * page.height();
    drawLabelledPlot(painter, QRectF(page.left(), page.top(), page.width(), height), above, theme);
    drawLabelledPlot(painter, QRectF(page.left(), page.top() + height, page.width(), page.height() - height), below,
                     theme);
    painter.restore();
}

QString PerIndexFigure::csv() const
{
    QString text = u"run,label,variant,seed,step,evaluation_seed,n_keys,sequences,occurrence,entry_index,entries,loss,"
                   "standard_error\r\n"_s;
    for (std::size_t i = 0; i < m_input.curves.size(); ++i) {
        const PerIndexFigureCurve &curve = m_input.curves[i];
        const auto own = [&](std::uint64_t value) { return curve.isRecorded ? QString() : QString::number(value); };
        const QString head = QStringList{csvField(curve.run.id),
                                         csvField(m_names[qsizetype(i)]),
                                         csvField(QString::fromStdString(curve.table.variant)),
                                         own(curve.run.record.config.seed),
                                         QString::number(curve.table.step),
                                         own(curve.table.evaluationSeed),
                                         QString::number(curve.table.request.n_keys),
                                         QString::number(curve.table.request.sequences)}
                                 .join(u',');
        const auto add = [&](const QString &kind, const std::vector<IndexLoss> &losses) {
            for (std::size_t index = 0; index < losses.size(); ++index) {
                const IndexLoss &loss = losses[index];
                const auto number = [](double value) { return std::isnan(value) ? QString() : csvNumber(value); };
                text += head % u',' % kind % u',' % QString::number(index) % u',' % QString::number(loss.entries) % u','
                    % (loss.entries > 0 ? csvNumber(loss.mean) : QString()) % u',' % number(loss.standardError)
                    % u"\r\n"_s;
            }
        };
        add(u"all"_s, curve.table.all);
        add(u"first"_s, curve.table.first);
        add(u"second"_s, curve.table.second);
    }
    return text;
}

} // namespace

std::unique_ptr<Figure> makePerIndexFigure(PerIndexFigureInput input)
{
    return std::make_unique<PerIndexFigure>(std::move(input));
}

std::optional<eval::PerIndexTable> recordedPerIndex(const run::RunRecord &record, const std::filesystem::path &folder,
                                                    std::int64_t n_keys)
{
    const std::filesystem::path file = folder / "eval.json";
    std::error_code unknown;
    if (!run::isKvbenchFolder(folder) || !std::filesystem::exists(file, unknown))
        return std::nullopt;
    const auto losses = run::kvbenchPerIndexLoss(run::readFileWhole(file), file.string());
    if (losses.empty() || std::ssize(losses.rbegin()->second) != 2 * n_keys)
        return std::nullopt;
    eval::PerIndexTable table{.variant = record.config.variant,
                              .step = losses.rbegin()->first,
                              .request = {.n_keys = n_keys, .sequences = kPublishedSequences},
                              .evaluationSeed = 0,
                              .all = {},
                              .first = {},
                              .second = {}};
    for (const double loss : losses.rbegin()->second)
        table.all.push_back({.mean = loss, .standardError = kNothing, .entries = kPublishedSequences});
    return table;
}

} // namespace lookback::ui
