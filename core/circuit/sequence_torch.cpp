// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/sequence_torch.h"

#include <algorithm>

#include <ATen/ops/empty.h>

namespace lookback::circuit {

task::Sequence evaluationSequenceOf(const RunConfig &config, std::int64_t n_keys, std::int64_t index)
{
    const task::TaskShape shape{.key_digits = config.key_digits, .value_digits = config.value_digits};
    return task::evaluationSequence(shape, n_keys, config.evaluation_seed, index, task::evaluationKeys(config));
}

at::Tensor integerTensor(std::span<const std::int64_t> values, at::Device device)
{
    at::Tensor tensor = at::empty({std::ssize(values)}, at::kLong);
    std::ranges::copy(values, tensor.mutable_data_ptr<std::int64_t>());
    return tensor.to(device);
}

at::Tensor inputTokens(const task::Sequence &sequence, at::Device device)
{
    return integerTensor(std::vector<std::int64_t>(sequence.tokens.begin(), sequence.tokens.end() - 1), device);
}

at::Device deviceOf(const model::Transformer &model)
{
    return model.parameters().front().second.device();
}

std::vector<std::int64_t> askedEntries(const task::Sequence &sequence, std::int64_t window, std::int64_t most)
{
    std::vector<std::int64_t> entries;
    for (std::int64_t i = 0; i < std::ssize(sequence.entries); ++i) {
        const task::Entry &entry = sequence.entries[static_cast<std::size_t>(i)];
        const std::int64_t distance = (i - entry.partner) * sequence.shape.entryTokens() - 1;
        if (entry.isSecondOccurrence && distance >= window)
            entries.push_back(i);
    }
    const std::int64_t found = std::ssize(entries);
    if (found <= most)
        return entries;
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < most; ++i)
        chosen.push_back(entries[static_cast<std::size_t>((2 * i + 1) * found / (2 * most))]);
    return chosen;
}

std::vector<std::int64_t> answerPositions(const task::Sequence &sequence, std::span<const std::int64_t> entries)
{
    std::vector<std::int64_t> positions;
    for (const std::int64_t entry : entries) {
        for (std::int64_t digit = 0; digit < sequence.shape.value_digits; ++digit)
            positions.push_back(sequence.predictionPosition(entry, digit));
    }
    return positions;
}

} // namespace lookback::circuit
