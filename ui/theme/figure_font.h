// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

namespace lookback::ui {

/// Font of figures at a size in points of the page: a fixed family (the same in the window and on the command line,
/// whatever the desktop's font is), without hinting and subpixel colours. For painters and metrics of a figure's
/// device, which has 72 dots per inch: use QFontMetricsF(font, painter.device()).
QFont figureFont(qreal points, QFont::Weight weight = QFont::Normal);

} // namespace lookback::ui
