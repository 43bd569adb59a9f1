// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/evaluator_torch.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>

#include "core/error.h"
#include "core/eval/evaluator.h"
#include "core/model/variant_registry.h"
#include "core/run/checkpoint_torch.h"
#include "core/torch_thread.h"
#include "core/train/training_step_torch.h"

namespace lookback::eval {

namespace {

/// Bytes of hidden states that are computed at once. Below that the cost of a call outweighs its arithmetic, above it
/// single sequences are faster: at the published size already from n = 8 on.
constexpr std::int64_t kBatchBytes = 64 << 10;
/// Positions and byte counts stay far from overflow, and nobody waits for more.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 30;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Counts work in forward FLOP, because a point at n = 256 takes about a hundred times as long as one at n = 8.
class Meter {
public:
    Meter(const RunConfig &config, const std::vector<std::int64_t> &n_keys, std::int64_t sequences,
          const ProgressFunction &function)
        : m_config(config), m_function(function), m_sequences(sequences)
    {
        for (const std::int64_t n : n_keys)
            m_total += unitsOf(n) * sequences;
    }

    void report(std::int64_t n, std::int64_t finished) const
    {
        if (!m_function)
            return;
        Progress progress;
        progress.what = "n = " + std::to_string(n) + ": " + std::to_string(finished) + " of "
            + std::to_string(m_sequences) + " sequences";
        progress.done = m_before + unitsOf(n) * finished;
        progress.total = m_total;
        progress.elapsedSeconds = secondsSince(m_begin);
        if (progress.done > 0 && (progress.elapsedSeconds >= 10.0 || progress.done * 20 >= m_total)) {
            progress.remainingSeconds = progress.elapsedSeconds * static_cast<double>(m_total - progress.done)
                / static_cast<double>(progress.done);
        }
        m_function(progress);
    }
    void finishPoint(std::int64_t n) { m_before += unitsOf(n) * m_sequences; }

private:
    std::int64_t unitsOf(std::int64_t n) const
    {
        const double flop = model::trainingStepFlop(m_config, n) / (3.0 * static_cast<double>(m_config.batchOf(n)));
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(flop / 1e6));
    }

    const RunConfig &m_config;
    const ProgressFunction &m_function;
    std::int64_t m_sequences;
    std::int64_t m_total = 0;
    std::int64_t m_before = 0;
    Clock::time_point m_begin = Clock::now();
};

/// Counts from logits whose rows are the scored digits of all sequences in order.
void addScores(const at::Tensor &logits_SV, const at::Tensor &targets_S, std::int64_t valueDigits,
               std::int64_t digitsPerSequence, std::vector<SequenceScore> &scores)
{
    const at::Tensor right = logits_SV.argmax(-1).eq(targets_S).to(at::kCPU).contiguous();
    const at::Tensor loss =
        at::cross_entropy_loss(logits_SV, targets_S, {}, at::Reduction::None).to(at::kCPU, at::kDouble).contiguous();
    const bool *isRight = right.const_data_ptr<bool>();
    const double *nats = loss.const_data_ptr<double>();
    for (std::int64_t begin = 0; begin < right.numel(); begin += digitsPerSequence) {
        SequenceScore score;
        for (std::int64_t answer = begin; answer < begin + digitsPerSequence; answer += valueDigits) {
            const std::int64_t digits = std::count(isRight + answer, isRight + answer + valueDigits, true);
            score.digitsRight += digits;
            score.exact += digits == valueDigits ? 1 : 0;
        }
        for (std::int64_t i = begin; i < begin + digitsPerSequence; ++i)
            score.lossSum += nats[i];
        scores.push_back(score);
    }
}

AccuracyPoint pointOf(const RunConfig &config, std::int64_t n, const std::vector<SequenceScore> &scores)
{
    AccuracyPoint point;
    point.n_keys = n;
    point.contextTokens = config.contextTokens(n);
    point.sequences = static_cast<std::int64_t>(scores.size());
    point.answers = point.sequences * n;
    double loss = 0.0;
    for (const SequenceScore &score : scores) {
        point.exact += score.exact;
        point.digitsRight += score.digitsRight;
        loss += score.lossSum;
        point.exactBySequence.push_back(score.exact);
    }
    point.accuracy = static_cast<double>(point.exact) / static_cast<double>(point.answers);
    point.meanLoss = loss / static_cast<double>(point.answers * config.value_digits);
    const Interval interval = exactMatchInterval(point.exactBySequence, n);
    point.low = interval.low;
    point.high = interval.high;
    return point;
}

} // namespace

void requireEvaluable(const RunConfig &config, const std::vector<std::int64_t> &n_keys, std::int64_t sequences)
{
    if (n_keys.empty())
        throw Error("--n", "There is nothing to evaluate.", "Name at least one number of keys, for example 8,16,32.");
    if (sequences < 1)
        throw Error("--sequences " + std::to_string(sequences), "A point needs 1 sequence or more.");
    std::int64_t mostKeys = 1; // as far as it matters here
    for (std::int64_t digit = 0; digit < config.key_digits && mostKeys < kMostTokens; ++digit)
        mostKeys *= 10;
    for (const std::int64_t n : n_keys) {
        const std::string subject = "n = " + std::to_string(n);
        if (n < 1)
            throw Error(subject, "A sequence needs 1 key or more.");
        if (n > mostKeys) {
            throw Error(subject,
                        "This run was trained with keys of " + std::to_string(config.key_digits)
                            + (config.key_digits == 1 ? " digit" : " digits") + ", of which there are only "
                            + std::to_string(mostKeys) + ".",
                        "Ask for at most so many.");
        }
        if (n > kMostTokens / (2 * config.entryTokens()))
            throw Error(subject, "A sequence would have more than a thousand million tokens.", "Ask for a smaller n.");
    }
}

std::int64_t sequencesAtOnce(const RunConfig &config, std::int64_t n_keys)
{
    const std::int64_t bytes = (config.contextTokens(n_keys) - 1) * config.d_model * 4;
    return std::max<std::int64_t>(1, kBatchBytes / std::max<std::int64_t>(1, bytes));
}

std::vector<SequenceScore> scoreSequences(const model::Transformer &model, at::Device device,
                                          std::span<const task::Sequence> sequences, std::stop_token stop)
{
    const at::NoGradGuard noGrad;
    std::vector<SequenceScore> scores;
    scores.reserve(sequences.size());
    if (sequences.empty())
        return scores;
    const RunConfig &config = model.config();
    const std::int64_t n = sequences.front().n_keys;
    const auto atOnce = static_cast<std::size_t>(sequencesAtOnce(config, n));
    for (std::size_t begin = 0; begin < sequences.size(); begin += atOnce) {
        const auto some = sequences.subspan(begin, std::min(atOnce, sequences.size() - begin));
        const train::Batch batch = train::batchOf(some, device);
        const at::Tensor logits_SV = some.size() == 1 ? model.evaluateAt(batch.tokens_BT[0], batch.positions_S, stop)
                                                      : model.forwardAt(batch.tokens_BT, batch.positions_S);
        addScores(logits_SV, batch.targets_S, config.value_digits, n * config.value_digits, scores);
    }
    return scores;
}

AccuracyCurve evaluateModel(const model::Transformer &model, at::Device device, std::int64_t step,
                            std::vector<std::int64_t> n_keys, std::int64_t sequences, const ProgressFunction &progress,
                            const std::function<void(const AccuracyCurve &)> &onPoint, std::stop_token stop)
{
    const RunConfig &config = model.config();
    requireEvaluable(config, n_keys, sequences);
    std::sort(n_keys.begin(), n_keys.end());
    n_keys.erase(std::unique(n_keys.begin(), n_keys.end()), n_keys.end());

    AccuracyCurve curve;
    curve.variant = config.variant;
    curve.step = step;
    curve.totalSteps = config.steps;
    curve.trainedTokens = config.trainedTokens();
    curve.evaluationSeed = config.evaluation_seed;

    const task::TaskShape shape{.key_digits = config.key_digits, .value_digits = config.value_digits};
    Meter meter(config, n_keys, sequences, progress);
    for (const std::int64_t n : n_keys) {
        std::vector<SequenceScore> scores;
        meter.report(n, 0);
        for (std::int64_t begin = 0; begin < sequences;) {
            if (stop.stop_requested())
                throw Cancelled();
            const std::int64_t end = std::min(sequences, begin + sequencesAtOnce(config, n));
            std::vector<task::Sequence> some;
            for (std::int64_t index = begin; index < end; ++index)
                some.push_back(
                    task::evaluationSequence(shape, n, config.evaluation_seed, index, task::evaluationKeys(config)));
            for (const SequenceScore &score : scoreSequences(model, device, some, stop))
                scores.push_back(score);
            begin = end;
            meter.report(n, end);
        }
        curve.points.push_back(pointOf(config, n, scores));
        meter.finishPoint(n);
        if (onPoint)
            onPoint(curve);
    }
    return curve;
}

AccuracyCurve evaluateCheckpoint(const run::RunFolder &folder, std::int64_t step, std::vector<std::int64_t> n_keys,
                                 std::int64_t sequences, const ComputeOptions &compute,
                                 const ProgressFunction &progress,
                                 const std::function<void(const AccuracyCurve &)> &onPoint, std::stop_token stop)
{
    requireEvaluable(folder.readRecord().config, n_keys, sequences);
    enterTorchThread(compute.threads);
    try {
        const at::NoGradGuard noGrad;
        const at::Device device(resolvedDevice(compute.device));
        const run::LoadedModel loaded = run::loadModel(folder, step, device, compute.kernels);
        return evaluateModel(loaded.model, device, loaded.step, std::move(n_keys), sequences, progress, onPoint, stop);
    } catch (const Cancelled &) {
        throw;
    } catch (...) {
        throw currentError(folder.path().string());
    }
}

} // namespace lookback::eval
