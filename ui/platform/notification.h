// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace lookback::ui {

/// Shows a notification of the desktop (org.freedesktop.Notifications). Returns at once; where no bus or no service is
/// there, nothing happens.
void showNotification(const QString &title, const QString &text);

} // namespace lookback::ui
