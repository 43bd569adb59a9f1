// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lookback {

/// Memory that this process may use, in bytes: the machine's, or less if its control group is limited. 0 if unknown.
double usableMemoryBytes();

} // namespace lookback
