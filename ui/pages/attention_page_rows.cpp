// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_rows.h"

#include <algorithm>
#include <utility>

#include "ui/bridge/run_bridge.h"

namespace lookback::ui {

ExactRows::ExactRows(RunBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    connect(bridge, &RunBridge::headRowsReady, this, &ExactRows::take);
}

void ExactRows::setExample(std::shared_ptr<const analysis::Example> example)
{
    if (example == m_example)
        return;
    m_example = std::move(example);
    m_rows.clear();
    m_queries.clear();
    if (m_job)
        m_bridge->service().cancelProbe(*m_job);
    m_job.reset();
}

void ExactRows::want(HeadChoice head, std::vector<std::int64_t> queries)
{
    m_head = head;
    m_queries = std::move(queries);
    if (!m_job)
        ask();
}

RowPointer ExactRows::find(HeadChoice head, std::int64_t query) const
{
    const auto found = std::ranges::find_if(m_rows, [&](const RowPointer &row) {
        return row->layer == head.layer && row->head == head.head && row->firstQuery == query;
    });
    return found == m_rows.end() ? nullptr : *found;
}

void ExactRows::ask()
{
    if (!m_example)
        return;
    const auto missing =
        std::ranges::find_if(m_queries, [this](std::int64_t query) { return query >= 0 && !find(m_head, query); });
    if (missing != m_queries.end())
        m_job = m_bridge->service().requestRow(m_example->key, m_head.layer, m_head.head, *missing);
}

void ExactRows::take(const run::HeadRowsAnswer &answer)
{
    if (m_job != answer.job)
        return;
    m_job.reset();
    if (!answer.rows) { // what is known stays; a picture that cannot be made says why
        m_queries.clear();
        return;
    }
    m_rows.push_front(answer.rows);
    if (m_rows.size() > kKept)
        m_rows.pop_back();
    ask();
    Q_EMIT rowReady();
}

} // namespace lookback::ui
