// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>

namespace lookback::ui {

/// QSettings::IniFormat, but written whole or not at all: on a full disk Qt 6.4's own replaces the good file by a cut
/// one and reports success. A file that could not be written is QSettings::AccessError.
QSettings::Format wholeIniFormat();

} // namespace lookback::ui
