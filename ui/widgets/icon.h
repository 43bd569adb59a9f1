// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

namespace lookback::ui {

/// Where the colour of an icon comes from; each from the palette at the moment of painting, so that a changed theme
/// needs no new icons.
enum class IconRole { Text, Accent, AccentText, Right, Warning, Wrong };

/// The icon resources/icons/<name>.svg, drawn in the colour of `role` (disabled: the palette's disabled text).
QIcon icon(QLatin1StringView name, IconRole role = IconRole::Text);

/// True if there is such a file.
bool hasIcon(QLatin1StringView name);

/// The program's own icon.
QIcon applicationIcon();

} // namespace lookback::ui
