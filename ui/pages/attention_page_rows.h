// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/run_service.h"
#include "ui/heatmap/head_grid.h"

namespace lookback::ui {

class RunBridge;

using RowPointer = std::shared_ptr<const analysis::HeadRows>;

/// Exact rows of maps that are shown in half precision, asked for as they are read: one question at a time, and after
/// its answer what is wanted then; so a pointer that moves fast asks for few of the rows that it crosses. Keeps the
/// last rows. Lives on the GUI thread.
class ExactRows : public QObject {
    Q_OBJECT

public:
    /// Rows that are kept: 1 MiB at 4,096 tokens.
    static constexpr std::size_t kKept = 64;

    explicit ExactRows(RunBridge *bridge, QObject *parent = nullptr);

    /// Of which example rows are asked for; null = of none. Forgets all rows if it is another.
    void setExample(std::shared_ptr<const analysis::Example> example);
    /// Asks for those that are not there, the first ones first; replaces what was wanted before.
    void want(HeadChoice head, std::vector<std::int64_t> queries);
    /// Null if it is not there.
    RowPointer find(HeadChoice head, std::int64_t query) const;
    bool isPending() const { return m_job.has_value(); }

Q_SIGNALS:
    void rowReady();

private:
    void ask();
    void take(const run::HeadRowsAnswer &answer);

    RunBridge *m_bridge;
    std::shared_ptr<const analysis::Example> m_example;
    std::deque<RowPointer> m_rows; // newest first
    HeadChoice m_head;
    std::vector<std::int64_t> m_queries;
    std::optional<run::JobId> m_job;
};

} // namespace lookback::ui
