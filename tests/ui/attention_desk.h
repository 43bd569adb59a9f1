// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string>

#include "tests/ui/fixture_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page.h"

namespace lookback::tests {

/// A service, what hangs on it, and the page.
struct AttentionDesk {
    AttentionDesk()
    {
        page.setPalette(ui::Theme::dark().palette());
        page.resize(1440, 800);
    }
    FixtureService service;
    ui::RunBridge bridge{&service};
    ui::RunCollection collection{&bridge};
    ui::AttentionPage page{&bridge, &collection};

    bool hasCall(const std::string &start) const
    {
        return std::ranges::any_of(service.calls(), [&](const std::string &call) { return call.starts_with(start); });
    }
    qsizetype count(const std::string &start) const
    {
        return std::ranges::count_if(service.calls(), [&](const std::string &call) { return call.starts_with(start); });
    }
};

template <typename Widget> Widget *find(const QWidget &page, QLatin1StringView name)
{
    return page.findChild<Widget *>(name);
}

} // namespace lookback::tests
