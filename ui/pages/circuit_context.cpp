// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_context.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/charts/share_bars.h"
#include "ui/figures/circuit_axes.h"
#include "ui/models/context_words.h"
#include "ui/models/head_words.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadId;
using circuit::HeadMeasure;
using circuit::Measured;

namespace {

constexpr std::size_t kDrawn = 8; // the best heads, and as many of the chosen ones
LineChart::Quantity quantityOf(HeadMeasure measure)
{
    const circuit::MeasureInfo &info = circuit::measureInfo(measure);
    const QString title = quantityTitle(measure);
    LineChart::Quantity quantity;
    quantity.text = [measure](double value) { return measuredText(measure, value); };
    if (info.isShare()) {
        quantity.axis = [title](const Range &, int most) { return scoreAxis(most, title); };
        quantity.range = [](const RobustRange &, bool) { return kScoreRange; };
        quantity.limits = kScoreRange;
        quantity.widestNumber = u"0.75"_s;
        return quantity;
    }
    const QString unit = QString::fromUtf8(info.unit.data(), static_cast<qsizetype>(info.unit.size()));
    quantity.axis = [title = ContextPanel::tr("%1 (%2)", "quantity, unit").arg(title, unit)](const Range &range,
                                                                                             int most) {
        Axis axis{Scale::Linear, range, {}, title, {}};
        for (const double value : niceTicks(range, most)) {
            if (value >= 0.0)
                axis.ticks.push_back({value, QString::number(value)});
        }
        return axis;
    };
    quantity.range = [](const RobustRange &values, bool) {
        const double upper = values.isEmpty ? 1.0 : std::max(values.highest, 1e-3);
        return Range{-0.02 * upper, 1.08 * upper};
    };
    quantity.limits = {-1e9, 1e9};
    quantity.widestNumber = u"1,000"_s;
    return quantity;
}

} // namespace

ContextPanel::ContextPanel(QWidget *parent)
    : QWidget(parent), m_lengths(std::make_shared<std::vector<std::int64_t>>()), m_view(new XView(this)),
      m_chart(new LineChart(m_view, abscissa(), quantityOf(HeadMeasure::SourceWeight), this)),
      m_bars(new ShareBars(this)), m_barsTitle(makeTitle({}, this)), m_reading(makeNote(this)),
      m_stack(new QStackedWidget(this)), m_why(makeNote(this)), m_ask(new QPushButton(this)),
      m_controls(new QWidget(this)), m_rest(new QPushButton(tr("Measure the rest"), m_controls)),
      m_measures(new QComboBox(m_controls)), m_chosenOnly(new ToggleButton(m_controls))
{
    setObjectName(u"contextPanel"_s);
    m_view->setScale(Scale::Log2);
    m_view->setAutomaticRange({7.0, 300.0});
    m_chart->setObjectName(u"contextChart"_s);
    m_chart->setAccessibleName(tr("A measure of heads by context length"));
    m_chart->setWhiskers(true);
    m_chart->setMinimumSize(260, 110);
    m_bars->setObjectName(u"contextShares"_s);
    m_bars->setAccessibleName(tr("Where the weight of the chosen head goes"));
    m_barsTitle->setObjectName(u"contextTitle"_s);
    m_reading->setObjectName(u"contextReading"_s);
    m_ask->setObjectName(u"measureContext"_s);
    m_rest->setObjectName(u"measureContextRest"_s);
    m_rest->setToolTip(tr("Measures the lengths that are missing"));
    m_rest->setMinimumHeight(28);
    m_why->setObjectName(u"contextWhy"_s);
    m_why->setAlignment(Qt::AlignCenter);
    m_measures->setObjectName(u"contextMeasure"_s);
    m_measures->setAccessibleName(tr("Measure drawn against n"));
    m_measures->setToolTip(m_measures->accessibleName());
    m_measures->setMinimumHeight(28);
    for (const circuit::MeasureInfo &info : circuit::headMeasures()) {
        m_measures->addItem(quantityTitle(info.measure), static_cast<int>(info.measure));
        m_measures->setItemData(
            m_measures->count() - 1,
            QString::fromUtf8(info.explanation.data(), static_cast<qsizetype>(info.explanation.size())),
            Qt::ToolTipRole);
    }
    m_chosenOnly->setObjectName(u"contextChosenOnly"_s);
    m_chosenOnly->setText(tr("Chosen only"));
    m_chosenOnly->setToolTip(tr("Draws the chosen heads alone, not the eight largest beside them"));
    auto *controlRow = new QHBoxLayout(m_controls);
    controlRow->setContentsMargins(0, 0, 0, 0);
    controlRow->setSpacing(6);
    controlRow->addWidget(m_rest);
    controlRow->addWidget(m_measures);
    controlRow->addWidget(m_chosenOnly);

    auto *ask = new QWidget(this);
    ask->setBackgroundRole(QPalette::Base);
    ask->setAutoFillBackground(true);
    auto *askColumn = new QVBoxLayout(ask);
    askColumn->setContentsMargins(24, 8, 24, 8);
    askColumn->addStretch(1);
    askColumn->addWidget(m_why);
    askColumn->addWidget(m_ask, 0, Qt::AlignHCenter);
    askColumn->addStretch(1);

    auto *shares = new QWidget(this);
    shares->setBackgroundRole(QPalette::Base);
    shares->setAutoFillBackground(true);
    auto *sharesColumn = new QVBoxLayout(shares);
    sharesColumn->setContentsMargins(12, 6, 8, 2);
    sharesColumn->setSpacing(2);
    sharesColumn->addWidget(m_barsTitle);
    sharesColumn->addWidget(m_reading);
    sharesColumn->addWidget(m_bars, 1);
    auto *found = new QWidget(this);
    auto *row = new QHBoxLayout(found);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(1);
    row->addWidget(m_chart, 5);
    row->addWidget(shares, 4);
    m_stack->addWidget(ask);
    m_stack->addWidget(found);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);

    for (QPushButton *button : {m_ask, m_rest})
        connect(button, &QPushButton::clicked, this, &ContextPanel::asked);
    connect(m_measures, &QComboBox::activated, this, [this] {
        applyQuantity();
        refreshCurves();
        Q_EMIT viewChanged();
    });
    connect(m_chosenOnly, &QToolButton::toggled, this, [this] {
        refreshCurves();
        Q_EMIT viewChanged();
    });
    connect(m_chart, &LineChart::curveChosen, this, [this](const QString &id) {
        const auto found = std::ranges::find(m_lineIds, id, &std::pair<QString, HeadId>::first);
        if (found != m_lineIds.end())
            Q_EMIT headChosen(found->second);
    });
    setMeasure(HeadMeasure::SourceWeight);
    setHeads({}, {}, false, {});
}

LineChart::Abscissa ContextPanel::abscissa() const
{
    LineChart::Abscissa abscissa;
    abscissa.axis = [lengths = m_lengths](const Range &range, Scale, int most) {
        Axis axis = keysAxis(range, *lengths, 1, most);
        axis.title = ContextPanel::tr("Unique keys n, logarithmic");
        axis.brief = ContextPanel::tr("n");
        return axis;
    };
    abscissa.widestNumber = u"256"_s;
    abscissa.text = [](double n) { return countText(std::llround(n)); };
    abscissa.name = tr("Unique keys n");
    return abscissa;
}

HeadMeasure ContextPanel::measure() const
{
    return static_cast<HeadMeasure>(m_measures->currentData().toInt());
}

void ContextPanel::setMeasure(HeadMeasure measure)
{
    m_measures->setCurrentIndex(m_measures->findData(static_cast<int>(measure)));
    applyQuantity();
    refreshCurves();
}

bool ContextPanel::isChosenOnly() const
{
    return m_chosenOnly->isChecked();
}

void ContextPanel::setChosenOnly(bool isOn)
{
    const QSignalBlocker blocker(m_chosenOnly);
    m_chosenOnly->setChecked(isOn);
    m_chosenOnly->update();
    refreshCurves();
}

void ContextPanel::setHeads(std::shared_ptr<const circuit::ContextHeads> heads,
                            std::vector<circuit::HeadRequest> lengths, bool isPending, const QString &failure)
{
    m_heads = std::move(heads);
    const bool isThere = m_heads && !m_heads->tables.empty();
    m_why->setText(!failure.isEmpty() ? failure
                       : isPending
                       ? tr("The heads are being measured; the shortest context comes first.")
                       : tr("Which heads lose their target as the context grows, and to what, will be drawn here."));
    if (!lengths.empty())
        m_ask->setText(
            tr("Measure the heads at n = %1 to %2").arg(lengths.front().n_keys).arg(countText(lengths.back().n_keys)));
    m_ask->setVisible(!isPending && !lengths.empty());
    m_rest->setVisible(isThere && !isPending && m_heads->tables.size() < lengths.size());
    m_summary = !isThere ? QString() : failure.isEmpty() ? contextSummary(*m_heads) : failure;
    m_stack->setCurrentIndex(isThere ? 1 : 0);
    m_controls->setEnabled(isThere);
    m_lengths->clear();
    if (isThere) {
        for (const circuit::HeadTable &table : m_heads->tables)
            m_lengths->push_back(table.request.n_keys);
        const auto from = static_cast<double>(m_lengths->front());
        const auto to = static_cast<double>(lengths.empty() ? m_lengths->back() : lengths.back().n_keys);
        m_view->setAutomaticRange({0.9 * from, 1.1 * std::max(to, 1.5 * from)});
    }
    refreshCurves();
    refreshBars();
}

void ContextPanel::setChosen(const std::vector<HeadId> &chosen)
{
    if (chosen == m_chosen)
        return;
    m_chosen = chosen;
    refreshCurves();
    refreshBars();
}

void ContextPanel::setStyle(const SeriesStyle &style)
{
    if (style == m_style)
        return;
    m_style = style;
    refreshCurves();
}

std::vector<HeadId> ContextPanel::drawnHeads() const
{
    const circuit::HeadTable &first = m_heads->tables.front();
    const auto most = [this](const HeadId &id) {
        double value = -1.0;
        for (const circuit::HeadTable &table : m_heads->tables) {
            if (const Measured *measured = measuredOf(table, id, measure()))
                value = std::max(value, measured->value);
        }
        return value;
    };
    std::vector<HeadId> heads;
    const auto addBest = [&](std::vector<HeadId> from) {
        std::erase_if(from,
                      [&](const HeadId &id) { return !first.find(id) || std::ranges::find(heads, id) != heads.end(); });
        if (from.size() > kDrawn)
            std::ranges::stable_sort(from, std::greater(), most);
        from.resize(std::min(kDrawn, from.size()));
        heads.insert(heads.end(), from.begin(), from.end());
    };
    if (!isChosenOnly() || m_chosen.empty()) {
        std::vector<HeadId> all;
        for (const circuit::HeadScores &head : first.heads) {
            if (most(head.id) >= 0.0)
                all.push_back(head.id);
        }
        addBest(std::move(all));
    }
    addBest(m_chosen);
    return heads;
}

void ContextPanel::applyQuantity()
{
    m_chart->setQuantity(quantityOf(measure()));
}

void ContextPanel::refreshCurves()
{
    m_lineIds.clear();
    if (!m_heads || m_heads->tables.empty()) {
        m_chart->setCurves({});
        return;
    }
    const Theme &theme = Theme::forPalette(palette());
    std::vector<ChartCurve> curves;
    std::vector<std::vector<CurvePoint>> points;
    std::vector<std::vector<IntervalPoint>> intervals;
    for (const HeadId &id : drawnHeads()) {
        std::vector<CurvePoint> line;
        std::vector<IntervalPoint> whiskers;
        for (const circuit::HeadTable &table : m_heads->tables) {
            const auto n = static_cast<double>(table.request.n_keys);
            const Measured *value = measuredOf(table, id, measure());
            line.push_back({.x = n, .y = value ? std::optional(value->value) : std::nullopt});
            if (value && std::isfinite(value->low) && std::isfinite(value->high))
                whiskers.push_back({n, value->low, value->high});
        }
        ChartCurve curve;
        curve.id = headName(id);
        curve.label = curve.id;
        curve.isSelected = std::ranges::find(m_chosen, id) != m_chosen.end();
        curve.isStrong = curve.isSelected;
        curve.hasMarkers = true;
        curve.style = scoreStyle(HeadMeasure::Retrieval, // solid: heads are told apart by their labels
                                 curve.isSelected ? SeriesShade{m_style.line, m_style.label}
                                                  : SeriesShade{theme.secondText, theme.text});
        m_lineIds.emplace_back(curve.id, id);
        curves.push_back(std::move(curve));
        points.push_back(std::move(line));
        intervals.push_back(std::move(whiskers));
    }
    m_chart->setCurves(std::move(curves));
    for (std::size_t i = 0; i < m_lineIds.size(); ++i) {
        m_chart->setPoints(m_lineIds[i].first, std::move(points[i]));
        m_chart->setIntervals(m_lineIds[i].first, std::move(intervals[i]));
    }
}

void ContextPanel::refreshBars()
{
    const bool isThere = m_heads && !m_heads->tables.empty() && !m_chosen.empty();
    m_bars->setVisible(isThere);
    m_barsTitle->setText(isThere ? tr("Where the weight of %1 goes").arg(headName(m_chosen.back()))
                                 : tr("Where the weight of a head goes"));
    if (!isThere) {
        m_reading->setText(tr("Choose a head in the grid, the table or the chart."));
        return;
    }
    m_reading->setText(contextReading(*m_heads, m_chosen.back()));
    QStringList parts;
    for (const HeadMeasure share : kWeightShares)
        parts << shareName(share);
    std::vector<ShareBars::Column> columns;
    for (const circuit::HeadTable &table : m_heads->tables) {
        ShareBars::Column column{.label = countText(table.request.n_keys), .shares = {}};
        for (const HeadMeasure share : kWeightShares) {
            const Measured *value = measuredOf(table, m_chosen.back(), share);
            column.shares.push_back(value ? value->value : 0.0);
        }
        columns.push_back(std::move(column));
    }
    m_bars->setColumns(parts, tr("Unique keys n; shares while a digit is answered"), std::move(columns));
}

void ContextPanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refreshCurves();
}

} // namespace lookback::ui
