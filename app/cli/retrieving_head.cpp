// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/retrieving_head.h"

#include <optional>
#include <utility>

#include "app/cli/attention_text.h"

namespace lookback::cli {

analysis::HeadMap retrievingHead(analysis::AttentionProbe &probe, const analysis::Example &example,
                                 std::int64_t onlyLayer, std::int64_t onlyHead, std::stop_token stop)
{
    std::optional<std::pair<bool, double>> bestRank; // softmax first: other maps are on another scale
    circuit::HeadId best;
    for (std::int64_t layer = 0; layer < static_cast<std::int64_t>(example.layers.size()); ++layer) {
        if (onlyLayer >= 0 && layer != onlyLayer)
            continue;
        for (const analysis::HeadMap &map : probe.layerMaps(layer, stop)) {
            if (onlyHead >= 0 && map.head != onlyHead)
                continue;
            const std::pair rank(map.kind == analysis::MapKind::AttentionWeights, meanWeightOnMatches(example, map));
            if (!bestRank || rank > *bestRank) {
                bestRank = rank;
                best = {layer, map.head};
            }
        }
    }
    return probe.headMap(best.layer, best.head, stop); // the bits that the head has when it is asked for by name
}

} // namespace lookback::cli
