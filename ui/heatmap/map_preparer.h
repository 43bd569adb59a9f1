// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <memory>
#include <vector>

#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// Builds value pyramids, and pieces of large ones, on a thread of its own, so that the window never walks over a whole
/// map. Lives on the GUI thread; answers carry the number of their job.
class MapPreparer : public QObject {
    Q_OBJECT

public:
    explicit MapPreparer(QObject *parent = nullptr);
    ~MapPreparer() override;

    /// One pyramid a map, in that order; returns the job's number at once.
    quint64 prepare(std::vector<std::shared_ptr<const analysis::HeadMap>> maps,
                    ValuePyramid::Rows rows = ValuePyramid::Rows::AsTheyAre);
    /// The strip of one piece of a large map; stripReady() follows.
    quint64 prepareStrip(std::shared_ptr<const analysis::HeadRows> rows);
    /// The same picture with each row divided by its maximum; ready() follows, with that one alone. A job that a newer
    /// one of this kind has overtaken gets no answer.
    quint64 normalise(PyramidPointer values);

Q_SIGNALS:
    void ready(quint64 job, const std::vector<lookback::ui::PyramidPointer> &pyramids);
    void stripReady(quint64 job, const lookback::ui::StripPointer &strip);
    /// Instead of ready() or stripReady(): why there is no picture, in one sentence.
    void failed(quint64 job, const QString &sentence);

private:
    template <typename Work> quint64 start(Work work);

    QThreadPool m_pool;
    std::atomic<quint64> m_newestNormalise{0};
    quint64 m_lastJob = 0;
};

} // namespace lookback::ui
