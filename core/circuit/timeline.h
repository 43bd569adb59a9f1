// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/circuit/head_measures.h"
#include "core/compute.h"
#include "core/progress.h"

namespace lookback::circuit {

struct TimelineRequest {
    HeadRequest heads{.n_keys = 8, .sequences = 64};
    std::vector<std::int64_t> steps{}; ///< Checkpoints; none = all that the run has.
    bool operator==(const TimelineRequest &) const = default;
};

/// The heads of each checkpoint of a run, ascending steps. What was measured before is taken from the run folder, the
/// rest is kept there (CircuitProbe::heads). A checkpoint that cannot be read, unless it was asked for, is passed over
/// with a sentence in `notes` (may be null). `onTable` gets each as it is known. Throws Error, and Cancelled soon after
/// `stop` was asked for; what was measured until then is kept.
std::vector<HeadTable> measureTimeline(const std::string &runFolder, const TimelineRequest &request,
                                       const ComputeOptions &compute, const ProgressFunction &progress = {},
                                       const std::function<void(const HeadTable &)> &onTable = {},
                                       std::stop_token stop = {}, std::vector<std::string> *notes = nullptr);

/// The first step of a timeline from which on a head keeps the measure at `least` or above to the end; nothing if it
/// does not end there.
std::optional<std::int64_t> stepOfForming(const std::vector<HeadTable> &timeline, const HeadId &id, HeadMeasure measure,
                                          double least);

} // namespace lookback::circuit
