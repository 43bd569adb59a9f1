// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the training page is put together, zoomed and remembered; what it draws is in train_page_curves.cpp.
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
        const bool isFirst = !m_passed.contains(id) || m_passed[id].count == 0;
        passMetrics(id);
        if (const TrainingBands::Band *band = m_bands.bandOf(id)) {
            if (isFirst) // one seed more has begun
                updateCurves();
            else
                TrainingBands::pass(*band, *m_runs, *m_loss, *m_accuracy);
            updateSeedWords();
        }
        updateSteps();
        updateReadout();
    });
    connect(m_view, &XView::crossHairChanged, this, &TrainPage::updateReadout);
    connect(m_view, &XView::followingChanged, this, [this](bool isFollowing) {
        const QSignalBlocker blocker(m_follow);
        m_follow->setChecked(isFollowing);
    });
    for (LineChart *chart : {m_loss, m_accuracy}) {
        connect(chart, &LineChart::curveChosen, this, [this](const QString &id) {
            if (m_runs->find(id.toStdString())) // a band is no run
                m_runs->select(id.toStdString());
        });
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
    bar->addSeparator();
    m_seeds = bar->addToggle({}, tr("Seeds as band"), {}, u"seedBandButton"_s);
    m_seeds->setAccessibleName(tr("Seeds as band"));
    connect(m_seeds, &QToolButton::toggled, this, [this] { updateCurves(); });

    bar->addStretch();
    m_numbers = bar->addButton("numbers"_L1, tr("Numbers"), tr("The numbers behind the curves, as a table"),
                               u"numbersButton"_s);
    connect(m_numbers, &QToolButton::clicked, this, &TrainPage::showNumbers);
    m_export =
        bar->addButton("export"_L1, tr("Export…"), tr("Save this figure as PNG, SVG, PDF, CSV or .npy"), u"exportButton"_s);
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
        if (m_seeds->isChecked())
            figure.run.seedsKnown = TrainingBands::seedsKnown(*m_runs, id);
        figure.metrics = run->metrics();
        if (figure.run.isSelected)
            input.stagesOf = figure.run.id;
        input.runs.push_back(std::move(figure));
    }
    if (input.runs.empty())
        return nullptr;
    input.stepScale = m_view->scale();
    input.hasSeedBands = m_seeds->isChecked();
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
            {u"seedBands"_s, m_seeds->isChecked()},
            {u"splitter"_s, m_splitter->saveState()}};
}

void TrainPage::restoreViewState(const QVariantMap &state)
{
    m_steps->setCurrentIndex(std::clamp(state.value(u"stepScale"_s, 0).toInt(), 0, 1));
    m_smoothing->setValue(state.value(u"smoothing"_s, 0).toInt());
    m_seeds->setChecked(state.value(u"seedBands"_s, false).toBool());
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
