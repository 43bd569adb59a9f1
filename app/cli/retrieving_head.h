// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/analysis/attention_probe.h"

namespace lookback::cli {

/// The head that puts most weight on the digits to be retrieved, among softmax heads where there are any; layer or head
/// may be fixed (-1 = any). `example`: the probe's last one.
analysis::HeadMap retrievingHead(analysis::AttentionProbe &probe, const analysis::Example &example,
                                 std::int64_t onlyLayer, std::int64_t onlyHead, std::stop_token stop);

} // namespace lookback::cli
