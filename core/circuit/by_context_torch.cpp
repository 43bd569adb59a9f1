// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/by_context.h"

#include <algorithm>

#include "core/circuit/circuit_probe.h"
#include "core/circuit/work_meter.h"
#include "core/error.h"

namespace lookback::circuit {

ContextHeads headsByContext(CircuitProbe &probe, const ContextRequest &request, const ProgressFunction &progress,
                            const std::function<void(const ContextHeads &)> &onTable, std::stop_token stop,
                            std::vector<std::string> *notes)
{
    std::vector<HeadRequest> lengths = request.lengths;
    if (lengths.empty())
        throw Error("heads by context length", "No context length was named.");
    std::ranges::stable_sort(lengths, {}, &HeadRequest::n_keys);
    // A sequence of n keys counts n: attention aside, that is what it costs.
    const auto costOf = [](const HeadRequest &length) { return length.n_keys * length.sequences; };
    std::int64_t total = 0;
    for (const HeadRequest &length : lengths)
        total += costOf(length);
    const WorkMeter meter(total, progress);
    ContextHeads found;
    std::int64_t before = 0;
    for (const HeadRequest &length : lengths) {
        if (stop.stop_requested())
            throw Cancelled();
        const std::string what = "n = " + std::to_string(length.n_keys);
        found.tables.push_back(probe.heads(
            length, [&](const Progress &of) { meter.report(before + of.done * length.n_keys, what); }, stop, notes));
        before += costOf(length);
        meter.report(before, what);
        if (onTable)
            onTable(found);
    }
    return found;
}

} // namespace lookback::circuit
