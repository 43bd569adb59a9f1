// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/map_preparer.h"

#include <exception>
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

quint64 MapPreparer::prepare(std::vector<std::shared_ptr<const analysis::HeadMap>> maps, ValuePyramid::Rows rows)
{
    const quint64 job = ++m_lastJob;
    m_pool.start([this, job, rows, maps = std::move(maps)] {
        // Nothing may leave a thread of the pool: that would end the program.
        try {
            std::vector<PyramidPointer> pyramids;
            pyramids.reserve(maps.size());
            for (const auto &map : maps)
                pyramids.push_back(std::make_shared<const ValuePyramid>(map, rows));
            QMetaObject::invokeMethod(
                this, [this, job, pyramids = std::move(pyramids)] { Q_EMIT ready(job, pyramids); },
                Qt::QueuedConnection);
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

} // namespace lookback::ui
