// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the attention page asks for: run, checkpoint, sequence; and what it says while there is nothing to show.
#include <algorithm>

#include <QLocale>
#include <QStackedWidget>

#include "ui/bridge/run_bridge.h"
#include "ui/heatmap/row_bars.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/attention_page_example.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/attention_page_prediction.h"

namespace lookback::ui {

namespace {

bool isActive(run::RunState state)
{
    return state == run::RunState::Initialising || state == run::RunState::Running || state == run::RunState::Paused
        || state == run::RunState::Queued;
}

std::int64_t mostKeys(const RunConfig &config)
{
    std::int64_t most = 1;
    for (std::int64_t digit = 0; digit < config.key_digits && most < 1'000'000; ++digit)
        most *= 10;
    return most;
}

} // namespace

void AttentionPage::refreshRuns()
{
    std::vector<ExamplePanel::RunItem> items;
    for (const run::RunId &id : m_collection->order()) {
        const RunCollection::Run *run = m_collection->find(id);
        if (run && run->snapshot.isReadable)
            items.push_back({id, run->title});
    }
    const auto has = [&items](const run::RunId &id) {
        return std::any_of(items.begin(), items.end(),
                           [&id](const ExamplePanel::RunItem &item) { return item.id == id; });
    };
    run::RunId wanted = m_run;
    if (!has(wanted))
        wanted = has(m_collection->selected()) ? m_collection->selected() : run::RunId();
    if (wanted.empty()) { // one that can be looked into, if there is any
        const auto found = std::find_if(items.begin(), items.end(), [this](const ExamplePanel::RunItem &item) {
            return !m_collection->find(item.id)->snapshot.checkpointSteps.empty();
        });
        if (found != items.end())
            wanted = found->id;
        else if (!items.empty())
            wanted = items.front().id;
    }
    m_examplePanel->setRuns(items, wanted);
    if (wanted != m_run)
        setRun(wanted);
    else
        reload();
}

void AttentionPage::setRun(const run::RunId &id)
{
    const RunCollection::Run *run = m_collection->find(id);
    if (id == m_run || (!id.empty() && (!run || !run->snapshot.isReadable)))
        return;
    m_run = id;
    m_step = -1;
    m_knownSteps.clear();
    if (run) {
        m_knownSteps = run->snapshot.checkpointSteps;
        const RunConfig &config = run->snapshot.record.config;
        m_examplePanel->setKeys(std::min(m_keys.value_or(config.n_keys), mostKeys(config)), mostKeys(config));
    }
    std::vector<ExamplePanel::RunItem> items;
    for (const run::RunId &other : m_collection->order()) {
        if (const RunCollection::Run *found = m_collection->find(other); found && found->snapshot.isReadable)
            items.push_back({other, found->title});
    }
    m_examplePanel->setRuns(items, m_run);
    m_examplePanel->setCheckpoints(m_knownSteps, m_step);
    reload();
}

void AttentionPage::runChanged(const run::RunId &id)
{
    if (id != m_run) {
        if (m_run.empty())
            refreshRuns();
        return;
    }
    const RunCollection::Run *run = m_collection->find(id);
    if (!run || run->snapshot.checkpointSteps == m_knownSteps) {
        showEmptyStateIfNeeded(); // its words follow the run's state
        return;
    }
    m_knownSteps = run->snapshot.checkpointSteps;
    m_examplePanel->setCheckpoints(m_knownSteps, m_step);
    reload();
}

void AttentionPage::setCheckpoint(std::int64_t step)
{
    m_step = step;
    m_examplePanel->setCheckpoints(m_knownSteps, step);
    reload();
}

void AttentionPage::setKeys(std::int64_t n_keys)
{
    m_keys = std::max<std::int64_t>(n_keys, 1);
    if (const RunCollection::Run *run = m_collection->find(m_run)) {
        const std::int64_t most = mostKeys(run->snapshot.record.config);
        m_examplePanel->setKeys(std::min(*m_keys, most), most);
    }
    reload();
}

void AttentionPage::setSequence(std::int64_t sequence)
{
    m_sequence = std::max<std::int64_t>(sequence, 0);
    m_examplePanel->setSequence(m_sequence);
    reload();
}

void AttentionPage::reload(bool isForced)
{
    if (showEmptyStateIfNeeded()) {
        m_loader.clear();
        m_exactMap.cancel();
        m_rows.setExample({});
        m_normaliseJob = 0;
        m_asked.reset();
        m_shown.reset();
        m_comparison->setQuestion({});
        m_comparison->setLeft({}, {});
        m_view->setExample({});
        m_bars->setExample({});
        m_examplePanel->grid()->setExample({});
        m_examplePanel->setExample({});
        m_prediction->setExample({});
        m_bar->setHasMap(false);
        refreshTitle();
        Q_EMIT abilitiesChanged();
        return;
    }
    const RunCollection::Run *run = m_collection->find(m_run);
    const RunConfig &config = run->snapshot.record.config;
    analysis::ExampleKey key;
    key.runFolder = m_run;
    key.step = m_step < 0 ? run->snapshot.checkpointSteps.back() : m_step;
    key.n_keys = std::min(m_keys.value_or(config.n_keys), mostKeys(config));
    key.sequence = m_sequence;
    if (!isForced && m_asked && *m_asked == key)
        return;
    if (!isVisible()) { // a hidden page costs nothing
        m_isWaitingForShow = true;
        return;
    }
    m_isWaitingForShow = false;
    m_asked = key;
    m_isUpToDate = false;
    setStale(m_shown != nullptr);
    m_comparison->setQuestion(key);
    m_exactMap.cancel();
    m_rows.setExample({}); // its questions would end those about the new one
    m_loader.load(key, m_wantedHead.value_or(m_examplePanel->grid()->choice()));
    refreshTitle();
}

void AttentionPage::showEvent(QShowEvent *event)
{
    Page::showEvent(event);
    if (m_isWaitingForShow || !m_asked)
        reload();
    arrange();
    refreshReading(); // the status bar was another page's
}

void AttentionPage::takeFailure(const QString &)
{
    m_isUpToDate = true; // there is nothing more to wait for
    setStale(false);
    showEmptyStateIfNeeded();
}

bool AttentionPage::isShownCurrent() const
{
    return m_shown && m_loader.isExampleCurrent() && m_shown == m_loader.example();
}

void AttentionPage::takeCancel()
{
    m_isUpToDate = true; // nothing comes any more
    m_wantedHead.reset();
    setStale(false);
    const PyramidPointer &values = m_view->values();
    if (isShownCurrent() && values) // the head on view stays, and is the chosen one again
        m_examplePanel->grid()->setChoice({values->shape().layer, values->shape().head});
    else
        showEmptyStateIfNeeded();
}

bool AttentionPage::showEmptyStateIfNeeded()
{
    const RunCollection::Run *run = m_collection->find(m_run);
    const QLocale locale;
    bool isEmpty = true;
    if (!run) {
        m_empty->setTexts(tr("No heads yet"),
                          tr("The heads of a run will be here: where each query looks, and whether it finds the value. "
                             "There is no run yet."),
                          tr("Set up a training"));
    } else if (run->snapshot.checkpointSteps.empty()) {
        const run::RunSnapshot &snapshot = run->snapshot;
        const std::int64_t first = std::min(snapshot.record.config.checkpoint_every, snapshot.record.config.steps);
        if (isActive(snapshot.state)) {
            const bool canSave = snapshot.step > 0;
            m_empty->setTexts(tr("No heads yet"),
                              tr("Heads need a checkpoint; this run has none before step %1.")
                                  .arg(locale.toString(static_cast<qlonglong>(first))),
                              canSave ? tr("Save one now") : QString());
        } else {
            m_empty->setTexts(tr("No heads yet"),
                              tr("Heads need a checkpoint; this run ended at step %1 without one.")
                                  .arg(locale.toString(static_cast<qlonglong>(snapshot.step))),
                              tr("Continue the run"));
        }
    } else if (m_loader.isCancelled() && !isShownCurrent()) {
        m_empty->setTexts(tr("Cancelled"),
                          tr("The heads of this sequence were not computed to the end, and nothing of them is kept."),
                          tr("Compute them"));
    } else if (!m_loader.failure().isEmpty()) {
        m_empty->setTexts(tr("These heads cannot be shown"), m_loader.failure(), tr("Try again"));
    } else {
        isEmpty = false;
    }
    m_stack->setCurrentIndex(isEmpty ? 1 : 0);
    arrange();
    return isEmpty && !(run && !run->snapshot.checkpointSteps.empty());
}

void AttentionPage::pressEmptyButton()
{
    const RunCollection::Run *run = m_collection->find(m_run);
    if (!run)
        Q_EMIT trainRequested();
    else if (!run->snapshot.checkpointSteps.empty())
        reload(true);
    else if (isActive(run->snapshot.state))
        m_bridge->service().saveNow(m_run);
    else
        m_bridge->service().resume(m_run);
}

} // namespace lookback::ui
