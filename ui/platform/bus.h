// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>

namespace lookback::ui {

/// The message bus of the user's session. Not connected where there is none: nothing is started for us, and whoever
/// asks then does nothing.
QDBusConnection sessionBus();
/// The message bus of the machine; likewise.
QDBusConnection systemBus();

} // namespace lookback::ui
