// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/bench.h"

#include <algorithm>
#include <chrono>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>

#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/model/transformer_torch.h"
#include "core/model/variant_registry.h"
#include "core/task/key_value_task.h"
#include "core/torch_thread.h"
#include "core/train/adamw_torch.h"
#include "core/train/training_step_torch.h"

namespace lookback::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMatrixWidth = 2048;
constexpr double kGiga = 1e9;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Repeats items and tells how far all of them are.
class Bench {
public:
    Bench(const BenchRequest &request, const ProgressFunction &progress, const std::stop_token &stop)
        : m_request(request), m_progress(progress), m_stop(stop), m_device(resolvedDevice(request.compute.device))
    {
        const auto items = 1 + request.configs.size() * (1 + request.evaluation_n.size());
        m_total = static_cast<std::int64_t>(items) * (request.repetitions + 1);
    }

    at::Device device() const { return m_device; }
    Kernels kernels() const { return m_request.compute.kernels; }

    /// `work` must have finished when it returns; `flop` is its nominal arithmetic.
    BenchResult measure(BenchResult result, double flop, const std::function<void()> &work)
    {
        std::vector<double> seconds;
        const auto begin = Clock::now();
        const std::int64_t doneBefore = m_done;
        for (int i = 0; i <= m_request.repetitions; ++i) {
            if (m_stop.stop_requested())
                throw Cancelled();
            const bool isWarmUp = i == 0;
            if (!seconds.empty() && secondsSince(begin) > m_request.secondsPerItem)
                break;
            tell(result, i);
            const auto start = Clock::now();
            work();
            if (!isWarmUp)
                seconds.push_back(secondsSince(start));
            ++m_done;
        }
        m_done = doneBefore + m_request.repetitions + 1;
        std::sort(seconds.begin(), seconds.end());
        const std::size_t middle = seconds.size() / 2;
        result.medianSeconds =
            seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2.0;
        result.minSeconds = seconds.front();
        result.repetitions = static_cast<int>(seconds.size());
        result.device = m_device.is_cuda() ? "cuda" : "cpu";
        result.threads = m_request.compute.threads;
        result.gflops = flop / result.medianSeconds / kGiga;
        if (result.name == "matrix_product")
            m_roofline = flop / result.minSeconds / kGiga;
        result.rooflineShare = result.gflops / m_roofline;
        return result;
    }

private:
    void tell(const BenchResult &item, int repetition)
    {
        if (!m_progress)
            return;
        Progress progress;
        progress.what = item.name == "matrix_product"
            ? "matrix product"
            : item.variant + (item.name == "evaluation" ? ", evaluation" : ", training step")
                + " at n = " + std::to_string(item.n_keys);
        progress.what += repetition == 0
            ? " (warm-up)"
            : " (" + std::to_string(repetition) + " of " + std::to_string(m_request.repetitions) + ")";
        progress.done = m_done;
        progress.total = m_total;
        progress.elapsedSeconds = secondsSince(m_begin);
        m_progress(progress);
    }

    const BenchRequest &m_request;
    const ProgressFunction &m_progress;
    const std::stop_token m_stop;
    const at::Device m_device;
    const Clock::time_point m_begin = Clock::now();
    std::int64_t m_done = 0;
    std::int64_t m_total = 0;
    double m_roofline = 1.0; ///< GFLOP/s of the fastest matrix product.
};

BenchResult matrixProduct(Bench &bench)
{
    const at::NoGradGuard noGrad;
    const auto options = at::TensorOptions().dtype(at::kFloat).device(bench.device());
    const at::Tensor a = at::full({kMatrixWidth, kMatrixWidth}, 0.5, options);
    const at::Tensor b = at::full({kMatrixWidth, kMatrixWidth}, 0.25, options);
    BenchResult result;
    result.name = "matrix_product";
    const double width = static_cast<double>(kMatrixWidth);
    return bench.measure(result, 2.0 * width * width * width, [&] {
        at::mm(a, b)[0][0].item<float>(); // reading a value waits for the device
    });
}

BenchResult trainingStep(Bench &bench, const RunConfig &config)
{
    const at::AutoGradMode withGraph(true);
    model::Transformer model(config, at::kFloat, bench.device());
    model.setKernels(bench.kernels());
    model.initialise(config.seed);
    std::vector<model::NamedTensor> parameters = model.parameters();
    for (auto &[name, parameter] : parameters)
        parameter.requires_grad_(true);
    train::AdamW optimizer(parameters, config.weight_decay);
    BenchResult result;
    result.name = "training_step";
    result.variant = config.variant;
    result.n_keys = config.n_keys;
    result.sequences = config.batch;
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    result = bench.measure(result, model::trainingStepFlop(config, config.n_keys), [&] {
        const train::Batch batch = train::trainingBatch(config, ++step, bench.device());
        tokens = batch.tokens;
        optimizer.clearGradients();
        train::forwardAndBackward(model, parameters, batch);
        optimizer.update(config.learning_rate, step);
        parameters.front().second.detach().sum().item<float>(); // waits for the device
    });
    result.tokensPerSecond = static_cast<double>(tokens) / result.medianSeconds;
    return result;
}

BenchResult evaluation(Bench &bench, const RunConfig &config, const model::Transformer &model, std::int64_t n)
{
    const task::TaskShape shape{.key_digits = config.key_digits, .value_digits = config.value_digits};
    const std::vector<task::Sequence> sequences{task::evaluationSequence(shape, n, config.evaluation_seed, 0)};
    BenchResult result;
    result.name = "evaluation";
    result.variant = config.variant;
    result.n_keys = n;
    result.sequences = 1;
    const double flop = model::trainingStepFlop(config, n) / (3.0 * static_cast<double>(config.batch));
    result = bench.measure(result, flop, [&] { eval::scoreSequences(model, bench.device(), sequences); });
    result.tokensPerSecond = static_cast<double>(config.contextTokens(n)) / result.medianSeconds;
    return result;
}

/// The configuration whose every step has the n_keys to measure.
RunConfig measuredConfig(RunConfig config, std::int64_t n_keys)
{
    config.curriculum.clear();
    if (n_keys > 0)
        config.n_keys = n_keys;
    return config;
}

} // namespace

void requireMeasurable(const BenchRequest &request)
{
    if (request.configs.empty())
        throw Error("--variant", "There is nothing to measure.", "Name at least one variant.");
    if (request.repetitions < 1)
        throw Error("repetitions", "An item needs 1 repetition or more.");
    resolvedDevice(request.compute.device);
    for (const RunConfig &config : request.configs) {
        model::requireRunnable(measuredConfig(config, request.n_keys));
        if (!request.evaluation_n.empty())
            eval::requireEvaluable(config, request.evaluation_n, 1);
    }
}

std::vector<BenchResult> runBenchmarks(const BenchRequest &request,
                                       const std::function<void(const BenchResult &)> &onResult,
                                       const ProgressFunction &progress, std::stop_token stop)
{
    requireMeasurable(request);
    enterTorchThread(request.compute.threads);
    std::vector<BenchResult> results;
    const auto keep = [&](const BenchResult &result) {
        results.push_back(result);
        if (onResult)
            onResult(result);
    };
    try {
        Bench bench(request, progress, stop);
        keep(matrixProduct(bench));
        for (const RunConfig &asked : request.configs) {
            const RunConfig config = measuredConfig(asked, request.n_keys);
            keep(trainingStep(bench, config));
            if (request.evaluation_n.empty())
                continue;
            model::Transformer model(config, at::kFloat, bench.device());
            model.setKernels(bench.kernels());
            model.initialise(config.seed);
            for (const std::int64_t n : request.evaluation_n)
                keep(evaluation(bench, config, model, n));
        }
    } catch (const Cancelled &) {
        throw;
    } catch (...) {
        throw currentError("bench");
    }
    return results;
}

} // namespace lookback::bench
