// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/map_preparer.h"

#include <exception>
#include <functional>
#include <utility>

namespace lookback::ui {

MapPreparer::MapPreparer(QObject *parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1); // first come, first served
}

MapPreparer::~MapPreparer()
{
    m_pool.clear();
    m_pool.waitForDone(); // what they post to us is dropped with us
}

/// `work` runs on the thread and gives what is to be done on ours.
template <typename Work> quint64 MapPreparer::start(Work work)
{
    const quint64 job = ++m_lastJob;
    m_pool.start([this, job, work = std::move(work)] {
        // Nothing may leave a thread of the pool: that would end the program.
        try {
            if (auto tell = work(job))
                QMetaObject::invokeMethod(this, std::move(tell), Qt::QueuedConnection);
        } catch (const std::exception &) { // std::bad_alloc, std::length_error
            const auto tell = [this, job] {
                Q_EMIT failed(job,
                              tr("The picture of these heads needs more memory than this computer has free. "
                                 "Choose fewer keys, or close what else takes memory."));
            };
            QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
        }
    });
    return job;
}

quint64 MapPreparer::prepare(std::vector<std::shared_ptr<const analysis::HeadMap>> maps, ValuePyramid::Rows rows)
{
    return start([this, rows, maps = std::move(maps)](quint64 job) -> std::function<void()> {
        std::vector<PyramidPointer> pyramids;
        pyramids.reserve(maps.size());
        for (const auto &map : maps)
            pyramids.push_back(std::make_shared<const ValuePyramid>(map, rows));
        return [this, job, pyramids = std::move(pyramids)] { Q_EMIT ready(job, pyramids); };
    });
}

quint64 MapPreparer::prepareStrip(std::shared_ptr<const analysis::HeadRows> rows)
{
    return start([this, rows = std::move(rows)](quint64 job) -> std::function<void()> {
        return [this, job, strip = makeHalfStrip(*rows)] { Q_EMIT stripReady(job, strip); };
    });
}

quint64 MapPreparer::normalise(PyramidPointer values)
{
    m_newestNormalise = m_lastJob + 1;
    return start([this, values = std::move(values)](quint64 job) -> std::function<void()> {
        if (m_newestNormalise != job)
            return {};
        return [this, job, divided = values->normalised()] { Q_EMIT ready(job, {divided}); };
    });
}

} // namespace lookback::ui
