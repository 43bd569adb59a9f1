// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>

#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// Makes difference maps and their pictures on a thread of its own. Lives on the GUI thread; only the newest question
/// is answered.
class DifferenceMaker : public QObject {
    Q_OBJECT

public:
    explicit DifferenceMaker(QObject *parent = nullptr);
    ~DifferenceMaker() override;

    /// Right less left of two whole pictures that have a difference (analysis::whyNoDifference): exact where both are.
    /// ready() or failed() follows.
    void make(PyramidPointer left, PyramidPointer right);
    /// Nobody wants the answer any more.
    void drop() { ++m_newest; }

Q_SIGNALS:
    void ready(const lookback::ui::PyramidPointer &difference);
    void failed(const QString &sentence);

private:
    QThreadPool m_pool;
    quint64 m_newest = 0;
};

} // namespace lookback::ui
