// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_bridge.h"

#include <algorithm>
#include <mutex>

namespace lookback::ui {

namespace {
constexpr int kDrainIntervalMs = 50; // 20 updates a second, however fast training is
}

struct RunBridge::WakeTarget {
    std::mutex mutex;
    RunBridge *bridge = nullptr;
};

RunBridge::RunBridge(run::RunService *service, QObject *parent)
    : QObject(parent), m_service(service), m_target(std::make_shared<WakeTarget>())
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &RunBridge::drain);
    // Emitted on a thread of the service. One connection that stays: what Qt counts references of is made and destroyed
    // on this thread.
    connect(this, &RunBridge::woken, this, &RunBridge::scheduleDrain, Qt::QueuedConnection);
    m_target->bridge = this;
    m_service->setWakeFunction([target = m_target] {
        std::scoped_lock lock(target->mutex);
        if (target->bridge)
            Q_EMIT target->bridge->woken({});
    });
    scheduleDrain(); // what the service had before we came
}

RunBridge::~RunBridge()
{
    m_service->setWakeFunction({});
    std::scoped_lock lock(m_target->mutex);
    m_target->bridge = nullptr;
}

void RunBridge::scheduleDrain()
{
    if (m_timer.isActive())
        return;
    const qint64 elapsed = m_sinceDrain.isValid() ? m_sinceDrain.elapsed() : kDrainIntervalMs;
    m_timer.start(static_cast<int>(std::clamp<qint64>(kDrainIntervalMs - elapsed, 0, kDrainIntervalMs)));
}

void RunBridge::drain()
{
    m_sinceDrain.start();
    const run::ServiceEvents events = m_service->takeEvents();
    if (events.machine)
        Q_EMIT machineKnown(*events.machine);
    if (events.isListWhole)
        Q_EMIT listReplaced(events.runs);
    else if (!events.runs.empty())
        Q_EMIT runsChanged(events.runs);
    if (!events.removed.empty())
        Q_EMIT runsRemoved(events.removed);
    if (!events.metrics.empty())
        Q_EMIT metricsArrived(events.metrics);
    if (!events.accuracy.empty())
        Q_EMIT accuracyArrived(events.accuracy);
    if (!events.evaluations.empty())
        Q_EMIT evaluationsChanged(events.evaluations);
    for (const run::ProbeStatus &status : events.probes)
        Q_EMIT probeProgressed(status);
    for (const run::ExampleAnswer &answer : events.examples)
        Q_EMIT exampleReady(answer);
    for (const run::HeadMapsAnswer &answer : events.headMaps)
        Q_EMIT headMapsReady(answer);
    for (const run::HeadRowsAnswer &answer : events.headRows)
        Q_EMIT headRowsReady(answer);
    for (const run::CircuitAnswer &answer : events.circuit)
        Q_EMIT circuitAnswered(answer);
    for (const run::Notice &notice : events.notices)
        Q_EMIT noticed(notice);
}

} // namespace lookback::ui
