// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/circuit/head_measures.h"
#include "core/progress.h"

namespace lookback::circuit {

class CircuitProbe;

/// The heads of a checkpoint at several context lengths: which lose their target as the context grows, and to what.
struct ContextRequest {
    std::vector<HeadRequest> lengths{}; ///< In any order.
    bool operator==(const ContextRequest &) const = default;
};

struct ContextHeads {
    std::vector<HeadTable> tables{}; ///< Ascending n.
    bool operator==(const ContextHeads &) const = default;
};

/// Measures the short ones first; what was measured before is taken from the run folder (CircuitProbe::heads).
/// `onTable` gets what is known so far. Throws Error, and Cancelled soon after `stop` was asked for; what was measured
/// until then is kept.
ContextHeads headsByContext(CircuitProbe &probe, const ContextRequest &request, const ProgressFunction &progress = {},
                            const std::function<void(const ContextHeads &)> &onTable = {}, std::stop_token stop = {},
                            std::vector<std::string> *notes = nullptr);

} // namespace lookback::circuit
