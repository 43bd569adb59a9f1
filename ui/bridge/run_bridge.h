// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>

#include "core/run/run_service.h"

namespace lookback::ui {

/// The one QObject that knows that a RunService has threads: drains its events on the GUI thread, at most 20 times a
/// second and only when there are some, and states them as signals. Owns nothing but the connection to the service.
class RunBridge : public QObject {
    Q_OBJECT

public:
    explicit RunBridge(run::RunService *service, QObject *parent = nullptr);
    ~RunBridge() override;

    run::RunService &service() const { return *m_service; }

Q_SIGNALS:
    void listReplaced(const std::vector<lookback::run::RunSnapshot> &runs);
    void runsChanged(const std::vector<lookback::run::RunSnapshot> &runs);
    void runsRemoved(const std::vector<lookback::run::RunId> &runs);
    void metricsArrived(const std::vector<lookback::run::MetricsUpdate> &updates);
    void accuracyArrived(const std::vector<lookback::run::AccuracyUpdate> &updates);
    void evaluationsChanged(const std::vector<lookback::run::EvaluationStatus> &evaluations);
    void exampleReady(const lookback::run::ExampleAnswer &answer);
    void headMapsReady(const lookback::run::HeadMapsAnswer &answer);
    void headRowsReady(const lookback::run::HeadRowsAnswer &answer);
    void circuitAnswered(const lookback::run::CircuitAnswer &answer);
    void probeProgressed(const lookback::run::ProbeStatus &status);
    void noticed(const lookback::run::Notice &notice);
    void machineKnown(const lookback::MachineInfo &machine);
    void woken(QPrivateSignal); ///< Ours, from the service's threads.

private:
    struct WakeTarget; // shared with the wake function, which may outlive us on a thread of the service

    void scheduleDrain();
    void drain();

    run::RunService *m_service;
    QTimer m_timer;
    QElapsedTimer m_sinceDrain;
    std::shared_ptr<WakeTarget> m_target;
};

} // namespace lookback::ui
