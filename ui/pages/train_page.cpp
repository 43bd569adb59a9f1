// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train_page.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/dialogs/numbers_dialog.h"
#include "ui/figures/training_figure.h"
#include "ui/pages/page_bar.h"
#include "ui/pages/readout_frame.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

LineChart::Abscissa stepAbscissa()
{
    LineChart::Abscissa abscissa;
    abscissa.axis = [](const Range &range, Scale scale, int most) { return stepAxis(range, scale, most); };
    abscissa.widestNumber = u"100,000"_s;
    abscissa.text = [](double step) { return countText(std::llround(step)); };
    abscissa.name = TrainPage::tr("Step");
    return abscissa;
}

LineChart::Quantity lossQuantity()
{
    LineChart::Quantity quantity;
    quantity.axis = [](const Range &range, int most) {
        Axis axis = quantityAxis(range, most, TrainPage::tr("Cross-entropy (nats per digit)"));
        axis.brief = TrainPage::tr("Loss (nats)");
        return axis;
    };
    quantity.range = lossRange;
    quantity.limits = {1e-12, 1e12};
    quantity.text = [](double loss) { return TrainPage::tr("%1 nats").arg(quantityText(loss)); };
    quantity.labelValue = quantity.text;
    quantity.widestNumber = u"99.99 %"_s;
    return quantity;
}

LineChart::Quantity accuracyQuantity()
{
    LineChart::Quantity quantity;
    quantity.axis = [](const Range &range, int most) {
        Axis axis = shareAxis(range, most, TrainPage::tr("Per-digit accuracy"));
        axis.brief = TrainPage::tr("Accuracy");
        return axis;
    };
    quantity.range = [](const RobustRange &, bool) { return kShareRange; };
    quantity.limits = kShareRange;
    quantity.text = percentText;
    quantity.labelValue = percentText;
    quantity.widestNumber = u"99.99 %"_s;
    return quantity;
}

QString qid(const run::RunId &id)
{
    return QString::fromStdString(id);
}

} // namespace

TrainPage::TrainPage(RunCollection *runs, QWidget *parent)
    : Page(parent), m_runs(runs), m_view(new XView(this)),
      m_loss(new LineChart(m_view, stepAbscissa(), lossQuantity())),
      m_accuracy(new LineChart(m_view, stepAbscissa(), accuracyQuantity())), m_splitter(new QSplitter(Qt::Vertical)),
      m_stack(new QStackedLayout)
{
    setObjectName(u"trainPage"_s);
    m_loss->setObjectName(u"lossChart"_s);
    m_loss->setAccessibleName(tr("Loss by step"));
    m_loss->setBottomNumbers(false);
    m_loss->setReferences({{Qt::Horizontal, kChanceLoss, tr("chance %1").arg(quantityText(kChanceLoss)), {}}});
    m_accuracy->setObjectName(u"accuracyChart"_s);
    m_accuracy->setAccessibleName(tr("Per-digit accuracy by step"));
    m_accuracy->setReferences({{Qt::Horizontal, kChanceDigit, tr("chance 10 %"), {}}});
    m_view->setAutomaticRange(stepRange(1, Scale::Linear));

    m_splitter->setObjectName(u"trainSplitter"_s);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_splitter->addWidget(m_loss);
    m_splitter->addWidget(m_accuracy);
    m_splitter->setStretchFactor(0, 10);
    m_splitter->setStretchFactor(1, 12);
    m_readout = new ReadoutFrame(this);

    auto *empty = new QLabel(tr("Loss and accuracy of your runs will be drawn here, as they train.\n"
                                "Choose designs at the left and press Train, or open a folder with runs."));
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setBackgroundRole(QPalette::Base);
    empty->setForegroundRole(QPalette::PlaceholderText);
    empty->setAutoFillBackground(true);
    m_stack->addWidget(m_splitter);
    m_stack->addWidget(empty);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addLayout(m_stack, 1);

    connect(runs, &RunCollection::orderChanged, this, [this] { noteChange({}); });
    connect(runs, &RunCollection::shownChanged, this, &TrainPage::noteChange);
    connect(runs, &RunCollection::selectionChanged, this, [this] { noteChange({}); });
    connect(runs, &RunCollection::metricsChanged, this, [this](const run::RunId &id) {
        if (!isVisible()) {
            m_isStale = true;
            return;
        }
        passMetrics(id);
        updateSteps();
        updateReadout();
    });
    connect(m_view, &XView::crossHairChanged, this, &TrainPage::updateReadout);
    connect(m_view, &XView::followingChanged, this, [this](bool isFollowing) {
        const QSignalBlocker blocker(m_follow);
        m_follow->setChecked(isFollowing);
    });
    for (LineChart *chart : {m_loss, m_accuracy}) {
        connect(chart, &LineChart::curveChosen, this, [this](const QString &id) { m_runs->select(id.toStdString()); });
        connect(chart, &LineChart::curveToggled, this, [this](const QString &id) {
            if (const RunCollection::Run *run = m_runs->find(id.toStdString()))
                m_runs->setShown(id.toStdString(), !run->isShown);
        });
        connect(chart, &LineChart::viewChanged, this, [this] {
            m_history.note({}, currentView());
            Q_EMIT abilitiesChanged();
        });
        connect(chart, &LineChart::refreshed, this, &TrainPage::placeReadout);
    }
    updateCurves();
}

TrainPage::~TrainPage() = default;

QWidget *TrainPage::makeBar()
{
    auto *bar = new PageBar(this);
    m_follow = bar->addToggle("follow"_L1, tr("Follow"),
                              tr("Follow the newest step; zooming or panning holds the view"), u"followButton"_s);
    m_follow->setChecked(true);
    connect(m_follow, &QToolButton::toggled, this, [this](bool isOn) {
        if (isOn)
            zoomToFit();
        else
            m_view->setFollowing(false);
    });
    connect(bar->addButton("zoom-in"_L1, {}, tr("Zoom in"), u"zoomInButton"_s), &QToolButton::clicked, this,
            &TrainPage::zoomIn);
    connect(bar->addButton("zoom-out"_L1, {}, tr("Zoom out"), u"zoomOutButton"_s), &QToolButton::clicked, this,
            &TrainPage::zoomOut);
    connect(bar->addButton("zoom-fit"_L1, {}, tr("Show everything"), u"zoomFitButton"_s), &QToolButton::clicked, this,
            &TrainPage::zoomToFit);
    bar->addSeparator();

    m_steps = new QComboBox(bar);
    m_steps->setObjectName(u"stepScale"_s);
    m_steps->addItems({tr("Linear"), tr("Logarithmic")});
    m_steps->setToolTip(tr("How the step axis is divided"));
    connect(m_steps, &QComboBox::currentIndexChanged, this, [this](int index) { setLogSteps(index == 1); });
    bar->addField(tr("&Steps"), m_steps);

    m_smoothing = new QSlider(Qt::Horizontal, bar);
    m_smoothing->setObjectName(u"smoothing"_s);
    m_smoothing->setRange(0, 99);
    m_smoothing->setMinimumWidth(100);
    m_smoothing->setMaximumWidth(140);
    m_smoothing->setToolTip(tr("Average over the steps before; the raw curve stays behind"));
    m_smoothingText = new QLabel(tr("off"), bar);
    m_smoothingText->setMinimumWidth(fontMetrics().horizontalAdvance(u"0.00 "_s));
    connect(m_smoothing, &QSlider::valueChanged, this, &TrainPage::setSmoothing);
    bar->addField(tr("S&moothing"), m_smoothing);
    bar->addWidget(m_smoothingText);

    bar->addStretch();
    m_numbers = bar->addButton("numbers"_L1, tr("Numbers"), tr("The numbers behind the curves, as a table"),
                               u"numbersButton"_s);
    connect(m_numbers, &QToolButton::clicked, this, &TrainPage::showNumbers);
    m_export =
        bar->addButton("export"_L1, tr("Export…"), tr("Save this figure as PNG, SVG, PDF or CSV"), u"exportButton"_s);
    connect(m_export, &QToolButton::clicked, this, &TrainPage::exportRequested);
    return bar;
}

void TrainPage::noteChange(const run::RunId &)
{
    if (isVisible())
        updateCurves();
    else
        m_isStale = true;
}

void TrainPage::updateCurves()
{
    const Theme &theme = Theme::forPalette(palette());
    std::vector<FigureRun> named;
    std::vector<ChartCurve> curves;
    std::vector<run::RunId> listed;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (!run->snapshot.isReadable)
            continue;
        FigureRun figure;
        figure.id = qid(id);
        figure.title = run->title;
        figure.record.config = run->snapshot.record.config;
        if (run->isShown)
            named.push_back(figure);
        ChartCurve curve;
        curve.id = qid(id);
        curve.style = m_runs->styleOf(id, theme);
        curve.isShown = run->isShown;
        curve.isSelected = id == m_runs->selected();
        curve.label = run->title;
        curves.push_back(std::move(curve));
        listed.push_back(id);
    }
    const QStringList names = labelNames(named);
    for (ChartCurve &curve : curves) {
        const auto found = std::ranges::find(named, curve.id, &FigureRun::id);
        if (found != named.end())
            curve.label = names[found - named.begin()];
    }
    std::erase_if(m_passed, [&](const auto &entry) { return std::ranges::find(listed, entry.first) == listed.end(); });
    m_loss->setCurves(curves);
    m_accuracy->setCurves(curves);
    for (const run::RunId &id : listed)
        passMetrics(id);
    m_stack->setCurrentIndex(curves.empty() ? 1 : 0);
    for (QToolButton *button : {m_numbers, m_export})
        button->setEnabled(!named.empty());
    updateStages();
    updateSteps();
    updateReadout();
    m_isStale = false;
    Q_EMIT abilitiesChanged();
}

void TrainPage::passMetrics(const run::RunId &id)
{
    const RunCollection::Run *run = m_runs->find(id);
    if (!run)
        return;
    Passed &passed = m_passed[id];
    const std::vector<run::MetricsRecord> &metrics = run->metrics;
    // A run continued from a checkpoint rewrites its last steps: then the curve is taken anew.
    const bool isLonger =
        passed.count > 0 && passed.count <= metrics.size() && metrics[passed.count - 1] == passed.last;
    const std::size_t from = isLonger ? passed.count : 0;
    if (isLonger && from == metrics.size())
        return;
    const std::span<const run::MetricsRecord> rest = std::span(metrics).subspan(from);
    if (isLonger) {
        m_loss->appendPoints(qid(id), lossPoints(rest));
        m_accuracy->appendPoints(qid(id), accuracyPoints(rest));
    } else {
        m_loss->setPoints(qid(id), lossPoints(rest));
        m_accuracy->setPoints(qid(id), accuracyPoints(rest));
    }
    passed.count = metrics.size();
    passed.last = metrics.empty() ? std::nullopt : std::optional(metrics.back());
}

void TrainPage::updateSteps()
{
    double last = 1;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (run->isShown && !run->metrics.empty())
            last = std::max(last, double(run->metrics.back().step));
    }
    m_view->setAutomaticRange(stepRange(last, m_view->scale()));
}

void TrainPage::updateStages()
{
    // Those of the selected run, or of the first shown one.
    const RunCollection::Run *chosen = m_runs->find(m_runs->selected());
    if (!chosen || !chosen->isShown || !chosen->snapshot.isReadable) {
        chosen = nullptr;
        for (const run::RunId &id : m_runs->order()) {
            const RunCollection::Run *run = m_runs->find(id);
            if (!chosen && run->isShown && run->snapshot.isReadable)
                chosen = run;
        }
    }
    std::vector<Stage> stages = chosen ? curriculumStages(chosen->snapshot.record.config) : std::vector<Stage>();
    m_loss->setStages(stages);
    for (Stage &stage : stages)
        stage.text.clear(); // named once, above the loss
    m_accuracy->setStages(std::move(stages));
    m_loss->setToolTip(chosen ? tr("Shaded: curriculum of %1, n unique keys").arg(chosen->title) : QString());
}

void TrainPage::updateReadout()
{
    const std::optional<double> &at = m_view->crossHair();
    if (!at || !isVisible()) {
        m_readout->hide();
        Q_EMIT statusChanged({});
        return;
    }
    const Theme &theme = Theme::forPalette(palette());
    struct Entry {
        ReadoutFrame::Row row;
        double accuracy;
    };
    std::vector<Entry> entries;
    QString note;
    const auto step = std::int64_t(std::llround(*at));
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (!run->isShown || !run->snapshot.isReadable)
            continue;
        const auto found = std::ranges::lower_bound(run->metrics, step, {}, &run::MetricsRecord::step);
        const bool isThere = found != run->metrics.end() && found->step == step;
        const auto text = [](const std::optional<double> &value, QString (*format)(double)) {
            return value ? format(*value) : u"–"_s;
        };
        Entry entry{{m_runs->styleOf(id, theme), labelOf(id), {u"–"_s, u"–"_s}}, -1.0};
        if (isThere) {
            entry.row.values = {text(found->loss, quantityText), text(found->retrievalAcc, percentText)};
            entry.accuracy = found->retrievalAcc.value_or(-0.5);
            const RunConfig &config = run->snapshot.record.config;
            if (note.isEmpty() || id == m_runs->selected()) {
                note = tr("n = %1, %2 digits", "unique keys; scored digits of a batch")
                           .arg(found->n_keys)
                           .arg(countText(config.batch * found->n_keys * config.value_digits));
            }
        }
        entries.push_back(std::move(entry));
    }
    // NaN compares with nothing: it goes below all numbers, as a run without a value does.
    const auto rank = [](const Entry &entry) { return std::isnan(entry.accuracy) ? -2.0 : entry.accuracy; };
    std::ranges::stable_sort(entries, std::greater<>(), rank);
    // As wide as the larger side of the cross-hair, so that it need not cover it.
    const QRectF area = m_accuracy->plotArea();
    const qreal hair = m_accuracy->positionOf(*at, 1).x();
    const qreal widest =
        std::clamp(std::max(hair - area.left(), area.right() - hair) - 20, 0.3 * area.width(), 0.6 * area.width());
    std::vector<ReadoutFrame::Row> rows;
    for (Entry &entry : entries)
        rows.push_back(std::move(entry.row));
    m_readout->setContent(tr("Step %1").arg(countText(step)), note, {tr("Loss"), tr("Accuracy")}, std::move(rows),
                          QSize(int(widest), int(m_splitter->height() * 0.42)));
    placeReadout();
    m_readout->show();
    m_readout->raise();
}

QString TrainPage::labelOf(const run::RunId &id) const
{
    const auto found = std::ranges::find(m_loss->curves(), qid(id), &ChartCurve::id);
    return found == m_loss->curves().end() ? QString() : found->label;
}

void TrainPage::placeReadout()
{
    if (!m_view->crossHair())
        return;
    // Of the corners of both plots, the one with the fewest points under it that leaves the cross-hair free.
    QPoint best;
    int fewest = std::numeric_limits<int>::max();
    int corner = 0;
    int bestCorner = 0;
    for (const LineChart *chart : {m_accuracy, m_loss}) {
        const QRectF area = chart->plotArea();
        const QSizeF size = m_readout->size();
        const qreal hair = chart->positionOf(*m_view->crossHair(), 1).x();
        for (const bool isBottom : {true, false}) {
            for (const bool isRight : {true, false}) {
                const QRectF rect(isRight ? area.right() - size.width() - 8 : area.left() + 8,
                                  isBottom ? area.bottom() - size.height() - 8 : area.top() + 8, size.width(),
                                  size.height());
                int covered = hair > rect.left() - 8 && hair < rect.right() + 8 ? 100000 : 0;
                covered += rect.height() > area.height() ? 1000 : 0;
                for (const ChartCurve &curve : chart->curves()) {
                    const CurveData *data = curve.isShown ? chart->data(curve.id) : nullptr;
                    for (int i = 0; data && i <= 24; ++i) {
                        const double x =
                            chart->xAxis().valueAt((rect.left() + rect.width() * i / 24 - area.left()) / area.width());
                        const std::ptrdiff_t near = data->nearest(x);
                        if (near < 0)
                            continue;
                        const CurvePoint &point = data->points()[std::size_t(near)];
                        covered += point.y && rect.contains(chart->positionOf(point.x, *point.y)) ? 1 : 0;
                    }
                }
                // It stays where it is unless another corner is clearly better.
                if (++corner == m_readoutCorner)
                    covered = std::max(0, covered - 6);
                if (covered < fewest) {
                    fewest = covered;
                    bestCorner = corner;
                    best = chart->mapTo(this, rect.topLeft().toPoint());
                }
            }
        }
    }
    m_readoutCorner = bestCorner;
    m_readout->move(best);
}

void TrainPage::setLogSteps(bool isLog)
{
    m_view->setScale(isLog ? Scale::Log10 : Scale::Linear);
    updateSteps();
}

void TrainPage::setSmoothing(int percent)
{
    const double strength = percent / 100.0;
    m_loss->setSmoothing(strength);
    m_accuracy->setSmoothing(strength);
    m_smoothingText->setText(percent == 0 ? tr("off") : QString::number(strength, 'f', 2));
    m_smoothing->setAccessibleDescription(percent == 0 ? tr("off") : tr("smoothed %1").arg(strength));
}

void TrainPage::showNumbers()
{
    if (const std::unique_ptr<Figure> shown = figure()) {
        auto *dialog = new NumbersDialog(*shown, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    }
}

std::unique_ptr<Figure> TrainPage::figure() const
{
    TrainingFigureInput input;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (!run->isShown || !run->snapshot.isReadable)
            continue;
        TrainingFigureRun figure;
        figure.run.id = QString::fromStdString(run->snapshot.name);
        figure.run.title = run->title;
        figure.run.styleIndex = run->styleIndex;
        figure.run.isSelected = id == m_runs->selected();
        figure.run.record = run->snapshot.record;
        figure.run.record.state = run->snapshot.state;
        figure.run.record.step = run->snapshot.step;
        if (const model::VariantInfo *variant = m_runs->variant(run->snapshot.record.config.variant)) {
            figure.run.family = variant->family;
            figure.run.logits = variant->logits;
        }
        figure.metrics = run->metrics;
        if (figure.run.isSelected)
            input.stagesOf = figure.run.id;
        input.runs.push_back(std::move(figure));
    }
    if (input.runs.empty())
        return nullptr;
    input.stepScale = m_view->scale();
    input.smoothing = m_smoothing->value() / 100.0;
    input.hasFullRange = m_loss->isFullRange();
    if (!m_view->isFollowing())
        input.steps = m_view->range();
    input.loss = m_loss->heldYRange();
    input.accuracy = m_accuracy->heldYRange();
    return makeTrainingFigure(std::move(input));
}

bool TrainPage::canZoom() const
{
    return !m_loss->curves().empty();
}

void TrainPage::zoomIn()
{
    (m_accuracy->hasFocus() ? m_accuracy : m_loss)->zoom(0.8);
}

void TrainPage::zoomOut()
{
    (m_accuracy->hasFocus() ? m_accuracy : m_loss)->zoom(1.25);
}

void TrainPage::zoomToFit()
{
    m_loss->holdYRange({});
    m_accuracy->holdYRange({});
    m_loss->zoomToFit();
}

TrainPage::View TrainPage::currentView() const
{
    return {m_view->isFollowing(), m_view->range(), m_loss->heldYRange(), m_accuracy->heldYRange()};
}

void TrainPage::applyView(const View &view)
{
    if (view.isFollowing) {
        m_loss->holdYRange({});
        m_accuracy->holdYRange({});
        m_view->setFollowing(true);
    } else {
        m_view->setRange(view.steps);
        m_loss->holdYRange(view.loss);
        m_accuracy->holdYRange(view.accuracy);
    }
    Q_EMIT abilitiesChanged();
}

void TrainPage::goBack()
{
    if (m_history.canGoBack())
        applyView(m_history.back());
}

void TrainPage::goForward()
{
    if (m_history.canGoForward())
        applyView(m_history.forward());
}

QVariantMap TrainPage::viewState() const
{
    return {{u"stepScale"_s, m_steps->currentIndex()},
            {u"smoothing"_s, m_smoothing->value()},
            {u"splitter"_s, m_splitter->saveState()}};
}

void TrainPage::restoreViewState(const QVariantMap &state)
{
    m_steps->setCurrentIndex(std::clamp(state.value(u"stepScale"_s, 0).toInt(), 0, 1));
    m_smoothing->setValue(state.value(u"smoothing"_s, 0).toInt());
    m_splitter->restoreState(state.value(u"splitter"_s).toByteArray());
}

void TrainPage::showEvent(QShowEvent *event)
{
    Page::showEvent(event);
    if (m_isStale)
        updateCurves();
}

void TrainPage::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        noteChange({});
    Page::changeEvent(event);
}

void TrainPage::resizeEvent(QResizeEvent *event)
{
    Page::resizeEvent(event);
    placeReadout();
}

} // namespace lookback::ui
