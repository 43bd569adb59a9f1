// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_collection.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ui/bridge/run_bridge.h"

namespace lookback::ui {

namespace {

void keepBetter(std::optional<run::MetricsRecord> &best, const run::MetricsRecord &record)
{
    if (!record.retrievalAcc || !std::isfinite(*record.retrievalAcc))
        return;
    if (!best || record.n_keys > best->n_keys
        || (record.n_keys == best->n_keys && *record.retrievalAcc > *best->retrievalAcc))
        best = record;
}

} // namespace

RunCollection::RunCollection(RunBridge *bridge, QObject *parent)
    : QObject(parent), m_bridge(bridge), m_variants(bridge->service().variants())
{
    connect(bridge, &RunBridge::listReplaced, this, &RunCollection::replaceAll);
    connect(bridge, &RunBridge::runsChanged, this, &RunCollection::update);
    connect(bridge, &RunBridge::runsRemoved, this, &RunCollection::remove);
    connect(bridge, &RunBridge::metricsArrived, this, &RunCollection::addMetrics);
    connect(bridge, &RunBridge::accuracyArrived, this, &RunCollection::addAccuracy);
    connect(bridge, &RunBridge::evaluationsChanged, this, &RunCollection::updateEvaluations);
}

bool RunCollection::isActive(run::RunState state)
{
    switch (state) {
    case run::RunState::Queued:
    case run::RunState::Initialising:
    case run::RunState::Running:
    case run::RunState::Paused:
    case run::RunState::Stopping:
        return true;
    case run::RunState::Stopped:
    case run::RunState::Finished:
    case run::RunState::Interrupted:
    case run::RunState::Failed:
        return false;
    }
    return false;
}

const RunCollection::Run *RunCollection::find(const run::RunId &id) const
{
    const auto found = m_runs.find(id);
    return found == m_runs.end() ? nullptr : &found->second;
}

const model::VariantInfo *RunCollection::variant(const std::string &id) const
{
    const auto found = std::ranges::find(m_variants, id, &model::VariantInfo::id);
    return found == m_variants.end() ? nullptr : &*found;
}

SeriesStyle RunCollection::styleOf(const run::RunId &id, const Theme &theme) const
{
    const Run *run = find(id);
    const model::VariantInfo *info = run ? variant(run->snapshot.record.config.variant) : nullptr;
    if (!info)
        return theme.seriesStyle(model::Family::Own, model::LogitForm::Plain, run ? run->styleIndex : 0);
    return theme.seriesStyle(info->family, info->logits, run->styleIndex);
}

void RunCollection::setShown(const run::RunId &id, bool isShown)
{
    const auto found = m_runs.find(id);
    if (found == m_runs.end() || found->second.isShown == isShown)
        return;
    found->second.isShown = isShown;
    if (isShown)
        load(found->second);
    Q_EMIT shownChanged(id);
}

void RunCollection::select(const run::RunId &id)
{
    if (m_selected == id || (!id.empty() && !find(id)))
        return;
    m_selected = id;
    if (const auto found = m_runs.find(id); found != m_runs.end())
        load(found->second);
    Q_EMIT selectionChanged(id);
}

RunCollection::Run &RunCollection::insert(const run::RunSnapshot &snapshot)
{
    // The smallest index that no run of this variant has: a curve keeps its style, a closed one frees it.
    std::set<int> taken;
    for (const auto &[id, other] : m_runs) {
        if (other.snapshot.isReadable && other.snapshot.record.config.variant == snapshot.record.config.variant)
            taken.insert(other.styleIndex);
    }
    int index = 0;
    while (taken.contains(index))
        ++index;
    QString title = freeTitle(snapshot);
    Run &run = m_runs[snapshot.id];
    run.snapshot = snapshot;
    run.title = std::move(title);
    run.styleIndex = index;
    run.arrival = ++m_arrivals;
    run.isShown = snapshot.isReadable;
    m_order.push_back(snapshot.id);
    return run;
}

void RunCollection::load(Run &run)
{
    if (run.isLoaded || !run.snapshot.isReadable)
        return;
    run.isLoaded = true;
    m_bridge->service().loadRun(run.snapshot.id);
}

void RunCollection::replaceAll(const std::vector<run::RunSnapshot> &runs)
{
    // Runs that are still listed keep style, place, log and switch.
    std::set<run::RunId> listed;
    for (const run::RunSnapshot &snapshot : runs)
        listed.insert(snapshot.id);
    std::erase_if(m_order, [&](const run::RunId &id) { return !listed.contains(id); });
    std::erase_if(m_runs, [&](const auto &entry) { return !listed.contains(entry.first); });
    int shown = static_cast<int>(std::ranges::count_if(m_runs, [](const auto &entry) { return entry.second.isShown; }));
    for (const run::RunSnapshot &snapshot : runs) {
        if (const auto found = m_runs.find(snapshot.id); found != m_runs.end()) {
            found->second.snapshot = snapshot;
            continue;
        }
        Run &run = insert(snapshot);
        run.isShown = run.isShown && (isActive(snapshot.state) || shown < kShownAtOpen);
        if (run.isShown) {
            ++shown;
            load(run);
        }
    }
    sortOrder();
    const bool isSelectionGone = !m_selected.empty() && !find(m_selected);
    if (isSelectionGone)
        m_selected.clear();
    Q_EMIT orderChanged();
    if (isSelectionGone)
        Q_EMIT selectionChanged(m_selected);
}

void RunCollection::update(const std::vector<run::RunSnapshot> &runs)
{
    bool isOrderNew = false;
    std::vector<run::RunId> changed;
    for (const run::RunSnapshot &snapshot : runs) {
        if (const auto found = m_runs.find(snapshot.id); found != m_runs.end()) {
            isOrderNew |= isActive(found->second.snapshot.state) != isActive(snapshot.state);
            found->second.snapshot = snapshot;
            changed.push_back(snapshot.id);
            continue;
        }
        Run &run = insert(snapshot);
        const bool isNew = snapshot.state == run::RunState::Queued && snapshot.step == 0;
        if (isNew)
            run.isLoaded = true; // its whole log will arrive line by line
        else if (run.isShown)
            load(run);
        isOrderNew = true;
    }
    if (isOrderNew) {
        sortOrder();
        Q_EMIT orderChanged();
    }
    for (const run::RunId &id : changed)
        Q_EMIT runChanged(id);
}

void RunCollection::remove(const std::vector<run::RunId> &runs)
{
    bool isSelectionGone = false;
    bool isAnyGone = false;
    for (const run::RunId &id : runs) {
        isAnyGone |= m_runs.erase(id) > 0;
        std::erase(m_order, id);
        isSelectionGone |= id == m_selected;
    }
    if (isSelectionGone)
        m_selected.clear();
    if (isAnyGone)
        Q_EMIT orderChanged();
    if (isSelectionGone)
        Q_EMIT selectionChanged(m_selected);
}

void RunCollection::addMetrics(const std::vector<run::MetricsUpdate> &updates)
{
    for (const run::MetricsUpdate &update : updates) {
        const auto found = m_runs.find(update.run);
        if (found == m_runs.end())
            continue;
        run::ThinnedLog &known = found->second.log;
        std::optional<run::MetricsRecord> &best = found->second.best;
        if (update.isWhole) {
            known.clear();
            best.reset();
        }
        for (const run::MetricsRecord &record : update.records) {
            // A run continued from an earlier checkpoint writes its steps anew.
            known.add(record);
            if (best && best->step >= record.step) {
                best.reset();
                for (const run::MetricsRecord &left : known.records())
                    keepBetter(best, left);
            }
            keepBetter(best, record);
        }
        Q_EMIT metricsChanged(update.run);
    }
}

void RunCollection::addAccuracy(const std::vector<run::AccuracyUpdate> &updates)
{
    for (const run::AccuracyUpdate &update : updates) {
        const auto found = m_runs.find(update.run);
        if (found == m_runs.end() || found->second.accuracy == update.curves)
            continue;
        found->second.accuracy = update.curves;
        Q_EMIT accuracyChanged(update.run);
    }
}

void RunCollection::updateEvaluations(const std::vector<run::EvaluationStatus> &evaluations)
{
    std::vector<run::EvaluationStatus> ended;
    for (const run::EvaluationStatus &status : evaluations) {
        const auto known = std::ranges::find(m_evaluations, status.job, &run::EvaluationStatus::job);
        if (status.isFinished) {
            if (known != m_evaluations.end())
                m_evaluations.erase(known);
            ended.push_back(status);
        } else if (known != m_evaluations.end()) {
            *known = status;
        } else {
            m_evaluations.push_back(status);
        }
    }
    Q_EMIT evaluationsChanged();
    for (const run::EvaluationStatus &status : ended)
        Q_EMIT evaluationEnded(status);
}

void RunCollection::sortOrder()
{
    std::ranges::stable_sort(m_order, [this](const run::RunId &a, const run::RunId &b) {
        const Run &left = m_runs.at(a);
        const Run &right = m_runs.at(b);
        const bool isLeftActive = isActive(left.snapshot.state);
        if (isLeftActive != isActive(right.snapshot.state))
            return isLeftActive;
        if (isLeftActive)
            return left.arrival < right.arrival;
        return left.snapshot.name < right.snapshot.name;
    });
}

QString RunCollection::freeTitle(const run::RunSnapshot &snapshot) const
{
    const RunConfig &config = snapshot.record.config;
    const QString plain = snapshot.isReadable
        ? tr("%1 · seed %2", "a run: variant and seed").arg(QString::fromStdString(config.variant)).arg(config.seed)
        : QString::fromStdString(snapshot.name);
    QString title = plain;
    const auto isTaken = [&](const auto &entry) { return entry.second.title == title; };
    for (int suffix = 2; std::ranges::any_of(m_runs, isTaken); ++suffix)
        title = tr("%1 (%2)", "a run's title, made unique").arg(plain).arg(suffix);
    return title;
}

} // namespace lookback::ui
