// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/per_index_torch.h"

#include <chrono>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/eval/per_index.h"

namespace lookback::eval {

namespace {

using Clock = std::chrono::steady_clock;

/// int64 on `device`.
template <typename Values> at::Tensor tensorOf(const Values &values, at::Device device)
{
    at::Tensor tensor = at::empty({std::ssize(values)}, at::kLong);
    std::int64_t *place = tensor.mutable_data_ptr<std::int64_t>();
    for (const auto value : values)
        *place++ = static_cast<std::int64_t>(value);
    return tensor.to(device);
}

/// Positions that predict the value digits of all entries, in order.
std::vector<std::int64_t> valuePositions(const task::Sequence &sequence)
{
    std::vector<std::int64_t> positions;
    for (std::int64_t entry = 0; entry < std::ssize(sequence.entries); ++entry) {
        for (std::int64_t digit = 0; digit < sequence.shape.value_digits; ++digit)
            positions.push_back(sequence.predictionPosition(entry, digit));
    }
    return positions;
}

std::vector<IndexLoss> lossesOf(const std::vector<IndexSum> &sums)
{
    std::vector<IndexLoss> losses;
    for (const IndexSum &sum : sums)
        losses.push_back(sum.loss());
    return losses;
}

} // namespace

PerIndexTable measurePerIndex(const model::Transformer &model, std::int64_t step, const PerIndexRequest &request,
                              const ProgressFunction &progress, std::stop_token stop)
{
    const RunConfig &config = model.config();
    requireEvaluable(config, {request.n_keys}, request.sequences);
    const at::NoGradGuard noGrad;
    const at::Device device = model.parameters().front().second.device();
    const task::TaskShape shape{.key_digits = config.key_digits, .value_digits = config.value_digits};
    const auto entries = static_cast<std::size_t>(2 * request.n_keys);
    std::vector<IndexSum> all(entries);
    std::vector<IndexSum> first(entries);
    std::vector<IndexSum> second(entries);
    const Clock::time_point begin = Clock::now();
    for (std::int64_t index = 0; index < request.sequences; ++index) {
        if (stop.stop_requested())
            throw Cancelled();
        const task::Sequence sequence = task::evaluationSequence(shape, request.n_keys, config.evaluation_seed, index,
                                                                 task::evaluationKeys(config));
        const std::vector<std::int64_t> positions = valuePositions(sequence);
        const std::span<const std::uint8_t> read(sequence.tokens.data(), sequence.tokens.size() - 1);
        const at::Tensor logits_SV = model.evaluateAt(tensorOf(read, device), tensorOf(positions, device), stop)
                                         .to(at::kCPU, at::kFloat)
                                         .contiguous();
        const auto vocabulary = static_cast<std::size_t>(logits_SV.size(1));
        const float *logits = logits_SV.const_data_ptr<float>();
        for (std::size_t entry = 0; entry < entries; ++entry) {
            double loss = 0.0;
            for (std::int64_t digit = 0; digit < shape.value_digits; ++digit) {
                const std::size_t row =
                    entry * static_cast<std::size_t>(shape.value_digits) + static_cast<std::size_t>(digit);
                const int truth = sequence.tokens[static_cast<std::size_t>(positions[row]) + 1];
                loss += crossEntropy(std::span(logits + row * vocabulary, vocabulary), truth);
            }
            loss /= static_cast<double>(shape.value_digits);
            all[entry].add(loss);
            (sequence.entries[entry].isSecondOccurrence ? second : first)[entry].add(loss);
        }
        if (progress) {
            const std::int64_t done = index + 1;
            Progress told{.what = "n = " + std::to_string(request.n_keys) + ": " + std::to_string(done) + " of "
                              + std::to_string(request.sequences) + " sequences",
                          .done = done,
                          .total = request.sequences};
            told.elapsedSeconds = std::chrono::duration<double>(Clock::now() - begin).count();
            if (told.elapsedSeconds >= 10.0 || done * 20 >= told.total)
                told.remainingSeconds =
                    told.elapsedSeconds * static_cast<double>(told.total - done) / static_cast<double>(done);
            progress(told);
        }
    }
    return {.variant = config.variant,
            .step = step,
            .request = request,
            .evaluationSeed = config.evaluation_seed,
            .all = lossesOf(all),
            .first = lossesOf(first),
            .second = lossesOf(second)};
}

} // namespace lookback::eval
