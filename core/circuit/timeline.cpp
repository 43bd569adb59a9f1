// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/timeline.h"

namespace lookback::circuit {

std::optional<std::int64_t> stepOfForming(const std::vector<HeadTable> &timeline, const HeadId &id, HeadMeasure measure,
                                          double least)
{
    std::optional<std::int64_t> step;
    for (auto table = timeline.rbegin(); table != timeline.rend(); ++table) {
        const HeadScores *head = table->find(id);
        if (!head || !head->scores[measure] || head->scores[measure]->value < least)
            break;
        step = table->step;
    }
    return step;
}

} // namespace lookback::circuit
