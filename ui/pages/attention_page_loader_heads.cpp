// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Large maps: one head at a time, in pieces.
#include <QLocale>

#include "ui/bridge/run_bridge.h"
#include "ui/pages/attention_page_loader.h"

namespace lookback::ui {

QString AttentionLoader::refusal(HeadChoice head) const
{
    const model::SublayerInfo &layer = m_example->layers[static_cast<std::size_t>(head.layer)];
    const std::int64_t bytes = ValuePyramid::halfBytes(m_example->positions, layer.isWindowed ? m_example->window : 0);
    if (bytes <= kLargestHeadBytes)
        return {};
    const QLocale locale;
    return tr("The map of this head at %1 tokens takes %2; up to %3 are kept for one. Choose fewer keys.")
        .arg(locale.toString(static_cast<qlonglong>(m_example->positions + 1)), locale.formattedDataSize(bytes),
             locale.formattedDataSize(kLargestHeadBytes));
}

void AttentionLoader::requestHead(HeadChoice head)
{
    // The only place where large maps are asked for, so the only one where they are refused.
    if (const QString reason = refusal(head); !reason.isEmpty()) {
        fail(reason);
        return;
    }
    dropQuestions(); // only the head on view is worth its time
    m_failure.clear();
    m_isCancelled = false;
    const run::JobId job = m_bridge->service().requestHead(
        m_example->key, head.layer, head.head, std::clamp<std::int64_t>(m_query, 0, m_example->positions - 1));
    m_headJob = HeadJob{job, head};
    Q_EMIT busyChanged();
}

void AttentionLoader::tryAgain()
{
    if (!isByHead() || m_exampleJob)
        return;
    m_cancelledHead.reset();
    requestNext();
}

void AttentionLoader::takeRows(const run::HeadRowsAnswer &answer)
{
    if (!m_headJob || m_headJob->job != answer.job)
        return; // an answer to an older question, or an exact row
    if (!answer.rows) {
        fail(QString::fromStdString(answer.failure));
        return;
    }
    m_strips[m_preparer.prepareStrip(answer.rows)] = m_headJob->head;
    if (!answer.isLast)
        return;
    m_headJob.reset();
    m_fraction.reset();
    Q_EMIT busyChanged();
}

void AttentionLoader::takeStrip(quint64 job, const StripPointer &strip)
{
    const auto found = m_strips.find(job);
    if (found == m_strips.end())
        return;
    const HeadChoice head = found->second;
    m_strips.erase(found);
    PyramidPointer known = m_heads.find(head);
    if (!known) {
        const model::SublayerInfo &layer = m_example->layers[static_cast<std::size_t>(head.layer)];
        known = std::make_shared<const ValuePyramid>(MapShape{
            .layer = head.layer,
            .head = head.head,
            .kind = layer.hasSoftmaxMap ? analysis::MapKind::AttentionWeights : analysis::MapKind::RecurrenceMatrix,
            .queries = m_example->positions,
            .keys = m_example->positions,
            .window = layer.isWindowed ? m_example->window : 0});
    }
    const std::vector<HeadChoice> left = m_heads.put(head, known->with(strip));
    for (const HeadChoice each : left)
        Q_EMIT headDropped(each);
    Q_EMIT headGrew(head);
    Q_EMIT busyChanged();
}

} // namespace lookback::ui
