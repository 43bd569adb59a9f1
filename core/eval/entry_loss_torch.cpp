// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/entry_loss_torch.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>

namespace lookback::eval {

EntryLosses entryLosses(const at::Tensor &logits_BTV, std::span<const task::Sequence> sequences)
{
    EntryLosses losses;
    if (sequences.empty())
        return losses;
    const at::NoGradGuard noGrad;
    const at::Tensor logProbability = at::log_softmax(logits_BTV, -1).to(at::kCPU, at::kDouble).contiguous();
    const double *values = logProbability.const_data_ptr<double>();
    const std::int64_t tokens = logProbability.size(1);
    const std::int64_t vocabulary = logProbability.size(2);
    const std::size_t entries = sequences.front().entries.size();
    losses.allEntries.resize(entries);
    losses.secondOccurrences.resize(entries);
    losses.secondOccurrenceCount.resize(entries);
    for (std::size_t b = 0; b < sequences.size(); ++b) {
        const task::Sequence &sequence = sequences[b];
        for (std::size_t entry = 0; entry < entries; ++entry) {
            double loss = 0.0;
            for (std::int64_t digit = 0; digit < sequence.shape.value_digits; ++digit) {
                const std::int64_t position = sequence.predictionPosition(static_cast<std::int64_t>(entry), digit);
                const std::int64_t target = sequence.tokens[static_cast<std::size_t>(position + 1)];
                loss -= values[(static_cast<std::int64_t>(b) * tokens + position) * vocabulary + target];
            }
            loss /= static_cast<double>(sequence.shape.value_digits);
            losses.allEntries[entry] += loss;
            if (sequence.entries[entry].isSecondOccurrence) {
                losses.secondOccurrences[entry] += loss;
                ++losses.secondOccurrenceCount[entry];
            }
        }
    }
    for (std::size_t entry = 0; entry < entries; ++entry) {
        losses.allEntries[entry] /= static_cast<double>(sequences.size());
        if (losses.secondOccurrenceCount[entry] > 0)
            losses.secondOccurrences[entry] /= static_cast<double>(losses.secondOccurrenceCount[entry]);
    }
    return losses;
}

} // namespace lookback::eval
