// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_loader.h"

#include <algorithm>

#include "ui/bridge/run_bridge.h"

namespace lookback::ui {

AttentionLoader::AttentionLoader(RunBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    connect(bridge, &RunBridge::exampleReady, this, &AttentionLoader::takeExample);
    connect(bridge, &RunBridge::headMapsReady, this, &AttentionLoader::takeMaps);
    connect(bridge, &RunBridge::headRowsReady, this, &AttentionLoader::takeRows);
    connect(bridge, &RunBridge::probeProgressed, this, &AttentionLoader::takeProgress);
    connect(&m_preparer, &MapPreparer::ready, this, &AttentionLoader::takePyramids);
    connect(&m_preparer, &MapPreparer::stripReady, this, &AttentionLoader::takeStrip);
    connect(&m_preparer, &MapPreparer::failed, this, &AttentionLoader::takePreparerFailure);
}

std::int64_t AttentionLoader::layerBytes(std::int64_t positions, std::int64_t heads)
{
    const std::int64_t values = positions * positions * heads;
    return values * 4 + values * 4 / 3 * 2 / 3; // floats, and of those that are seen (half, aligned) the pyramid
}

void AttentionLoader::load(const analysis::ExampleKey &key, HeadChoice wanted)
{
    m_wanted = wanted;
    m_failure.clear();
    m_isCancelled = false;
    m_cancelledHead.reset();
    m_isExampleCurrent = false;
    dropQuestions();
    m_exampleJob = m_bridge->service().requestExample(key);
    Q_EMIT busyChanged();
}

void AttentionLoader::clear()
{
    dropQuestions();
    m_example.reset();
    m_isExampleCurrent = false;
    m_layers.clear();
    m_heads.clear();
    m_failure.clear();
    m_isCancelled = false;
    Q_EMIT busyChanged();
}

void AttentionLoader::dropQuestions()
{
    if (m_exampleJob)
        m_bridge->service().cancelProbe(*m_exampleJob);
    for (const auto &[job, layer] : m_mapJobs)
        m_bridge->service().cancelProbe(job);
    if (m_headJob)
        m_bridge->service().cancelProbe(m_headJob->job);
    m_exampleJob.reset();
    m_mapJobs.clear();
    m_newestMapJob.reset();
    m_headJob.reset();
    m_strips.clear();
    m_preparing.clear();
    m_fraction.reset();
}

void AttentionLoader::cancel()
{
    if (!isBusy())
        return;
    if (m_headJob)
        m_cancelledHead = m_headJob->head;
    dropQuestions();
    m_isCancelled = true;
    Q_EMIT busyChanged();
    Q_EMIT cancelled();
}

std::optional<double> AttentionLoader::busyFraction() const
{
    return m_fraction;
}

void AttentionLoader::takeProgress(const run::ProbeStatus &status)
{
    const bool isExample = m_exampleJob == status.job;
    const bool isMaps = m_newestMapJob == status.job && m_mapJobs.contains(status.job);
    const bool isHead = m_headJob && m_headJob->job == status.job;
    if (!(isExample || isMaps || isHead) || status.progress.total <= 0)
        return; // of an older question
    m_fraction = static_cast<double>(status.progress.done) / static_cast<double>(status.progress.total);
    Q_EMIT busyChanged();
}

const std::vector<PyramidPointer> &AttentionLoader::layer(std::int64_t layer) const
{
    static const std::vector<PyramidPointer> none;
    return layer >= 0 && layer < static_cast<std::int64_t>(m_layers.size()) ? m_layers[static_cast<std::size_t>(layer)]
                                                                            : none;
}

bool AttentionLoader::isBusy() const
{
    return m_exampleJob || !m_mapJobs.empty() || !m_preparing.empty() || m_headJob || !m_strips.empty();
}

QString AttentionLoader::busyText() const
{
    if (m_exampleJob)
        return tr("reading the sequence…");
    if (m_newestMapJob) {
        const auto found = m_mapJobs.find(*m_newestMapJob);
        if (found != m_mapJobs.end())
            return tr("computing layer %1 of %2…").arg(found->second).arg(m_layers.size());
    }
    if (m_headJob)
        return tr("computing layer %1, head %2…").arg(m_headJob->head.layer).arg(m_headJob->head.head);
    return isBusy() ? tr("preparing the picture…") : QString();
}

bool AttentionLoader::keepsAllLayers() const
{
    const std::int64_t all =
        layerBytes(m_example->positions, m_example->heads) * static_cast<std::int64_t>(m_layers.size());
    return all <= kKeptBytes;
}

void AttentionLoader::want(HeadChoice head)
{
    m_wanted = head;
    if (m_cancelledHead && *m_cancelledHead != head)
        m_cancelledHead.reset();
    if (!m_example || m_exampleJob)
        return;
    if (isByHead()) {
        requestNext();
        return;
    }
    if (!layer(head.layer).empty())
        return;
    for (const auto &[job, asked] : m_mapJobs) {
        if (asked == head.layer)
            return;
    }
    for (const auto &[job, prepared] : m_preparing) {
        if (prepared == head.layer)
            return;
    }
    requestNextLayer();
}

PyramidPointer AttentionLoader::head(HeadChoice head)
{
    if (isByHead())
        return m_heads.find(head);
    const std::vector<PyramidPointer> &heads = layer(head.layer);
    const auto index = static_cast<std::size_t>(head.head);
    return head.head >= 0 && index < heads.size() ? heads[index] : nullptr;
}

void AttentionLoader::requestNext()
{
    if (!isByHead()) {
        requestNextLayer();
        return;
    }
    const auto layers = static_cast<std::int64_t>(m_layers.size());
    const HeadChoice next{std::clamp<std::int64_t>(m_wanted.layer, 0, layers - 1),
                          std::clamp<std::int64_t>(m_wanted.head, 0, m_example->heads - 1)};
    const PyramidPointer known = m_heads.find(next);
    const bool isUnderWay = m_headJob
        ? m_headJob->head == next
        : std::ranges::any_of(m_strips, [&](const auto &item) { return item.second == next; });
    if (isUnderWay || (known && known->isComplete()) || m_cancelledHead == next) {
        if (!isUnderWay && (m_headJob || !m_strips.empty())) { // of a head that is not looked at any more
            dropQuestions();
            Q_EMIT busyChanged();
        }
        return;
    }
    requestHead(next);
}

void AttentionLoader::requestNextLayer()
{
    const auto count = static_cast<std::int64_t>(m_layers.size());
    const auto isMissing = [this](std::int64_t layer) {
        if (!m_layers[static_cast<std::size_t>(layer)].empty())
            return false;
        for (const auto &[job, prepared] : m_preparing) {
            if (prepared == layer)
                return false;
        }
        return true;
    };
    std::int64_t next =
        m_wanted.layer >= 0 && m_wanted.layer < count && isMissing(m_wanted.layer) ? m_wanted.layer : -1;
    if (keepsAllLayers()) {
        for (std::int64_t layer = 0; next < 0 && layer < count; ++layer) {
            if (isMissing(layer))
                next = layer;
        }
    }
    if (next < 0) {
        m_newestMapJob.reset();
        Q_EMIT busyChanged();
        return;
    }
    if (!keepsAllLayers()) {
        dropQuestions(); // only the layer on view is worth its time
        for (std::int64_t layer = 0; layer < count; ++layer) {
            if (layer != m_wanted.layer)
                m_layers[static_cast<std::size_t>(layer)].clear();
        }
    }
    // One at a time: a service may drop what has not begun when something newer is asked for.
    const run::JobId job = m_bridge->service().requestHeadMaps(m_example->key, next);
    m_mapJobs[job] = next;
    m_newestMapJob = job;
    m_fraction.reset();
    m_failure.clear();
    m_isCancelled = false;
    Q_EMIT busyChanged();
}

void AttentionLoader::takeExample(const run::ExampleAnswer &answer)
{
    if (!m_exampleJob || answer.job != *m_exampleJob)
        return; // an answer to an older question
    m_exampleJob.reset();
    m_fraction.reset();
    if (!answer.example) {
        fail(QString::fromStdString(answer.failure));
        return;
    }
    m_example = answer.example;
    m_isExampleCurrent = true;
    m_layers.assign(m_example->layers.size(), {});
    m_heads.clear();
    Q_EMIT exampleReady();
    if (m_mapJobs.empty() && !m_headJob) // a listener may have wanted something already
        requestNext();
}

void AttentionLoader::takeMaps(const run::HeadMapsAnswer &answer)
{
    const auto found = m_mapJobs.find(answer.job);
    if (found == m_mapJobs.end())
        return;
    const std::int64_t layer = found->second;
    const bool isNewest = m_newestMapJob && answer.job == *m_newestMapJob;
    m_mapJobs.erase(found);
    if (isNewest) {
        m_mapJobs.clear(); // older ones that did not answer before were dropped
        m_fraction.reset();
    }
    if (!answer.maps) {
        fail(QString::fromStdString(answer.failure));
        return;
    }
    std::vector<std::shared_ptr<const analysis::HeadMap>> maps;
    for (const analysis::HeadMap &map : *answer.maps)
        maps.emplace_back(answer.maps, &map); // shares the answer
    m_preparing[m_preparer.prepare(std::move(maps))] = layer;
    if (isNewest)
        requestNextLayer();
}

void AttentionLoader::takePyramids(quint64 job, const std::vector<PyramidPointer> &pyramids)
{
    const auto found = m_preparing.find(job);
    if (found == m_preparing.end())
        return;
    const std::int64_t layer = found->second;
    m_preparing.erase(found);
    if (keepsAllLayers() || layer == m_wanted.layer) {
        m_layers[static_cast<std::size_t>(layer)] = pyramids;
        Q_EMIT layerReady(layer);
    }
    Q_EMIT busyChanged();
}

void AttentionLoader::takePreparerFailure(quint64 job, const QString &sentence)
{
    if (m_preparing.erase(job) > 0 || m_strips.erase(job) > 0)
        fail(sentence);
}

void AttentionLoader::fail(const QString &sentence)
{
    m_failure = sentence;
    dropQuestions();
    Q_EMIT busyChanged();
    Q_EMIT failed(sentence);
}

} // namespace lookback::ui
