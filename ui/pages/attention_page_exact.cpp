// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_exact.h"

#include <algorithm>
#include <new>
#include <utility>

#include <QLocale>

#include "ui/bridge/run_bridge.h"

namespace lookback::ui {

ExactMapFetch::ExactMapFetch(RunBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    connect(bridge, &RunBridge::headRowsReady, this, &ExactMapFetch::take);
}

void ExactMapFetch::fetch(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                          std::int64_t positions)
{
    cancel();
    const std::int64_t bytes = positions * positions * 4;
    if (bytes > kMostBytes) {
        const QLocale locale;
        Q_EMIT failed(
            tr("The exact numbers of this map take %1; up to %2 are gathered here. Use lookback-cli attention.")
                .arg(locale.formattedDataSize(bytes), locale.formattedDataSize(kMostBytes)));
        return;
    }
    try {
        m_map = std::make_shared<analysis::HeadMap>();
        m_map->layer = layer;
        m_map->head = head;
        m_map->queries = m_map->keys = positions;
        m_map->weights.assign(static_cast<std::size_t>(positions * positions), 0.0F);
    } catch (const std::bad_alloc &) {
        m_map.reset();
        Q_EMIT failed(tr("The exact numbers of this map need more memory than this computer has free."));
        return;
    }
    m_rows = 0;
    m_job = m_bridge->service().requestHead(key, layer, head, 0);
    Q_EMIT progressed();
}

void ExactMapFetch::cancel()
{
    if (!m_job)
        return;
    m_bridge->service().cancelProbe(*m_job);
    m_job.reset();
    m_map.reset();
    Q_EMIT progressed();
}

double ExactMapFetch::fraction() const
{
    return m_map ? static_cast<double>(m_rows) / static_cast<double>(m_map->queries) : 0.0;
}

void ExactMapFetch::take(const run::HeadRowsAnswer &answer)
{
    if (m_job != answer.job)
        return;
    if (!answer.rows) {
        m_job.reset();
        m_map.reset();
        Q_EMIT progressed();
        Q_EMIT failed(QString::fromStdString(answer.failure));
        return;
    }
    const analysis::HeadRows &rows = *answer.rows;
    m_map->kind = rows.kind;
    m_map->window = rows.window;
    for (std::int64_t i = 0; i < rows.rows; ++i) {
        std::copy_n(rows.weights.begin() + i * rows.keys, rows.keys,
                    m_map->weights.begin() + (rows.firstQuery + i) * m_map->keys + rows.firstKey);
    }
    m_rows += rows.rows;
    if (!answer.isLast) {
        Q_EMIT progressed();
        return;
    }
    m_job.reset();
    const std::shared_ptr<const analysis::HeadMap> map = std::exchange(m_map, nullptr);
    Q_EMIT progressed();
    Q_EMIT ready(map);
}

} // namespace lookback::ui
