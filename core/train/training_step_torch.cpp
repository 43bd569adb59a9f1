// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/training_step_torch.h"

#include <cmath>
#include <optional>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>

#include "core/kernels/fused/parts_torch.h"
#include "core/train/adamw_torch.h"

namespace lookback::train {

namespace {

at::Tensor integers(const std::vector<std::int64_t> &values, at::IntArrayRef shape, at::Device device)
{
    at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kLong));
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
    return tensor.to(device);
}

} // namespace

Batch batchOf(std::span<const task::Sequence> sequences, at::Device device)
{
    Batch batch;
    if (sequences.empty())
        return batch;
    const auto count = static_cast<std::int64_t>(sequences.size());
    const auto length = static_cast<std::int64_t>(sequences.front().tokens.size());
    const std::int64_t read = length - 1;
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> targets;
    tokens.reserve(static_cast<std::size_t>(count * read));
    for (std::int64_t b = 0; b < count; ++b) {
        const task::Sequence &sequence = sequences[static_cast<std::size_t>(b)];
        tokens.insert(tokens.end(), sequence.tokens.begin(), sequence.tokens.end() - 1);
        for (const std::int64_t position : sequence.scoredPositions()) {
            positions.push_back(b * read + position);
            targets.push_back(sequence.tokens[static_cast<std::size_t>(position + 1)]);
        }
    }
    const auto scored = static_cast<std::int64_t>(positions.size());
    batch.tokens_BT = integers(tokens, {count, read}, device);
    batch.positions_S = integers(positions, {scored}, device);
    batch.targets_S = integers(targets, {scored}, device);
    batch.n_keys = sequences.front().n_keys;
    batch.tokens = count * length;
    return batch;
}

Batch trainingBatch(const RunConfig &config, std::int64_t n_keys, std::int64_t step, at::Device device)
{
    const task::TaskShape shape{.key_digits = config.key_digits, .value_digits = config.value_digits};
    const std::int64_t count = config.batchOf(n_keys);
    std::vector<task::Sequence> sequences;
    sequences.reserve(static_cast<std::size_t>(count));
    for (std::int64_t row = 0; row < count; ++row)
        sequences.push_back(
            task::trainingSequence(shape, n_keys, config.seed, step, row, task::trainingKeys(config, row, count)));
    return batchOf(sequences, device);
}

Batch trainingBatch(const RunConfig &config, std::int64_t step, at::Device device)
{
    return trainingBatch(config, config.nKeysAtStep(step), step, device);
}

at::Tensor scoredLoss(const at::Tensor &logits_SV, const at::Tensor &targets_S)
{
    return at::cross_entropy_loss(logits_SV, targets_S);
}

StepValues forwardAndBackward(const model::Transformer &model, const std::vector<model::NamedTensor> &parameters,
                              const Batch &batch)
{
    StepValues values;
    // What is left beside the sublayers is little, and its sums must not depend on the thread count.
    std::optional<kernels::fused::KernelsShareThreads> alone;
    if (model.isWhollyFused())
        alone.emplace();
    const at::Tensor logits_SV = model.forwardAt(batch.tokens_BT, batch.positions_S);
    const at::Tensor loss = scoredLoss(logits_SV, batch.targets_S);
    values.loss = loss.item<double>();
    {
        const at::NoGradGuard noGrad;
        const at::Tensor right = logits_SV.argmax(-1).eq(batch.targets_S);
        values.digitAccuracy = right.sum().item<double>() / static_cast<double>(right.numel());
    }
    if (!std::isfinite(values.loss)) {
        values.nonFinite = "loss";
        values.gradientNorm = values.loss;
        return values;
    }
    loss.backward();
    const GradientNorm norm = gradientNorm(parameters);
    values.gradientNorm = norm.value;
    values.nonFinite = norm.nonFinite;
    return values;
}

} // namespace lookback::train
