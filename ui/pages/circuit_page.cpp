// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the circuit page asks for: run, checkpoint, context; and what it says while there is nothing to show.
#include "ui/pages/circuit_page.h"

#include <algorithm>
#include <utility>

#include <QComboBox>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>

#include "ui/bridge/run_bridge.h"
#include "ui/charts/number_text.h"
#include "ui/figures/training_figure.h"
#include "ui/models/context_words.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/circuit_context.h"
#include "ui/pages/circuit_example.h"
#include "ui/pages/circuit_failures.h"
#include "ui/pages/circuit_head_table.h"
#include "ui/pages/circuit_removal.h"
#include "ui/pages/circuit_timeline.h"
#include "ui/widgets/side_area.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr int kLogIntervalMs = 500;
}

CircuitPage::CircuitPage(RunBridge *bridge, RunCollection *collection, QWidget *parent)
    : Page(parent), m_bridge(bridge), m_collection(collection), m_loader(bridge)
{
    setObjectName(u"circuitPage"_s);
    build();
    connectAll();
    refreshRuns();
}

CircuitPage::~CircuitPage() = default;

void CircuitPage::connectAll()
{
    connect(m_collection, &RunCollection::orderChanged, this, &CircuitPage::refreshRuns);
    connect(m_collection, &RunCollection::runChanged, this, &CircuitPage::runChanged);
    connect(m_collection, &RunCollection::metricsChanged, this, [this](const run::RunId &id) {
        if (id != m_run || !isVisible())
            return;
        m_isLogStale = m_logTimer.isActive();
        if (m_isLogStale)
            return;
        refreshRun();
        m_logTimer.start();
    });
    m_logTimer.setSingleShot(true);
    m_logTimer.setInterval(kLogIntervalMs);
    connect(&m_logTimer, &QTimer::timeout, this, [this] {
        if (std::exchange(m_isLogStale, false))
            refreshRun();
    });
    connect(m_collection, &RunCollection::selectionChanged, this, [this](const run::RunId &id) {
        if (!id.empty()) // nothing selected: the run on view stays
            setRun(id);
    });
    connect(m_runs, &QComboBox::activated, this, [this](int index) {
        const run::RunId id = m_runs->itemData(index).toString().toStdString();
        m_collection->select(id);
        setRun(id);
        noteView();
    });
    connect(m_keysField, &QSpinBox::valueChanged, this, [this](int value) {
        setKeys(value);
        noteView();
    });
    connect(m_sequencesField, &QSpinBox::valueChanged, this, [this](int value) {
        setSequences(value);
        noteView();
    });
    connect(m_quantities, &QComboBox::activated, this, [this](int index) {
        setQuantity(index == 0
                        ? GridQuantity()
                        : GridQuantity(static_cast<circuit::HeadMeasure>(m_quantities->itemData(index).toInt())));
        noteView();
    });
    connect(m_again, &QToolButton::clicked, &m_loader, &CircuitLoader::measureAgain);
    connect(m_numbers, &QToolButton::clicked, this, &CircuitPage::showNumbers);
    connect(m_empty, &EmptyState::pressed, this, &CircuitPage::pressEmptyButton);

    connect(&m_loader, &CircuitLoader::changed, this, &CircuitPage::take);
    connect(&m_loader, &CircuitLoader::busyChanged, this, [this] {
        m_busy->setState(m_loader.busyText(), m_loader.busyFraction());
        m_timeline->setWaiting(m_loader.isPending(CircuitPart::Example) || m_loader.isPending(CircuitPart::Map));
        showPatched();
        refreshTitles();
    });
    connect(&m_loader, &CircuitLoader::noted, this, &CircuitPage::statusChanged);
    connect(m_busy, &BusyStrip::cancelAsked, &m_loader, qOverload<>(&CircuitLoader::cancel));

    connect(m_timeline, &CircuitTimeline::stepChosen, this, [this](qint64 step) {
        setStep(step);
        noteView();
    });
    connect(m_timeline, &CircuitTimeline::playingChanged, this, [this](bool isPlaying) {
        refreshHeads();
        if (isPlaying) {
            m_removalScroll->ensureWidgetVisible(m_removal->example(), 0, 0);
            return;
        }
        reload(); // what was passed over while it played
        noteView();
    });
    connect(m_timeline, &CircuitTimeline::timelineAsked, &m_loader, &CircuitLoader::measureTimeline);
    connect(m_timeline, &CircuitTimeline::headChosen, this, [this](const circuit::HeadId &id) { chooseByUser({id}); });
    connect(m_grid, &HeadScoreGrid::chosenChanged, this, &CircuitPage::chooseByUser);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CircuitPage::takeTableSelection);
    connect(m_filter, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_headsTab, &QToolButton::clicked, this, [this] { showBelow(Below::Heads); });
    connect(m_contextTab, &QToolButton::clicked, this, [this] { showBelow(Below::Context); });
    connect(m_failuresTab, &QToolButton::clicked, this, [this] { showBelow(Below::Failures); });
    connect(m_context, &ContextPanel::asked, this, [this] {
        m_loader.measureByContext(contextLengths(m_keysField->value(), m_sequences, m_keysField->maximum()));
    });
    connect(m_context, &ContextPanel::headChosen, this, [this](const circuit::HeadId &id) { chooseByUser({id}); });
    connect(m_context, &ContextPanel::viewChanged, this, &CircuitPage::noteView);

    connect(m_removal, &RemovalPanel::removalChosen, this, [this](circuit::Removal removal) {
        m_removalKind = removal;
        Q_EMIT circuitHeadsChanged({.heads = m_chosen, .removal = m_removalKind});
        reload();
        noteView();
    });
    connect(m_removal, &RemovalPanel::addingChanged, m_grid, &HeadScoreGrid::setAdding);
    connect(m_removal, &RemovalPanel::clearAsked, this, [this] { chooseByUser({}); });
    connect(m_removal, &RemovalPanel::setsAsked, this, &CircuitPage::searchSets);
    connect(m_removal, &RemovalPanel::patchAsked, this, &CircuitPage::patch);
    connect(m_removal->example(), &CircuitExample::sequenceChosen, this, [this](qint64 sequence) {
        m_loader.setSequence(sequence);
        noteView();
    });
    connect(m_removal->example(), &CircuitExample::exampleChosen, this, [this](qint64 entry) {
        const analysis::ExampleKey &key = m_loader.example()->before.key;
        Q_EMIT exampleRequested({.run = m_run,
                                 .step = key.step,
                                 .n_keys = key.n_keys,
                                 .sequence = key.sequence,
                                 .entry = entry,
                                 .head = m_chosen.empty() ? std::nullopt : std::optional(m_chosen.back())});
    });
    connect(m_failures, &FailuresPanel::asked, &m_loader, &CircuitLoader::findFailures);
    connect(m_failures, &FailuresPanel::exampleChosen, this, [this](const circuit::WrongDigit &digit) {
        const std::shared_ptr<const circuit::Failures> &failures = m_loader.failures();
        Q_EMIT exampleRequested({.run = m_run,
                                 .step = failures->step,
                                 .n_keys = failures->request.n_keys,
                                 .sequence = digit.sequence,
                                 .entry = digit.entry,
                                 .digit = digit.digit});
    });
}

void CircuitPage::refreshRuns()
{
    const QSignalBlocker blocker(m_runs);
    m_runs->clear();
    for (const run::RunId &id : m_collection->order()) {
        const RunCollection::Run *run = m_collection->find(id);
        if (run && run->snapshot.isReadable)
            m_runs->addItem(run->title, QString::fromStdString(id));
    }
    const auto has = [this](const run::RunId &id) { return m_runs->findData(QString::fromStdString(id)) >= 0; };
    run::RunId wanted = m_run;
    if (!has(wanted))
        wanted = has(m_collection->selected()) ? m_collection->selected() : run::RunId();
    for (int i = 0; wanted.empty() && i < m_runs->count(); ++i) { // one that can be looked into, if there is any
        const run::RunId id = m_runs->itemData(i).toString().toStdString();
        if (!m_collection->find(id)->snapshot.checkpointSteps.empty())
            wanted = id;
    }
    if (wanted.empty() && m_runs->count() > 0)
        wanted = m_runs->itemData(0).toString().toStdString();
    m_runs->setCurrentIndex(m_runs->findData(QString::fromStdString(wanted)));
    m_runs->setEnabled(m_runs->count() > 0);
    if (wanted != m_run)
        setRun(wanted);
    else
        reload();
}

void CircuitPage::setRun(const run::RunId &id)
{
    const RunCollection::Run *run = m_collection->find(id);
    if (id == m_run || (!id.empty() && (!run || !run->snapshot.isReadable)))
        return;
    m_run = id;
    m_step = -1;
    m_knownSteps.clear();
    m_isChosenByUser = false;
    m_isStepChosen = false;
    m_timeline->stop();
    setChosen({});
    {
        const QSignalBlocker blocker(m_runs);
        m_runs->setCurrentIndex(m_runs->findData(QString::fromStdString(id)));
    }
    if (run) {
        m_knownSteps = run->snapshot.checkpointSteps;
        m_step = m_knownSteps.empty() ? -1 : m_knownSteps.back();
        const QSignalBlocker blocker(m_keysField);
        const RunConfig &config = run->snapshot.record.config;
        std::int64_t most = 1;
        for (std::int64_t digit = 0; digit < config.key_digits && most < 1'000'000; ++digit)
            most *= 10;
        m_keysField->setRange(1, static_cast<int>(most));
        m_keysField->setValue(static_cast<int>(std::min(m_keys.value_or(config.n_keys), most)));
    }
    refreshRun();
    reload();
}

void CircuitPage::runChanged(const run::RunId &id)
{
    if (id != m_run) {
        if (m_run.empty())
            refreshRuns();
        return;
    }
    const RunCollection::Run *run = m_collection->find(id);
    if (run && run->snapshot.checkpointSteps != m_knownSteps) {
        // The checkpoint on view stays; a new one is one mark more.
        m_knownSteps = run->snapshot.checkpointSteps;
        if (std::ranges::find(m_knownSteps, m_step) == m_knownSteps.end())
            m_isStepChosen = false;
        if (!isVisible() || std::ranges::find(m_knownSteps, m_step) == m_knownSteps.end())
            followNewest();
        refreshRun();
        reload();
    } else {
        showEmptyStateIfNeeded(); // its words follow the run's state
    }
}

void CircuitPage::followNewest()
{
    if (!m_isStepChosen)
        m_step = m_knownSteps.empty() ? -1 : m_knownSteps.back();
}

void CircuitPage::refreshRun()
{
    const RunCollection::Run *run = m_collection->find(m_run);
    if (!run) {
        m_timeline->setCheckpoints({});
        return;
    }
    const std::int64_t last = std::max(run->snapshot.step, m_knownSteps.empty() ? 0 : m_knownSteps.back());
    const SeriesStyle style = m_collection->styleOf(m_run, Theme::forPalette(palette()));
    m_context->setStyle(style);
    m_timeline->setRun(run->title, style, run->metrics(), curriculumStages(run->snapshot.record.config, run->metrics()),
                       last);
    m_timeline->setCheckpoints(m_knownSteps);
    m_timeline->setStep(m_step);
    m_timeline->setTimeline(m_loader.timeline(), m_loader.isPending(CircuitPart::Timeline),
                            m_loader.failure(CircuitPart::Timeline));
}

void CircuitPage::setStep(std::int64_t step)
{
    if (step == m_step || std::ranges::find(m_knownSteps, step) == m_knownSteps.end())
        return;
    m_step = step;
    m_isStepChosen = true;
    m_timeline->setStep(step);
    reload();
}

void CircuitPage::setKeys(std::int64_t n_keys)
{
    m_keys = std::max<std::int64_t>(n_keys, 1);
    const QSignalBlocker blocker(m_keysField);
    m_keysField->setValue(static_cast<int>(*m_keys));
    reload();
}

void CircuitPage::setSequences(std::int64_t sequences)
{
    const QSignalBlocker blocker(m_sequencesField);
    m_sequencesField->setValue(static_cast<int>(sequences));
    m_sequences = m_sequencesField->value();
    reload();
}

void CircuitPage::setQuantity(GridQuantity quantity)
{
    m_quantity = quantity;
    const QSignalBlocker blocker(m_quantities);
    m_quantities->setCurrentIndex(quantity ? m_quantities->findData(static_cast<int>(*quantity)) : 0);
    refreshHeads();
}

void CircuitPage::reload()
{
    if (m_isGoing)
        return;
    if (showEmptyStateIfNeeded()) {
        if (m_loader.subject())
            m_loader.clear();
        return;
    }
    if (!isVisible()) { // a hidden page costs nothing
        m_isWaitingForShow = true;
        return;
    }
    m_isWaitingForShow = false;
    m_loader.setSubject({.run = m_run,
                         .step = m_step,
                         .n_keys = m_keysField->value(),
                         .sequences = m_sequences,
                         .removal = m_removalKind},
                        m_timeline->isPlaying() ? CircuitAsking::ExampleOnly : CircuitAsking::Everything);
    refreshContext();
}

void CircuitPage::showEvent(QShowEvent *event)
{
    Page::showEvent(event);
    if (!m_isStepChosen && !m_knownSteps.empty() && m_step != m_knownSteps.back()) {
        followNewest();
        m_isWaitingForShow = true;
    }
    refreshRun();
    if (m_isWaitingForShow || !m_loader.subject())
        reload();
    arrange();
    refreshTitles(); // the status bar was another page's
    settleView();
}

bool CircuitPage::showEmptyStateIfNeeded()
{
    const RunCollection::Run *run = m_collection->find(m_run);
    bool hasNothing = false; // to measure
    bool isEmpty = true;
    if (!run) {
        hasNothing = true;
        m_empty->setTexts(
            tr("No circuit yet"),
            tr("What the heads of a run do, and what it loses without them, will be here. There is no run "
               "yet."),
            tr("Set up a training"));
    } else if (run->snapshot.checkpointSteps.empty()) {
        hasNothing = true;
        const run::RunSnapshot &snapshot = run->snapshot;
        if (RunCollection::isActive(snapshot.state)) {
            const std::int64_t first = std::min(snapshot.record.config.checkpoint_every, snapshot.record.config.steps);
            m_empty->setTexts(tr("No circuit yet"),
                              tr("Heads need a checkpoint; this run has none before step %1.").arg(countText(first)),
                              snapshot.step > 0 ? tr("Save one now") : QString());
        } else {
            m_empty->setTexts(
                tr("No circuit yet"),
                tr("Heads need a checkpoint; this run ended at step %1 without one.").arg(countText(snapshot.step)),
                tr("Continue the run"));
        }
    } else if (!m_loader.failure(CircuitPart::Heads).isEmpty()) {
        m_empty->setTexts(tr("These heads cannot be measured"), m_loader.failure(CircuitPart::Heads), tr("Try again"));
    } else if (m_loader.isCancelled() && !m_loader.heads()) {
        m_empty->setTexts(tr("Cancelled"), tr("The heads were not measured to the end."), tr("Measure them"));
    } else {
        isEmpty = false;
    }
    m_stack->setCurrentIndex(isEmpty ? 1 : 0);
    for (QToolButton *button : {m_again, m_numbers, m_export})
        button->setEnabled(!isEmpty && (button == m_again || m_loader.heads()));
    return hasNothing;
}

void CircuitPage::pressEmptyButton()
{
    const RunCollection::Run *run = m_collection->find(m_run);
    if (!run)
        Q_EMIT trainRequested();
    else if (!run->snapshot.checkpointSteps.empty())
        m_loader.measureAgain();
    else if (RunCollection::isActive(run->snapshot.state))
        m_bridge->service().saveNow(m_run);
    else
        m_bridge->service().resume(m_run);
}

} // namespace lookback::ui
