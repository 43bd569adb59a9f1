// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <memory>
#include <optional>

#include "core/run/run_service.h"

namespace lookback::ui {

class RunBridge;

/// Gathers the exact numbers of a whole large head, for a file: the page keeps its picture only. One at a time. Lives
/// on the GUI thread.
class ExactMapFetch : public QObject {
    Q_OBJECT

public:
    /// A map of more floats is refused.
    static constexpr std::int64_t kMostBytes = 512LL * 1024 * 1024;

    explicit ExactMapFetch(RunBridge *bridge, QObject *parent = nullptr);

    /// Ends one that is under way.
    void fetch(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head, std::int64_t positions);
    void cancel();
    bool isBusy() const { return m_job.has_value(); }
    double fraction() const;

Q_SIGNALS:
    void progressed();
    void ready(const std::shared_ptr<const lookback::analysis::HeadMap> &map);
    void failed(const QString &sentence);

private:
    void take(const run::HeadRowsAnswer &answer);

    RunBridge *m_bridge;
    std::optional<run::JobId> m_job;
    std::shared_ptr<analysis::HeadMap> m_map;
    std::int64_t m_rows = 0; // that have come
};

} // namespace lookback::ui
