// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>

#include <memory>
#include <vector>

#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// Builds value pyramids on a thread of its own, so that the window never walks over a whole map. Lives on the GUI
/// thread; answers carry the number of their job.
class MapPreparer : public QObject {
    Q_OBJECT

public:
    explicit MapPreparer(QObject *parent = nullptr);
    ~MapPreparer() override;

    /// One pyramid a map, in that order; returns the job's number at once.
    quint64 prepare(std::vector<std::shared_ptr<const analysis::HeadMap>> maps,
                    ValuePyramid::Rows rows = ValuePyramid::Rows::AsTheyAre);

Q_SIGNALS:
    void ready(quint64 job, const std::vector<lookback::ui::PyramidPointer> &pyramids);
    /// Instead of ready(): why there is no picture, in one sentence.
    void failed(quint64 job, const QString &sentence);

private:
    QThreadPool m_pool;
    quint64 m_lastJob = 0;
};

} // namespace lookback::ui
