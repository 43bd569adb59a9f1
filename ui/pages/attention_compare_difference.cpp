// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_compare_difference.h"

#include <exception>
#include <utility>

#include "core/analysis/attention_comparison.h"

namespace lookback::ui {

DifferenceMaker::DifferenceMaker(QObject *parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
}

DifferenceMaker::~DifferenceMaker()
{
    m_pool.clear();
    m_pool.waitForDone(); // what is posted to us is dropped with us
}

void DifferenceMaker::make(PyramidPointer left, PyramidPointer right)
{
    const quint64 job = ++m_newest;
    m_pool.clear();
    m_pool.start([this, job, left = std::move(left), right = std::move(right)] {
        try { // nothing may leave a thread of the pool
            PyramidPointer picture;
            if (left->isExact() && right->isExact()) {
                picture = std::make_shared<const ValuePyramid>(
                    std::make_shared<const analysis::HeadMap>(analysis::differenceOf(left->map(), right->map())));
            } else {
                picture = ValuePyramid::difference(*left, *right);
            }
            const auto tell = [this, job, picture = std::move(picture)] {
                if (job == m_newest)
                    Q_EMIT ready(picture);
            };
            QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
        } catch (const std::exception &) { // std::bad_alloc
            const auto tell = [this, job] {
                if (job == m_newest)
                    Q_EMIT failed(tr("The difference of these maps needs more memory than this computer has free."));
            };
            QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
        }
    });
}

} // namespace lookback::ui
