// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_timeline.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/circuit_axes.h"
#include "ui/figures/training_figure.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/checkpoint_slider.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kMostWaits = 15; // intervals that play waits for an example: 3 s
constexpr double kLabelShare = 0.21; // of the width, for the names of curves; more where the box of steps needs it
constexpr double kMostLabelShare = 0.45;
constexpr int kBesideBox = 20; // margin of the box, and half of the slider's knob

LineChart::Abscissa placeAbscissa()
{
    LineChart::Abscissa abscissa;
    abscissa.axis = [](const Range &range, Scale, int most) { return logStepAxis(range, most); };
    abscissa.widestNumber = u"16,384"_s;
    abscissa.text = [](double place) { return countText(std::llround(stepAt(place))); };
    abscissa.name = CircuitTimeline::tr("Step");
    return abscissa;
}

LineChart::Quantity lossQuantity()
{
    LineChart::Quantity quantity;
    quantity.axis = [](const Range &range, int most) {
        Axis axis = quantityAxis(range, most, CircuitTimeline::tr("Loss (nats)"));
        axis.brief = CircuitTimeline::tr("Loss");
        return axis;
    };
    quantity.range = lossRange;
    quantity.limits = {1e-12, 1e12};
    quantity.text = [](double loss) { return CircuitTimeline::tr("%1 nats").arg(quantityText(loss)); };
    quantity.widestNumber = u"0.001"_s;
    return quantity;
}

LineChart::Quantity scoreQuantity()
{
    LineChart::Quantity quantity;
    quantity.axis = [](const Range &, int most) { return scoreAxis(most, CircuitTimeline::tr("Head score")); };
    quantity.range = [](const RobustRange &, bool) { return kScoreRange; };
    quantity.limits = kScoreRange;
    quantity.text = [](double score) { return QString::number(score, 'f', 2); };
    quantity.widestNumber = u"0.001"_s;
    return quantity;
}

} // namespace

CircuitTimeline::CircuitTimeline(QWidget *parent)
    : QWidget(parent), m_view(new XView(this)), m_loss(new LineChart(m_view, placeAbscissa(), lossQuantity(), this)),
      m_scores(new LineChart(m_view, placeAbscissa(), scoreQuantity(), this)), m_slider(new CheckpointSlider(this)),
      m_play(new QToolButton(this)), m_steps(new QComboBox(this)), m_reading(makeNote(this)),
      m_stack(new QStackedWidget(this)), m_why(makeNote(this)), m_follow(new QPushButton(this))
{
    setObjectName(u"circuitTimeline"_s);
    m_view->setAutomaticRange({0.0, stepPlace(1000)});
    m_loss->setObjectName(u"circuitLoss"_s);
    m_loss->setAccessibleName(tr("Loss by step"));
    m_loss->setBottomNumbers(false);
    m_loss->setLabelShare(kLabelShare);
    m_loss->setMinimumSize(240, 90);
    m_scores->setObjectName(u"circuitScores"_s);
    m_scores->setAccessibleName(tr("Scores of heads by step"));
    m_scores->setLabelShare(kLabelShare);
    m_scores->setMinimumSize(240, 120);
    m_play->setObjectName(u"play"_s);
    m_play->setCheckable(true);
    m_play->setIcon(icon("play"_L1));
    m_play->setAccessibleName(tr("Play the checkpoints"));
    m_play->setMinimumSize(40, 28);
    m_steps->setObjectName(u"circuitSteps"_s);
    m_steps->setAccessibleName(tr("Step of the checkpoint"));
    m_steps->setMinimumHeight(28);
    m_steps->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_reading->setObjectName(u"stepReading"_s);
    m_reading->setWordWrap(false);

    m_follow->setObjectName(u"followHeads"_s);
    m_why->setObjectName(u"followWhy"_s);
    m_why->setAlignment(Qt::AlignCenter);
    auto *ask = new QWidget(this);
    ask->setBackgroundRole(QPalette::Base);
    ask->setAutoFillBackground(true);
    auto *askColumn = new QVBoxLayout(ask);
    askColumn->setContentsMargins(24, 8, 24, 8);
    askColumn->addStretch(1);
    askColumn->addWidget(m_why);
    askColumn->addWidget(m_follow, 0, Qt::AlignHCenter);
    askColumn->addStretch(1);
    m_stack->addWidget(ask);
    m_stack->addWidget(m_scores);

    auto *row = new QHBoxLayout;
    row->setContentsMargins(8, 2, 8, 2);
    row->setSpacing(0);
    row->addWidget(m_play);
    row->addWidget(m_slider, 1);
    row->addWidget(m_steps);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_loss, 5);
    column->addWidget(makeHairline(this));
    column->addLayout(row);
    column->addWidget(m_reading);
    column->addWidget(makeHairline(this));
    column->addWidget(m_stack, 7);
    m_reading->setContentsMargins(12, 0, 12, 4);
    m_reading->setAlignment(Qt::AlignHCenter);

    m_player.setInterval(kPlayIntervalMs);
    connect(&m_player, &QTimer::timeout, this, [this] {
        if (m_isWaiting && ++m_waited < kMostWaits)
            return;
        m_waited = 0;
        if (m_slider->value() >= m_slider->maximum())
            stop();
        else
            m_slider->setValue(m_slider->value() + 1);
    });
    connect(m_play, &QToolButton::toggled, this, &CircuitTimeline::play);
    connect(m_slider, &QSlider::valueChanged, this, [this] {
        setStep(m_slider->step());
        Q_EMIT stepChosen(m_step);
    });
    connect(m_slider, &QSlider::sliderPressed, this, &CircuitTimeline::stop);
    connect(m_steps, &QComboBox::activated, this, [this](int index) {
        stop();
        m_slider->setValue(m_slider->maximum() - index);
    });
    connect(m_follow, &QPushButton::clicked, this, &CircuitTimeline::timelineAsked);
    connect(m_loss, &LineChart::refreshed, this, &CircuitTimeline::alignTrack);
    connect(m_scores, &LineChart::curveChosen, this, [this](const QString &id) {
        const auto found = std::ranges::find(m_lineIds, id, &std::pair<QString, circuit::HeadId>::first);
        if (found != m_lineIds.end())
            Q_EMIT headChosen(found->second);
    });
    setTimeline({}, false, {});
}

void CircuitTimeline::setRun(const QString &title, const SeriesStyle &style,
                             std::span<const run::MetricsRecord> metrics, std::vector<Stage> stages,
                             std::int64_t lastStep)
{
    m_title = title;
    m_style = style;
    m_metrics.assign(metrics.begin(), metrics.end());
    const double last = stepPlace(static_cast<double>(std::max<std::int64_t>(lastStep, 1)));
    m_view->setAutomaticRange({0.0, last});
    for (Stage &stage : stages) {
        stage.from = stepPlace(stage.from);
        stage.to = std::isfinite(stage.to) ? stepPlace(stage.to) : stage.to;
    }
    ChartCurve curve;
    curve.id = u"loss"_s;
    curve.label = title;
    curve.brief = title.section(u" · "_s, 0, 0);
    curve.style = style;
    m_loss->setCurves({curve});
    std::vector<CurvePoint> points = lossPoints(m_metrics);
    for (CurvePoint &point : points)
        point.x = stepPlace(point.x);
    m_loss->setPoints(curve.id, std::move(points));
    m_loss->setStages(stages);
    for (Stage &stage : stages)
        stage.text.clear(); // named once, above the loss
    m_scores->setStages(std::move(stages));
    refreshScores();
    refreshMarker();
}

void CircuitTimeline::setCheckpoints(const std::vector<std::int64_t> &steps)
{
    m_checkpoints = steps;
    std::vector<double> places;
    const Range range = m_view->automaticRange();
    for (const std::int64_t step : steps)
        places.push_back(std::clamp((stepPlace(static_cast<double>(step)) - range.lower) / range.width(), 0.0, 1.0));
    m_slider->setCheckpoints(steps, places);
    const QSignalBlocker blocker(m_steps);
    m_steps->clear();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        m_steps->addItem(countText(*step), QVariant::fromValue<qlonglong>(*step));
    m_steps->setEnabled(!steps.empty());
    fitLabels();
    setStep(m_step);
    setTimeline(m_timeline, false, {});
}

void CircuitTimeline::setStep(std::int64_t step)
{
    m_step = step;
    const auto found = std::ranges::find(m_checkpoints, step);
    if (found != m_checkpoints.end()) {
        const QSignalBlocker blocker(m_slider);
        m_slider->setValue(static_cast<int>(found - m_checkpoints.begin()));
        const QSignalBlocker other(m_steps);
        m_steps->setCurrentIndex(static_cast<int>(m_checkpoints.end() - found) - 1);
    }
    m_slider->update();
    refreshMarker();
}

void CircuitTimeline::refreshMarker()
{
    const double place = stepPlace(static_cast<double>(std::max<std::int64_t>(m_step, 0)));
    std::vector<ReferenceLine> lines{{Qt::Horizontal, kChanceLoss, tr("chance %1").arg(quantityText(kChanceLoss)), {}}};
    if (m_step >= 0)
        lines.push_back({.orientation = Qt::Vertical, .value = place, .text = {}, .isStrong = true});
    m_loss->setReferences(lines);
    lines.erase(lines.begin());
    m_scores->setReferences(lines);
    // The newest logged values up to that step: an early checkpoint may lie between two of them.
    const auto after = std::ranges::upper_bound(m_metrics, m_step, {}, &run::MetricsRecord::step);
    if (m_step < 0) {
        m_reading->clear();
    } else if (after == m_metrics.begin()) {
        m_reading->setText(tr("step %1, before the first logged value").arg(countText(m_step)));
    } else {
        const run::MetricsRecord &record = *std::prev(after);
        const auto text = [](const std::optional<double> &value, QString (*format)(double)) {
            return value ? format(*value) : u"–"_s;
        };
        m_reading->setText(tr("step %1: loss %2, accuracy %3, n = %4")
                               .arg(countText(m_step), text(record.loss, quantityText),
                                    text(record.retrievalAcc, percentText), QString::number(record.n_keys)));
    }
}

void CircuitTimeline::setTimeline(std::shared_ptr<const std::vector<circuit::HeadTable>> timeline, bool isPending,
                                  const QString &failure)
{
    m_timeline = std::move(timeline);
    const bool isThere = m_timeline && !m_timeline->empty();
    const auto count = static_cast<qlonglong>(m_checkpoints.size());
    m_why->setText(!failure.isEmpty() ? failure
                       : isPending    ? tr("The heads of %1 checkpoints are being measured.").arg(count)
                       : count < 2
                       ? tr("How the scores of the heads grow will be drawn here. It takes two checkpoints or more.")
                       : tr("How the scores of the heads grow with training will be drawn here."));
    m_follow->setText(tr("Measure the heads of %1 checkpoints").arg(count));
    m_follow->setVisible(!isPending && count > 1);
    m_stack->setCurrentIndex(isThere ? 1 : 0);
    m_loss->setBottomNumbers(!isThere);
    const bool canPlay = isThere && !isPending && m_timeline->size() > 1;
    m_play->setEnabled(canPlay || isPlaying());
    m_play->setToolTip(canPlay ? tr("Go through the checkpoints, five a second")
                               : tr("Measure the heads of the checkpoints first"));
    refreshScores();
}

void CircuitTimeline::setChosen(const std::vector<circuit::HeadId> &chosen)
{
    if (chosen == m_chosen)
        return;
    m_chosen = chosen;
    refreshScores();
}

void CircuitTimeline::refreshScores()
{
    m_lineIds.clear();
    if (!m_timeline || m_timeline->empty()) {
        m_scores->setCurves({});
        return;
    }
    const Theme &theme = Theme::forPalette(palette());
    std::vector<ChartCurve> curves;
    const std::vector<ScoreLine> lines = scoreLines(*m_timeline, m_chosen);
    for (const ScoreLine &line : lines) {
        ChartCurve curve;
        curve.id = scoreLabel(line);
        curve.label = curve.id;
        curve.brief = curve.id.section(u' ', 0, 1);
        curve.isSelected = std::ranges::find(m_chosen, line.id) != m_chosen.end();
        curve.isStrong = curve.isSelected;
        curve.hasMarkers = true;
        curve.style = scoreStyle(line.measure,
                                 curve.isSelected ? SeriesShade{m_style.line, m_style.label}
                                                  : SeriesShade{theme.text, theme.text});
        m_lineIds.emplace_back(curve.id, line.id);
        curves.push_back(std::move(curve));
    }
    m_scores->setCurves(std::move(curves));
    for (std::size_t i = 0; i < lines.size(); ++i)
        m_scores->setPoints(m_lineIds[i].first, lines[i].points);
}

void CircuitTimeline::alignTrack()
{
    const QRectF area = m_loss->plotArea();
    const auto here = [&](double x) { return m_slider->mapFrom(this, m_loss->mapTo(this, QPointF(x, 0.0))).x(); };
    m_slider->setTrack(here(area.left()), here(area.right()));
}

void CircuitTimeline::fitLabels()
{
    // The plot, and with it the slider's track, ends left of the box of steps however narrow it gets.
    const double box = std::max(m_steps->sizeHint().width(), m_steps->width()) + kBesideBox;
    const double share = std::clamp(box / std::max(width(), 1), kLabelShare, kMostLabelShare);
    m_loss->setLabelShare(share);
    m_scores->setLabelShare(share);
}

void CircuitTimeline::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitLabels();
}

void CircuitTimeline::play(bool isOn)
{
    if (isOn && m_slider->value() >= m_slider->maximum())
        m_slider->setValue(0); // from the beginning
    if (isOn)
        m_player.start();
    else
        m_player.stop();
    m_play->setIcon(icon(isOn ? "pause"_L1 : "play"_L1));
    Q_EMIT playingChanged(isOn);
}

void CircuitTimeline::stop()
{
    m_play->setChecked(false);
}

void CircuitTimeline::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refreshScores();
    else if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitLabels();
}

} // namespace lookback::ui
