// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/figure_helpers.h"
#include "ui/bridge/run_bridge.h"
#include "ui/pages/train_page.h"

namespace lookback::tests {

using namespace lookback::ui;

/// A service with runs in training and a page that shows them.
struct TrainDesk {
    TrainDesk() : bridge(&service), runs(&bridge), page(&runs)
    {
        service.setParallelRuns(9);
        page.resize(1000, 560);
        page.show();
    }
    void train(const std::vector<std::string> &variants, std::int64_t steps = 4000)
    {
        std::vector<run::TrainRequest> requests;
        for (const std::string &variant : variants) {
            run::TrainRequest request;
            request.config = tests::paperConfig(variant, 0, steps);
            request.preset = "paper";
            requests.push_back(std::move(request));
        }
        service.train(requests);
        QTRY_COMPARE(runs.order().size(), variants.size());
    }
    /// Advances in calls of 100 steps (the first one only starts runs) until all of it has reached the page.
    void advance(int hundreds)
    {
        m_expected += 100 * hundreds - (m_expected == 0 ? 100 : 0);
        for (int i = 0; i < hundreds; ++i)
            service.advance(100);
        QTRY_VERIFY(std::ranges::all_of(runs.order(), [this](const run::RunId &id) {
            const RunCollection::Run *run = runs.find(id);
            return !run->metrics().empty()
                && run->metrics().back().step == std::min(m_expected, run->snapshot.record.config.steps)
                && pointsOf(id) == run->metrics().size();
        }));
    }
    std::size_t pointsOf(const run::RunId &id) const
    {
        const CurveData *data = page.lossChart()->data(QString::fromStdString(id));
        return data ? data->points().size() : 0;
    }
    template <typename Widget> Widget *find(const QString &name)
    {
        auto *widget = page.findChild<Widget *>(name);
        Q_ASSERT(widget);
        return widget;
    }

    FakeRunService service;
    RunBridge bridge;
    RunCollection runs;
    TrainPage page;

private:
    std::int64_t m_expected = 0;
};

} // namespace lookback::tests
