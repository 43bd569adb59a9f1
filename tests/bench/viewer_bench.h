// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace lookback::bench {

/// Prints how long the Attention page takes at n = 256 with the real service: the first rows, the whole picture, other
/// heads, frames while panning and zooming; and the memory it needs. `runFolder`: a run with checkpoints, whose page is
/// also written as pictures into `pictures` if that is not empty; without one an untrained model of the paper's size
/// (width 128, 4 heads, 8 layers) in a temporary folder. Returns the exit code.
int printViewerFigures(const QString &runFolder, const QString &pictures);

} // namespace lookback::bench
