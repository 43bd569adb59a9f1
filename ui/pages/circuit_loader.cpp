// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_loader.h"

#include <algorithm>

#include "ui/bridge/run_bridge.h"

namespace lookback::ui {

namespace {

constexpr CircuitPart kParts[] = {
    CircuitPart::Heads,    CircuitPart::Grid,     CircuitPart::Knockout, CircuitPart::Example, CircuitPart::Sets,
    CircuitPart::Timeline, CircuitPart::Failures, CircuitPart::Context,  CircuitPart::Patch,   CircuitPart::Map};
constexpr std::size_t kKeptGrids = 64;
constexpr std::size_t kKeptHeads = 512;

std::size_t indexOf(CircuitPart part)
{
    return static_cast<std::size_t>(part);
}

/// A value of an answer that keeps the answer alive.
template <typename T> std::shared_ptr<const T> partOf(const std::shared_ptr<const run::CircuitResult> &result)
{
    return {result, std::get_if<T>(result.get())};
}

template <typename Map> void limit(Map &known, std::size_t most)
{
    while (known.size() > most)
        known.erase(known.begin());
}

} // namespace

CircuitLoader::CircuitLoader(RunBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    connect(bridge, &RunBridge::circuitAnswered, this, &CircuitLoader::take);
    connect(bridge, &RunBridge::runsRemoved, this, &CircuitLoader::forget);
    connect(bridge, &RunBridge::probeProgressed, this, [this](const run::ProbeStatus &status) {
        const auto found = std::ranges::find(m_jobs, std::optional(status.job));
        if (found == m_jobs.end())
            return;
        m_progress[static_cast<std::size_t>(found - m_jobs.begin())] = status.progress;
        Q_EMIT busyChanged();
    });
}

void CircuitLoader::ask(CircuitPart part, run::CircuitTask task)
{
    drop(part);
    m_progress[indexOf(part)] = {};
    m_reasons[indexOf(part)].clear();
    m_jobs[indexOf(part)] =
        m_bridge->service().askCircuit({.run = m_subject->run, .step = m_subject->step, .task = std::move(task)});
    Q_EMIT busyChanged();
}

void CircuitLoader::forget(const std::vector<run::RunId> &runs)
{
    const auto isOfThem = [&](const Key &key) { return std::ranges::find(runs, std::get<0>(key)) != runs.end(); };
    std::erase_if(m_knownHeads, [&](const auto &known) { return isOfThem(known.first); });
    std::erase_if(m_knownGrids, [&](const auto &known) { return isOfThem(known.first.first); });
    std::erase_if(m_knownContexts, [&](const auto &known) { return isOfThem(known.first); });
}

void CircuitLoader::drop(CircuitPart part)
{
    if (const std::optional<run::JobId> job = std::exchange(m_jobs[indexOf(part)], {})) {
        m_bridge->service().cancelProbe(*job);
        Q_EMIT busyChanged();
    }
}

void CircuitLoader::cancel(CircuitPart part)
{
    drop(part);
    Q_EMIT changed(part);
}

void CircuitLoader::cancel()
{
    m_isCancelled = true;
    for (const CircuitPart part : kParts) {
        if (isPending(part))
            cancel(part);
    }
}

void CircuitLoader::set(CircuitPart part, bool isCurrent)
{
    m_isCurrent[indexOf(part)] = isCurrent;
    Q_EMIT changed(part);
}

void CircuitLoader::clear()
{
    for (const CircuitPart part : kParts)
        drop(part);
    m_subject.reset();
    m_isCancelled = false;
    m_isCurrent = {};
    m_reasons = {};
    m_heads.reset();
    m_grid.reset();
    m_knockout.reset();
    m_example.reset();
    m_sets.reset();
    m_timeline.reset();
    m_failures.reset();
    m_byContext.reset();
    m_patched.reset();
    m_map.reset();
    for (const CircuitPart part : kParts)
        Q_EMIT changed(part);
}

void CircuitLoader::setSubject(const CircuitSubject &subject, CircuitAsking asking)
{
    if (m_subject == subject) {
        refresh(asking);
        return;
    }
    const std::optional<CircuitSubject> before = std::exchange(m_subject, subject);
    const bool isOtherRun = !before || before->run != subject.run;
    const bool isOtherContext = isOtherRun || before->n_keys != subject.n_keys;
    m_reasons = {};
    m_isCancelled = false;
    const bool isOtherTimeline = isOtherContext || before->sequences != subject.sequences;
    for (const CircuitPart part : kParts) {
        if (part == CircuitPart::Timeline && !isOtherTimeline)
            continue;
        drop(part);
        m_isCurrent[indexOf(part)] = false;
    }
    if (isOtherTimeline)
        m_timeline.reset();
    m_sets.reset(); // words about another model
    m_failures.reset();
    m_patched.reset();
    const auto known = m_knownContexts.find(keyOf(subject));
    m_byContext = known != m_knownContexts.end() ? known->second : nullptr;
    m_isCurrent[indexOf(CircuitPart::Context)] = m_byContext != nullptr;
    if (isOtherRun) {
        m_knockout.reset();
        m_example.reset();
        m_map.reset();
    }
    for (const CircuitPart part :
         {CircuitPart::Sets, CircuitPart::Timeline, CircuitPart::Failures, CircuitPart::Context, CircuitPart::Patch})
        Q_EMIT changed(part);
    refresh(asking);
}

void CircuitLoader::refresh(CircuitAsking asking)
{
    const Key key = keyOf(*m_subject);
    if (const auto known = m_knownHeads.find(key); known != m_knownHeads.end()) {
        m_heads = known->second;
        set(CircuitPart::Heads, true);
    } else {
        set(CircuitPart::Heads, false);
    }
    if (const auto known = m_knownGrids.find({key, m_subject->removal}); known != m_knownGrids.end()) {
        m_grid = known->second;
        set(CircuitPart::Grid, true);
    } else {
        set(CircuitPart::Grid, false);
    }
    if (asking == CircuitAsking::ExampleOnly) {
        refreshExample();
        return;
    }
    if (!m_isCancelled) {
        if (canAsk(CircuitPart::Heads))
            ask(CircuitPart::Heads,
                circuit::HeadRequest{.n_keys = m_subject->n_keys, .sequences = m_subject->sequences});
        else if (isCurrent(CircuitPart::Heads) && canAsk(CircuitPart::Grid))
            ask(CircuitPart::Grid,
                circuit::GridRequest{
                    .removal = m_subject->removal, .n_keys = m_subject->n_keys, .sequences = m_subject->sequences});
    }
    refreshRemoved();
}

void CircuitLoader::measureAgain()
{
    if (!m_subject)
        return;
    m_isCancelled = false;
    m_knownHeads.erase(keyOf(*m_subject));
    m_knownGrids.erase({keyOf(*m_subject), m_subject->removal});
    for (const CircuitPart part :
         {CircuitPart::Heads, CircuitPart::Grid, CircuitPart::Knockout, CircuitPart::Example, CircuitPart::Map}) {
        drop(part);
        m_reasons[indexOf(part)].clear();
        m_isCurrent[indexOf(part)] = false;
    }
    refresh(CircuitAsking::Everything);
}

void CircuitLoader::setRemoved(const std::vector<circuit::HeadId> &heads)
{
    if (heads == m_removed)
        return;
    const bool isSameSet = std::ranges::is_permutation(heads, m_removed); // the last one's map may be another
    const bool isSameMap = !heads.empty() && !m_removed.empty() && heads.back() == m_removed.back();
    m_removed = heads;
    for (const CircuitPart part : {CircuitPart::Knockout, CircuitPart::Example, CircuitPart::Map}) {
        if (part == CircuitPart::Map ? isSameMap : isSameSet)
            continue;
        drop(part);
        m_isCurrent[indexOf(part)] = false;
        m_reasons[indexOf(part)].clear();
    }
    if (m_subject)
        refreshRemoved();
}

void CircuitLoader::refreshRemoved()
{
    if (m_removed.empty()) {
        drop(CircuitPart::Knockout);
        m_knockout.reset();
        set(CircuitPart::Knockout, false);
        // Until something was chosen the example of the intact model can wait for the heads.
        if (isCurrent(CircuitPart::Grid))
            refreshExample();
        return;
    }
    // One head alone is in the grid already, with the same numbers.
    if (!isCurrent(CircuitPart::Knockout) && m_removed.size() == 1 && isCurrent(CircuitPart::Grid)) {
        const auto found = std::ranges::find(m_grid->heads, m_removed.front(), &circuit::HeadEffect::id);
        if (found != m_grid->heads.end()) {
            drop(CircuitPart::Knockout);
            m_knockout = std::make_shared<const circuit::Knockout>(
                circuit::Knockout{.variant = m_grid->variant,
                                  .step = m_grid->step,
                                  .evaluationSeed = m_grid->evaluationSeed,
                                  .intervention = {.heads = m_removed, .removal = m_subject->removal},
                                  .points = {found->point}});
            m_reasons[indexOf(CircuitPart::Knockout)].clear();
            set(CircuitPart::Knockout, true);
        }
    }
    if (canAsk(CircuitPart::Knockout)) {
        ask(CircuitPart::Knockout,
            circuit::KnockoutRequest{.intervention = {.heads = m_removed, .removal = m_subject->removal},
                                     .n_keys = {m_subject->n_keys},
                                     .sequences = m_subject->sequences});
        set(CircuitPart::Knockout, false);
    }
    refreshExample();
}

void CircuitLoader::refreshExample()
{
    if (canAsk(CircuitPart::Example)) {
        ask(CircuitPart::Example,
            run::ExampleUnderRequest{.n_keys = m_subject->n_keys,
                                     .sequence = m_sequence,
                                     .intervention = {.heads = m_removed, .removal = m_subject->removal}});
        set(CircuitPart::Example, false);
    }
    if (!hasMap() && m_map) {
        m_map.reset();
        set(CircuitPart::Map, false);
    } else if (hasMap() && canAsk(CircuitPart::Map)) {
        ask(CircuitPart::Map,
            run::ExampleMapRequest{.n_keys = m_subject->n_keys, .sequence = m_sequence, .head = m_removed.back()});
        set(CircuitPart::Map, false);
    }
}

void CircuitLoader::setSequence(std::int64_t sequence)
{
    if (sequence == m_sequence)
        return;
    m_sequence = sequence;
    if (!m_subject)
        return;
    for (const CircuitPart part : {CircuitPart::Example, CircuitPart::Map}) {
        drop(part);
        m_isCurrent[indexOf(part)] = false;
        m_reasons[indexOf(part)].clear();
    }
    refreshExample();
}

void CircuitLoader::measureTimeline()
{
    if (m_subject && !isPending(CircuitPart::Timeline))
        ask(CircuitPart::Timeline,
            circuit::TimelineRequest{.heads = {.n_keys = m_subject->n_keys, .sequences = m_subject->sequences},
                                     .steps = {}});
    Q_EMIT changed(CircuitPart::Timeline);
}

circuit::SearchRequest CircuitLoader::searchRequest() const
{
    return {.n_keys = m_subject ? m_subject->n_keys : circuit::SearchRequest().n_keys};
}

void CircuitLoader::searchSets()
{
    if (m_subject && !isPending(CircuitPart::Sets))
        ask(CircuitPart::Sets, searchRequest());
    Q_EMIT changed(CircuitPart::Sets);
}

void CircuitLoader::findFailures()
{
    if (m_subject && !isPending(CircuitPart::Failures) && !isCurrent(CircuitPart::Failures))
        ask(CircuitPart::Failures,
            circuit::FailureRequest{.n_keys = m_subject->n_keys, .sequences = m_subject->sequences, .readers = {}});
    Q_EMIT changed(CircuitPart::Failures);
}

void CircuitLoader::measureByContext(const std::vector<circuit::HeadRequest> &lengths)
{
    if (m_subject && !isPending(CircuitPart::Context) && !isCurrent(CircuitPart::Context))
        ask(CircuitPart::Context, circuit::ContextRequest{.lengths = lengths});
    Q_EMIT changed(CircuitPart::Context);
}

void CircuitLoader::patch(const circuit::PatchRequest &request)
{
    m_patched.reset();
    if (m_subject)
        ask(CircuitPart::Patch, request);
    set(CircuitPart::Patch, false);
}

void CircuitLoader::take(const run::CircuitAnswer &answer)
{
    const auto found = std::ranges::find(m_jobs, std::optional(answer.job));
    if (found == m_jobs.end())
        return; // an answer to an older question
    const auto part = static_cast<CircuitPart>(found - m_jobs.begin());
    if (answer.isComplete)
        found->reset();
    for (const std::string &note : answer.notes)
        Q_EMIT noted(QString::fromStdString(note));
    if (answer.result) {
        keep(part, answer.result, answer.isComplete);
    } else {
        m_reasons[indexOf(part)] = QString::fromStdString(answer.failure);
        Q_EMIT changed(part);
    }
    Q_EMIT busyChanged();
}

void CircuitLoader::keep(CircuitPart part, const std::shared_ptr<const run::CircuitResult> &result, bool isComplete)
{
    const Key key = keyOf(*m_subject);
    switch (part) {
    case CircuitPart::Heads:
        m_heads = partOf<circuit::HeadTable>(result);
        m_knownHeads[key] = m_heads;
        limit(m_knownHeads, kKeptHeads);
        break;
    case CircuitPart::Grid:
        m_grid = partOf<circuit::KnockoutGrid>(result);
        m_knownGrids[{key, m_subject->removal}] = m_grid;
        limit(m_knownGrids, kKeptGrids);
        break;
    case CircuitPart::Knockout:
        m_knockout = partOf<circuit::Knockout>(result);
        break;
    case CircuitPart::Example:
        m_example = partOf<circuit::ExampleUnder>(result);
        break;
    case CircuitPart::Sets:
        m_sets = partOf<circuit::SmallestSets>(result);
        break;
    case CircuitPart::Timeline:
        m_timeline = partOf<std::vector<circuit::HeadTable>>(result);
        for (const circuit::HeadTable &table : *m_timeline)
            m_knownHeads.try_emplace({m_subject->run, table.step, m_subject->n_keys, m_subject->sequences},
                                     std::shared_ptr<const circuit::HeadTable>(m_timeline, &table));
        limit(m_knownHeads, kKeptHeads);
        break;
    case CircuitPart::Failures:
        m_failures = partOf<circuit::Failures>(result);
        break;
    case CircuitPart::Context:
        m_byContext = partOf<circuit::ContextHeads>(result);
        if (isComplete)
            m_knownContexts[key] = m_byContext;
        limit(m_knownContexts, kKeptGrids);
        break;
    case CircuitPart::Patch:
        m_patched = partOf<circuit::PatchResult>(result);
        break;
    case CircuitPart::Map:
        m_map = partOf<analysis::HeadMap>(result);
        break;
    }
    set(part, isComplete || part == CircuitPart::Timeline);
    if (part == CircuitPart::Heads || (part == CircuitPart::Grid && !isCurrent(CircuitPart::Knockout)))
        refresh(CircuitAsking::Everything); // what comes next
}

} // namespace lookback::ui
