// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/bench_items_torch.h"

#include <algorithm>
#include <barrier>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>

#include "core/bench/peak_memory.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
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

/// Takes steps of a new model.
class Stepper {
public:
    Stepper(const RunConfig &config, const ComputeOptions &compute, at::Device device)
        : m_config(config), m_device(device), m_model(config, at::kFloat, device)
    {
        m_model.setKernels(compute.kernels, compute.precision);
        m_model.initialise(config.seed);
        m_parameters = m_model.parameters();
        for (auto &[name, parameter] : m_parameters)
            parameter.requires_grad_(true);
        m_optimizer.emplace(m_parameters, config);
    }

    /// Returns when it has been computed, with the tokens of its batch.
    std::int64_t step()
    {
        const at::AutoGradMode withGraph(true);
        const train::Batch batch = train::trainingBatch(m_config, ++m_step, m_device);
        m_optimizer->clearGradients();
        train::forwardAndBackward(m_model, m_parameters, batch);
        m_optimizer->update(m_config.learning_rate, m_step);
        m_parameters.front().second.detach().sum().item<float>(); // waits for the device
        return batch.tokens;
    }

private:
    RunConfig m_config;
    at::Device m_device;
    model::Transformer m_model;
    std::vector<model::NamedTensor> m_parameters;
    std::optional<train::AdamW> m_optimizer;
    std::int64_t m_step = 0;
};

} // namespace

Bench::Bench(const ComputeOptions &compute, std::int64_t total, double secondsPerItem, const ProgressFunction &progress,
             std::stop_token stop)
    : m_compute(compute), m_secondsPerItem(secondsPerItem), m_progress(progress), m_stop(std::move(stop)),
      m_device(resolvedDevice(compute.device)), m_total(total)
{
    setThreads(compute.threads);
}

void Bench::setThreads(int threads)
{
    m_compute.threads = threads;
    enterTorchThread(threads);
}

BenchResult Bench::measure(BenchResult result, double flop, int repetitions, bool warmsUp,
                           const std::function<void()> &work)
{
    std::vector<double> seconds;
    const auto begin = Clock::now();
    const std::int64_t doneBefore = m_done;
    returnFreedMemory();
    const PeakMemory memory;
    for (int i = warmsUp ? 0 : 1; i <= repetitions; ++i) {
        if (m_stop.stop_requested())
            throw Cancelled();
        if (!seconds.empty() && secondsSince(begin) > m_secondsPerItem)
            break;
        tell(result, i, repetitions);
        const auto start = Clock::now();
        work();
        if (i > 0)
            seconds.push_back(secondsSince(start));
        ++m_done;
    }
    m_done = doneBefore + repetitions + (warmsUp ? 1 : 0);
    std::sort(seconds.begin(), seconds.end());
    const std::size_t middle = seconds.size() / 2;
    result.medianSeconds = seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2.0;
    result.minSeconds = seconds.front();
    result.maxSeconds = seconds.back();
    result.repetitions = static_cast<int>(seconds.size());
    result.device = m_device.is_cuda() ? "cuda" : "cpu";
    result.threads = m_compute.threads;
    result.peakBytes = memory.peak();
    result.addedBytes = memory.added();
    result.gflops = flop / result.medianSeconds / kGiga;
    if (result.name == "matrix_product")
        m_roofline = flop / result.minSeconds / kGiga;
    result.rooflineShare = result.gflops / m_roofline;
    return result;
}

void Bench::tell(const BenchResult &item, int repetition, int repetitions)
{
    if (!m_progress)
        return;
    Progress progress;
    progress.what = itemInWords(item);
    if (!item.variant.empty())
        progress.what = item.variant + ", " + progress.what + " at n = " + std::to_string(item.n_keys);
    progress.what +=
        repetition == 0 ? " (warm-up)" : " (" + std::to_string(repetition) + " of " + std::to_string(repetitions) + ")";
    progress.done = m_done;
    progress.total = m_total;
    progress.elapsedSeconds = secondsSince(m_begin);
    m_progress(progress);
}

BenchResult matrixProduct(Bench &bench, int repetitions)
{
    const at::NoGradGuard noGrad;
    const auto options = at::TensorOptions().dtype(at::kFloat).device(bench.device());
    const at::Tensor a = at::full({kMatrixWidth, kMatrixWidth}, 0.5, options);
    const at::Tensor b = at::full({kMatrixWidth, kMatrixWidth}, 0.25, options);
    BenchResult result;
    result.name = "matrix_product";
    const double width = static_cast<double>(kMatrixWidth);
    return bench.measure(result, 2.0 * width * width * width, repetitions, true, [&] {
        at::mm(a, b)[0][0].item<float>(); // reading a value waits for the device
    });
}

BenchResult trainingStep(Bench &bench, const RunConfig &config, int repetitions)
{
    BenchResult result;
    result.name = "training_step";
    result.variant = config.variant;
    result.n_keys = config.n_keys;
    result.sequences = config.batchOf(config.n_keys);
    result.precision = precisionName(bench.compute().precision);
    Stepper stepper(config, bench.compute(), bench.device());
    std::int64_t tokens = 0;
    result = bench.measure(result, model::trainingStepFlop(config, config.n_keys), repetitions, true,
                           [&] { tokens = stepper.step(); });
    result.tokensPerSecond = static_cast<double>(tokens) / result.medianSeconds;
    return result;
}

BenchResult evaluation(Bench &bench, const RunConfig &config, const model::Transformer &model, std::int64_t n,
                       int repetitions, bool warmsUp)
{
    const task::TaskShape shape{.key_digits = config.key_digits, .value_digits = config.value_digits};
    const std::vector<task::Sequence> sequences{
        task::evaluationSequence(shape, n, config.evaluation_seed, 0, task::evaluationKeys(config))};
    BenchResult result;
    result.name = "evaluation";
    result.variant = config.variant;
    result.n_keys = n;
    result.sequences = 1;
    const double flop = model::trainingStepFlop(config, n) / (3.0 * static_cast<double>(config.batchOf(n)));
    result = bench.measure(result, flop, repetitions, warmsUp,
                           [&] { eval::scoreSequences(model, bench.device(), sequences, bench.stop()); });
    result.tokensPerSecond = static_cast<double>(config.contextTokens(n)) / result.medianSeconds;
    return result;
}

BenchResult sideBySide(Bench &bench, const RunConfig &config, int repetitions)
{
    bench.setThreads(1);
    BenchResult result;
    result.name = "side_by_side";
    result.variant = config.variant;
    result.n_keys = config.n_keys;
    result.sequences = config.batchOf(config.n_keys);
    result.precision = precisionName(bench.compute().precision);
    const double flop = model::trainingStepFlop(config, config.n_keys);
    Stepper stepper(config, bench.compute(), bench.device());
    const double alone = bench.measure(result, flop, repetitions, true, [&stepper] { stepper.step(); }).medianSeconds;
    // The other run goes on stepping until this one is measured; neither waits for the other within a step.
    std::stop_source end;
    std::exception_ptr failure;
    WorkerThread other;
    std::barrier together(2);
    other.start([&] {
        try {
            enterTorchThread(1);
            Stepper second(config, bench.compute(), bench.device());
            second.step();
            together.arrive_and_wait();
            while (!end.stop_requested())
                second.step();
        } catch (...) {
            failure = std::current_exception();
            together.arrive_and_drop();
        }
    });
    const auto finish = [&] {
        end.request_stop();
        other.join();
    };
    together.arrive_and_wait();
    try {
        result = bench.measure(result, flop, repetitions, false, [&stepper] { stepper.step(); });
    } catch (...) {
        finish();
        throw;
    }
    finish();
    if (failure)
        std::rethrow_exception(failure);
    result.shareOfAlone = alone / result.medianSeconds;
    return result;
}

RunConfig measuredConfig(RunConfig config, std::int64_t n_keys)
{
    config.curriculum.clear();
    if (n_keys > 0)
        config.n_keys = n_keys;
    return config;
}

} // namespace lookback::bench
