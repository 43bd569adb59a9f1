// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

#include "ui/actions/action_table.h"
#include "ui/pages/page.h"

namespace lookback::ui {

class RunBridge;
class RunCollection;

/// One page of the tab bar.
struct PageEntry {
    QString id; ///< Key of what is remembered of it: "training".
    QString title; ///< On its tab.
    ActionId action; ///< That shows it.
    int docks; ///< Docks that it shows at first: bit 0 experiment, bit 1 runs.
    Page *page;
};

inline constexpr int kExperimentDockBit = 1;
inline constexpr int kRunsDockBit = 2;

/// All pages, in the order of their tabs.
std::vector<PageEntry> makePages(RunBridge *bridge, RunCollection *runs, QWidget *parent);

} // namespace lookback::ui
