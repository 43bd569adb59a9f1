// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>

#include "core/run/metrics.h"

namespace lookback::run {

/// readMetrics that throws Cancelled soon after `stop` is requested. The file is read in pieces, however long it or a
/// line is.
MetricsLog readMetricsUntil(const std::filesystem::path &file, const std::stop_token &stop);

} // namespace lookback::run
