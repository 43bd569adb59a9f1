// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

#include <algorithm>
#include <string>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/pages/circuit_head_table.h"
#include "ui/pages/circuit_page.h"

namespace lookback::tests {

/// A service, what hangs on it, and the circuit page.
struct CircuitBench {
    CircuitBench()
    {
        page.setPalette(ui::Theme::dark().palette());
        page.resize(1440, 800);
    }
    FakeRunService service;
    ui::RunBridge bridge{&service};
    ui::RunCollection collection{&bridge};
    ui::CircuitPage page{&bridge, &collection};

    /// Eight layers of four heads, a finished run with a checkpoint each hundred steps.
    run::RunId addRun(const std::string &variant = "hybrid_square")
    {
        RunConfig config = FakeRunService::smallConfig(variant, 0, 800);
        config.pairs = 8;
        config.checkpoint_every = 100;
        return service.addRun(config, run::RunState::Finished, 800);
    }
    /// Shows the page and waits until heads and removals are measured.
    bool open()
    {
        page.show();
        return QTest::qWaitFor([this] { return isMeasured(); }, testing::kPatience);
    }
    bool isMeasured() const
    {
        return page.loader().isCurrent(ui::CircuitPart::Heads) && page.loader().isCurrent(ui::CircuitPart::Grid)
            && !page.loader().isBusy();
    }
    qsizetype count(const std::string &start) const
    {
        return std::ranges::count_if(service.calls(), [&](const std::string &call) { return call.starts_with(start); });
    }
    template <typename Widget> Widget *find(QLatin1StringView name) const { return page.findChild<Widget *>(name); }
};

} // namespace lookback::tests
