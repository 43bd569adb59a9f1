// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lookback::ui {

/// Registers the files of resources/charts.qrc (palettes). A static library drops unreferenced resources, hence the
/// call; Theme makes it itself, and calling it again costs nothing.
void initResources();

} // namespace lookback::ui
