// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace lookback::desktop {

class Application;

/// Trains three tiny runs for real in a temporary folder, then writes pictures of every page into `folder`: empty and
/// filled, light and dark, at 1440 x 900 and 1024 x 700; and the figures as they are exported. Returns the exit code.
int takeScreenshots(Application &application, const QString &folder);

} // namespace lookback::desktop
