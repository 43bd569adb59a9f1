// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/event_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lookback::run {

namespace {

MetricsUpdate &updateOf(std::vector<MetricsUpdate> &updates, const RunId &run)
{
    const auto found =
        std::find_if(updates.begin(), updates.end(), [&](const MetricsUpdate &update) { return update.run == run; });
    if (found != updates.end())
        return *found;
    updates.push_back({.run = run, .isWhole = false, .records = {}});
    return updates.back();
}

} // namespace

template <typename Change> void EventQueue::apply(Change &&change)
{
    const std::scoped_lock lock(m_mutex);
    const bool wasEmpty = m_events.isEmpty();
    change(m_events);
    if (wasEmpty && !m_events.isEmpty())
        m_isWakeNeeded = true;
}

void EventQueue::setWakeFunction(std::function<void()> wake)
{
    std::unique_lock lock(m_mutex);
    m_wake = std::move(wake);
    m_isWakeNeeded = !m_events.isEmpty();
    m_wakeEnded.wait(lock, [this] { return m_wakesUnderWay == 0; });
}

ServiceEvents EventQueue::take()
{
    const std::scoped_lock lock(m_mutex);
    m_isWakeNeeded = false;
    return std::exchange(m_events, {});
}

void EventQueue::wakeIfNeeded()
{
    std::function<void()> wake;
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_isWakeNeeded || !m_wake)
            return;
        m_isWakeNeeded = false;
        wake = m_wake;
        ++m_wakesUnderWay;
    }
    wake();
    const std::scoped_lock lock(m_mutex);
    --m_wakesUnderWay;
    m_wakeEnded.notify_all();
}

void EventQueue::listReplaced(std::vector<RunSnapshot> runs)
{
    apply([&](ServiceEvents &events) {
        events.isListWhole = true;
        events.runs = std::move(runs);
        events.removed.clear();
    });
}

void EventQueue::changed(const RunSnapshot &run)
{
    apply([&](ServiceEvents &events) {
        std::erase(events.removed, run.id);
        const auto found = std::find_if(events.runs.begin(), events.runs.end(),
                                        [&](const RunSnapshot &known) { return known.id == run.id; });
        if (found != events.runs.end())
            *found = run;
        else
            events.runs.push_back(run);
    });
}

void EventQueue::removed(const RunId &run)
{
    apply([&](ServiceEvents &events) {
        std::erase_if(events.runs, [&](const RunSnapshot &known) { return known.id == run; });
        std::erase_if(events.metrics, [&](const MetricsUpdate &update) { return update.run == run; });
        std::erase_if(events.accuracy, [&](const AccuracyUpdate &update) { return update.run == run; });
        events.removed.push_back(run);
    });
}

void EventQueue::metricsLogged(const RunId &run, const MetricsRecord &record)
{
    apply([&](ServiceEvents &events) { updateOf(events.metrics, run).records.push_back(record); });
}

void EventQueue::metricsRead(const RunId &run, std::span<const MetricsRecord> records, bool isWhole)
{
    if (records.empty() && !isWhole)
        return;
    apply([&](ServiceEvents &events) {
        MetricsUpdate &update = updateOf(events.metrics, run);
        if (isWhole) {
            update.isWhole = true;
            update.records.clear();
        }
        update.records.insert(update.records.end(), records.begin(), records.end());
    });
}

void EventQueue::accuracyLoaded(const RunId &run, std::vector<eval::AccuracyCurve> curves)
{
    apply([&](ServiceEvents &events) {
        std::erase_if(events.accuracy, [&](const AccuracyUpdate &update) { return update.run == run; });
        events.accuracy.push_back({.run = run, .curves = std::move(curves)});
    });
}

void EventQueue::evaluationChanged(const EvaluationStatus &status)
{
    apply([&](ServiceEvents &events) {
        const auto found = std::find_if(events.evaluations.begin(), events.evaluations.end(),
                                        [&](const EvaluationStatus &known) { return known.job == status.job; });
        if (found != events.evaluations.end())
            *found = status;
        else
            events.evaluations.push_back(status);
    });
}

void EventQueue::answered(ExampleAnswer answer)
{
    apply([&](ServiceEvents &events) { events.examples.push_back(std::move(answer)); });
}

void EventQueue::answered(HeadMapsAnswer answer)
{
    apply([&](ServiceEvents &events) { events.headMaps.push_back(std::move(answer)); });
}

void EventQueue::answered(HeadRowsAnswer answer)
{
    apply([&](ServiceEvents &events) { events.headRows.push_back(std::move(answer)); });
}

void EventQueue::answered(CircuitAnswer answer)
{
    apply([&](ServiceEvents &events) {
        const auto found = std::ranges::find(events.circuit, answer.job, &CircuitAnswer::job);
        if (found != events.circuit.end())
            *found = std::move(answer);
        else
            events.circuit.push_back(std::move(answer));
    });
}

void EventQueue::probeChanged(const ProbeStatus &status)
{
    apply([&](ServiceEvents &events) {
        const auto found = std::ranges::find(events.probes, status.job, &ProbeStatus::job);
        if (found != events.probes.end())
            *found = status;
        else
            events.probes.push_back(status);
    });
}

void EventQueue::noticed(Notice notice)
{
    apply([&](ServiceEvents &events) { events.notices.push_back(std::move(notice)); });
}

void EventQueue::machineKnown(const MachineInfo &machine)
{
    apply([&](ServiceEvents &events) { events.machine = machine; });
}

} // namespace lookback::run
