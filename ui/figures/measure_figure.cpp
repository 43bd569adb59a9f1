// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/measure_figure.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/circuit_axes.h"
#include "ui/figures/circuit_figures_private.h"
#include "ui/figures/labelled_plot.h"
#include "ui/models/context_words.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadMeasure;
using circuit::HeadScores;
using circuit::HeadTable;

namespace {

constexpr std::size_t kMostHeads = 8;
constexpr std::size_t kMostPanels = 4;
constexpr qreal kLowestPage = 210.0; // without room for two rows of plots the shares are left out
constexpr qreal kNarrowestPanel = 70.0;

std::optional<double> valueOf(const HeadTable &table, const circuit::HeadId &id, HeadMeasure measure)
{
    const HeadScores *head = table.find(id);
    if (!head || !head->scores[measure])
        return std::nullopt;
    return head->scores[measure]->value;
}

/// Fill of a share: the source in the accent, what it may be lost to in hues that differ in lightness.
QColor colourOf(std::size_t share, const Theme &theme)
{
    using model::Family;
    constexpr std::array kHues{Family::FullRope, Family::HybridWindow, Family::Kda, Family::ChunkRetrieval};
    if (share >= kHues.size())
        return theme.mask;
    return theme.shades[static_cast<std::size_t>(kHues[share])][0].line;
}

class MeasureFigure final : public Figure {
public:
    explicit MeasureFigure(MeasureFigureInput input) : m_input(std::move(input)), m_heads(headsOfFigure(m_input)) { }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override
    {
        QString text = headHeader() % measureHeader() % u"\r\n"_s;
        for (const HeadTable &table : m_input.tables) {
            for (const HeadScores &head : table.heads)
                text += headFields(m_input.run, table, head.id) % measureFields(head.scores) % u"\r\n"_s;
        }
        return text;
    }
    QString fileName() const override
    {
        return u"%1_step%2_%3_by_n"_s.arg(QString::fromStdString(table().variant))
            .arg(table().step)
            .arg(view(info().id));
    }
    QString title() const override { return u"%1 by number of keys, %2"_s.arg(view(info().title), name()); }
    QStringList provenance() const override
    {
        QStringList lines{caption()};
        if (!m_input.run.id.isEmpty())
            lines += provenanceLines(std::span(&m_input.run, 1));
        QStringList lengths;
        for (const HeadTable &each : m_input.tables)
            lengths << QString::number(each.request.n_keys);
        QString command = u"lookback-cli figure measure %1 --step %2 --measure %3 --sequences %4"_s.arg(m_input.run.id)
                              .arg(table().step)
                              .arg(view(info().id))
                              .arg(table().request.sequences);
        if (isEven()) // else the lengths and sequences that are taken without a list
            command += u" --n "_s + lengths.join(u',');
        for (const circuit::HeadId &id : m_input.chosen)
            command += u" --head "_s + QString::fromStdString(circuit::headText(id));
        return lines << command;
    }

private:
    const HeadTable &table() const { return m_input.tables.front(); }
    const circuit::MeasureInfo &info() const { return circuit::measureInfo(m_input.measure); }
    QString name() const
    {
        return m_input.run.title.isEmpty() ? QString::fromStdString(table().variant) : m_input.run.title;
    }
    QString caption() const;
    /// As many sequences at each length.
    bool isEven() const
    {
        return std::ranges::all_of(m_input.tables, [this](const HeadTable &each) {
            return each.request.sequences == table().request.sequences;
        });
    }
    /// "32", "256 to 8"
    QString sequencesText() const
    {
        const QString first = countText(table().request.sequences);
        return isEven() ? first : u"%1 to %2"_s.arg(first, countText(m_input.tables.back().request.sequences));
    }
    double firstKeys() const { return static_cast<double>(m_input.tables.front().request.n_keys); }
    double lastKeys() const { return static_cast<double>(m_input.tables.back().request.n_keys); }
    Axis keysOf(int most) const;
    LabelledPlot plot(const Theme &theme) const;
    void drawShares(QPainter &painter, const QRectF &rect, const Theme &theme) const;
    /// Its area and the rows of text around it: `numbers` of the axis at its left, 0 = it has none.
    void drawPanel(QPainter &painter, const QRectF &rect, const circuit::HeadId &id, qreal numbers,
                   const Theme &theme) const;

    MeasureFigureInput m_input;
    std::vector<circuit::HeadId> m_heads;
};

QString MeasureFigure::caption() const
{
    QString text =
        u"%1 of heads of %2 at step %3 by number of unique keys, %4 sequences a point; bars: 95 % intervals over "
        "sequences."_s.arg(view(info().title), name(), countText(table().step), sequencesText());
    return text + u" Below: where the weight of the rows that predict an answer goes."_s;
}

Axis MeasureFigure::keysOf(int most) const
{
    const double first = firstKeys();
    const double last = lastKeys();
    const double air = std::pow(std::max(last / first, 2.0), 0.025);
    Axis axis = contextAxis({first / air, last * air}, most);
    axis.title = u"Unique keys n"_s;
    if (std::ranges::none_of(axis.ticks, [](const Tick &tick) { return !tick.label.isEmpty(); }))
        axis.ticks = {{first, countText(std::llround(first))}};
    return axis;
}

LabelledPlot MeasureFigure::plot(const Theme &theme) const
{
    LabelledPlot plot;
    double highest = 0.0;
    const double apart = std::pow(std::max(lastKeys() / firstKeys(), 2.0), 0.004);
    for (std::size_t i = 0; i < m_heads.size(); ++i) {
        LabelledCurve curve{.text = headName(m_heads[i]), .style = listedStyle(i, theme)};
        for (const HeadTable &each : m_input.tables) {
            const HeadScores *head = each.find(m_heads[i]);
            CurvePoint point{.x = static_cast<double>(each.request.n_keys), .y = {}};
            if (head && head->scores[m_input.measure]) {
                const circuit::Measured &measured = *head->scores[m_input.measure];
                point.y = measured.value;
                // Side by side, so that they can be told apart.
                const double side = static_cast<double>(i) - 0.5 * static_cast<double>(m_heads.size() - 1);
                curve.intervals.push_back({point.x * std::pow(apart, side), measured.low, measured.high});
                highest = std::max({highest, measured.value, measured.high});
            }
            curve.points.push_back(point);
        }
        plot.curves.push_back(std::move(curve));
    }
    plot.x = [this](int most) { return keysOf(most); };
    QString unit = view(info().title);
    if (!info().isShare())
        unit += u" (%1)"_s.arg(view(info().unit));
    if (info().isShare()) {
        plot.y = [unit](int most) { return scoreAxis(most, unit); };
    } else {
        plot.y = [unit, highest](int most) {
            return plainAxis(niceRange({0.0, highest > 0.0 ? highest : 1.0}, most), most, unit);
        };
    }
    plot.widestX = countText(m_input.tables.back().request.n_keys);
    return plot;
}

void MeasureFigure::drawPanel(QPainter &painter, const QRectF &rect, const circuit::HeadId &id, qreal numbers,
                              const Theme &theme) const
{
    const PlotMetrics metrics = PlotMetrics::paper();
    QPaintDevice *device = painter.device();
    const QFontMetricsF notes(metrics.notes, device);
    const Axis y = scoreAxis(rect.height() > 60.0 ? 2 : 1, {});
    const QMarginsF margins = axisMargins(numbers, nullptr, true, metrics, device);
    const QRectF area(rect.left(), rect.top() + 1.2 * notes.height(), rect.width(),
                      rect.height() - 1.2 * notes.height() - margins.bottom());
    const Axis x = keysOf(fittingLabels(area.width(), u"256"_s, metrics.numbers, device));
    Axis shares = y;
    shares.range = {0.0, 1.0};
    const PlotPainter plot(painter, area, x, shares, theme, metrics);
    painter.setFont(metrics.labels);
    painter.setPen(theme.text);
    painter.drawText(QRectF(area.left(), rect.top(), area.width(), 1.2 * notes.height()),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, headName(id));

    std::vector<double> floor(m_input.tables.size(), 0.0);
    for (std::size_t share = 0; share < std::size(kWeightShares); ++share) {
        QPolygonF shape;
        std::vector<double> top = floor;
        for (std::size_t i = 0; i < m_input.tables.size(); ++i) {
            top[i] += valueOf(m_input.tables[i], id, kWeightShares[share]).value_or(0.0);
            shape << plot.map(static_cast<double>(m_input.tables[i].request.n_keys), std::min(top[i], 1.0));
        }
        for (std::size_t i = m_input.tables.size(); i-- > 0;)
            shape << plot.map(static_cast<double>(m_input.tables[i].request.n_keys), std::min(floor[i], 1.0));
        if (m_input.tables.size() == 1) { // one length: a bar
            const qreal half = 0.1 * area.width();
            shape = QPolygonF(QRectF(shape[0].x() - half, shape[0].y(), 2 * half, shape[1].y() - shape[0].y()));
        }
        painter.setPen(QPen(theme.base, 0.5));
        painter.setBrush(colourOf(share, theme));
        painter.drawPolygon(shape);
        floor = std::move(top);
    }
    painter.setBrush(Qt::NoBrush);
    if (numbers > 0.0)
        plot.leftAxis(numbers);
    plot.bottomAxis(true);
}

void MeasureFigure::drawShares(QPainter &painter, const QRectF &rect, const Theme &theme) const
{
    const PlotMetrics metrics = PlotMetrics::paper();
    const QFontMetricsF names(metrics.labels, painter.device());
    // The legend names the fills from above to below, as they lie.
    const qreal box = 0.7 * names.height();
    qreal column = 0.0;
    for (const HeadMeasure share : kWeightShares)
        column = std::max(column, names.horizontalAdvance(shareName(share)));
    column += 2.0 * box;
    const Axis shares = scoreAxis(rect.height() > 60.0 ? 2 : 1, {});
    const qreal numbers = numbersWidth(shares, metrics, painter.device());
    const qreal left = axisMargins(numbers, nullptr, true, metrics, painter.device()).left();
    // Numbers of n stand half outside an area.
    const qreal gap = 1.3 * QFontMetricsF(metrics.numbers, painter.device()).horizontalAdvance(u"256"_s);
    const qreal room = rect.width() - column - left;
    const auto fitting = static_cast<std::size_t>(std::max(1.0, room / kNarrowestPanel));
    const std::size_t panels = std::min({m_heads.size(), kMostPanels, fitting});
    const qreal width = room / static_cast<qreal>(std::max<std::size_t>(panels, 1));
    for (std::size_t i = 0; i < panels; ++i) {
        const QRectF panel(rect.left() + left + width * static_cast<qreal>(i), rect.top(), width - gap, rect.height());
        drawPanel(painter, panel, m_heads[i], i == 0 ? numbers : 0.0, theme);
    }
    const qreal line = 1.25 * names.height();
    qreal y = rect.top() + 1.2 * names.height();
    for (std::size_t share = std::size(kWeightShares); share-- > 0;) {
        const QRectF swatch(rect.right() - column + 0.5 * box, y + 0.5 * (line - box), box, box);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colourOf(share, theme));
        painter.drawRect(swatch);
        painter.setBrush(Qt::NoBrush);
        painter.setFont(metrics.labels);
        painter.setPen(theme.text);
        painter.drawText(QRectF(swatch.right() + 0.5 * box, y, column, line),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, shareName(kWeightShares[share]));
        y += line;
    }
}

void MeasureFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    const QRectF page = drawCaptionBelow(painter, size, caption(), theme);
    const bool hasShares = page.height() >= kLowestPage && !m_heads.empty();
    const qreal height = hasShares ? 0.56 * page.height() : page.height();
    drawLabelledPlot(painter, QRectF(page.left(), page.top(), page.width(), height), plot(theme), theme);
    if (hasShares)
        drawShares(painter, QRectF(page.left(), page.top() + height, page.width(), page.height() - height), theme);
    painter.restore();
}

} // namespace

std::vector<circuit::HeadId> headsOfFigure(const MeasureFigureInput &input)
{
    std::vector<circuit::HeadId> heads;
    if (!input.chosen.empty()) {
        for (const circuit::HeadId &id : input.chosen) {
            if (input.tables.front().find(id))
                heads.push_back(id);
        }
        return heads;
    }
    // Of the smallest n at which the measure means something.
    for (const HeadTable &table : input.tables) {
        std::vector<std::pair<double, circuit::HeadId>> found;
        for (const HeadScores &head : table.heads) {
            if (const auto value = valueOf(table, head.id, input.measure))
                found.emplace_back(-*value, head.id);
        }
        if (found.empty())
            continue;
        std::ranges::sort(found);
        for (std::size_t i = 0; i < std::min(found.size(), kMostHeads); ++i)
            heads.push_back(found[i].second);
        break;
    }
    return heads;
}

std::unique_ptr<Figure> makeMeasureFigure(MeasureFigureInput input)
{
    return std::make_unique<MeasureFigure>(std::move(input));
}

} // namespace lookback::ui
