// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/figure_helpers.h"
#include "ui/bridge/run_bridge.h"
#include "ui/pages/accuracy_page.h"

namespace lookback::tests {

using namespace lookback::ui;

struct AccuracyDesk {
    /// Finished and evaluated runs of these variants.
    explicit AccuracyDesk(const std::vector<std::string> &variants = {"rope", "hybrid_square"})
    {
        for (const std::string &variant : variants)
            ids.push_back(service.addRun(tests::paperConfig(variant), run::RunState::Finished, 15000));
        bridge = std::make_unique<RunBridge>(&service);
        runs = std::make_unique<RunCollection>(bridge.get());
        page = std::make_unique<AccuracyPage>(bridge.get(), runs.get());
        page->resize(1300, 700);
        page->show();
        QTRY_COMPARE(evaluated(), variants.size());
        settle();
    }
    std::size_t evaluated() const
    {
        return std::size_t(std::ranges::count_if(own(), &AccuracyModel::Entry::isEvaluated));
    }
    const std::vector<AccuracyModel::Entry> &own() const { return page->model()->entries(AccuracyModel::OwnGroup); }
    const std::vector<AccuracyModel::Entry> &published() const
    {
        return page->model()->entries(AccuracyModel::PublishedGroup);
    }
    const ChartCurve *curve(const QString &key) const
    {
        const auto found = std::ranges::find(page->chart()->curves(), key, &ChartCurve::id);
        return found == page->chart()->curves().end() ? nullptr : &*found;
    }
    void settle()
    {
        QSignalSpy refreshed(page->chart(), &LineChart::refreshed);
        page->chart()->setBottomNumbers(true);
        QTRY_VERIFY(!refreshed.isEmpty());
    }
    template <typename Widget> Widget *find(const QString &name)
    {
        auto *widget = page->findChild<Widget *>(name);
        Q_ASSERT(widget);
        return widget;
    }

    FakeRunService service;
    std::vector<run::RunId> ids;
    std::unique_ptr<RunBridge> bridge;
    std::unique_ptr<RunCollection> runs;
    std::unique_ptr<AccuracyPage> page;
};

} // namespace lookback::tests
