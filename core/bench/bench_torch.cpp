// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/bench.h"

#include "core/bench/bench_items_torch.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/model/variant_registry.h"
#include "core/torch_thread.h"

namespace lookback::bench {

namespace {

/// Collects results and tells each.
class Results {
public:
    explicit Results(const std::function<void(const BenchResult &)> &onResult) : m_onResult(onResult) { }
    void add(const BenchResult &result)
    {
        all.push_back(result);
        if (m_onResult)
            m_onResult(result);
    }
    std::vector<BenchResult> all;

private:
    const std::function<void(const BenchResult &)> &m_onResult;
};

/// Runs `measure`; what it throws becomes an Error.
template <typename Measure> void guarded(const Measure &measure)
{
    try {
        measure();
    } catch (const Cancelled &) {
        throw;
    } catch (...) {
        throw currentError("bench");
    }
}

model::Transformer newModel(const Bench &bench, const RunConfig &config)
{
    model::Transformer model(config, at::kFloat, bench.device());
    model.setKernels(bench.compute().kernels);
    model.initialise(config.seed);
    return model;
}

constexpr double kMiB = 1024.0 * 1024.0;
constexpr std::int64_t kLongKeyDigits = 4;
constexpr std::int64_t kLongKeys = 7281; // 131,058 tokens

/// What is measured against goals, and what is left out of the progress.
struct GoalItem {
    enum class Kind { Step, Evaluation, LongEvaluation, SideBySide } kind = Kind::Step;
    RunConfig config;
    std::int64_t n_keys = 0;
    int threads = 1;
    BenchGoal goal;
};

RunConfig presetOf(std::string_view preset, const std::string &variant, std::int64_t n_keys = 0)
{
    RunConfig config = presetConfig(preset);
    config.variant = variant;
    return measuredConfig(config, n_keys);
}

std::vector<GoalItem> goalItems(int threads)
{
    constexpr double kSoftmaxShare = 0.80;
    constexpr double kShortShare = 0.72;
    constexpr double kKdaShare = 0.50;
    constexpr double kLaptopShare = 0.50;
    std::vector<GoalItem> items;
    for (const model::VariantInfo &info : model::variants()) {
        const bool isKda = info.family == model::Family::Kda;
        items.push_back({GoalItem::Kind::Step,
                         presetOf("paper", info.id),
                         0,
                         threads,
                         {.leastShare = isKda ? kKdaShare : kSoftmaxShare, .mostBytes = 900.0 * kMiB}});
    }
    const std::string main = "hybrid_square";
    items.push_back({GoalItem::Kind::Step, presetOf("paper", main, 2), 0, threads, {.leastShare = kShortShare}});
    items.push_back({GoalItem::Kind::Step, presetOf("laptop", main), 0, threads, {.leastShare = kLaptopShare}});
    items.push_back({GoalItem::Kind::SideBySide, presetOf("paper", main), 0, 1, {.leastShareOfAlone = 0.9}});
    // A fifteenth of the 7.5 s that the published code needs on one thread.
    items.push_back({GoalItem::Kind::Evaluation,
                     presetOf("paper", main),
                     256,
                     1,
                     {.mostSeconds = 0.5, .mostAddedBytes = 400.0 * kMiB}});
    RunConfig longConfig = presetOf("paper", main);
    longConfig.key_digits = kLongKeyDigits;
    items.push_back({GoalItem::Kind::LongEvaluation,
                     longConfig,
                     kLongKeys,
                     threads,
                     {.mostSeconds = 120.0, .mostBytes = 2048.0 * kMiB}});
    return items;
}

int repetitionsOf(const GoalItem &item, int repetitions)
{
    return item.kind == GoalItem::Kind::LongEvaluation ? 1 : repetitions;
}

BenchResult measured(Bench &bench, const GoalItem &item, int repetitions)
{
    switch (item.kind) {
    case GoalItem::Kind::Step:
        return trainingStep(bench, item.config, repetitions);
    case GoalItem::Kind::SideBySide:
        return sideBySide(bench, item.config, repetitions);
    case GoalItem::Kind::Evaluation:
    case GoalItem::Kind::LongEvaluation:
        break;
    }
    const model::Transformer model = newModel(bench, item.config);
    return evaluation(bench, item.config, model, item.n_keys, repetitions, item.kind == GoalItem::Kind::Evaluation);
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
    Results results(onResult);
    guarded([&] {
        const auto items = static_cast<std::int64_t>(1 + request.configs.size() * (1 + request.evaluation_n.size()));
        Bench bench(request.compute, items * (request.repetitions + 1), request.secondsPerItem, progress, stop);
        results.add(matrixProduct(bench, request.repetitions));
        for (const RunConfig &asked : request.configs) {
            const RunConfig config = measuredConfig(asked, request.n_keys);
            results.add(trainingStep(bench, config, request.repetitions));
            if (request.evaluation_n.empty())
                continue;
            const model::Transformer model = newModel(bench, config);
            for (const std::int64_t n : request.evaluation_n)
                results.add(evaluation(bench, config, model, n, request.repetitions));
        }
    });
    return results.all;
}

std::vector<BenchResult> runGoals(const ComputeOptions &compute, int repetitions,
                                  const std::function<void(const BenchResult &)> &onResult,
                                  const ProgressFunction &progress, std::stop_token stop)
{
    if (repetitions < 1)
        throw Error("repetitions", "An item needs 1 repetition or more.");
    Results results(onResult);
    guarded([&] {
        const std::vector<GoalItem> items = goalItems(compute.threads);
        std::int64_t total = 0;
        for (const GoalItem &item : items)
            total += item.kind == GoalItem::Kind::LongEvaluation ? 1 : repetitions + 1;
        total += 2 * (repetitions + 1) + repetitions; // products, and the steps beside another run
        Bench bench(compute, total, 60.0, progress, stop);
        int threads = 0;
        for (const GoalItem &item : items) {
            if (item.threads != threads) {
                threads = item.threads;
                bench.setThreads(threads);
                results.add(matrixProduct(bench, repetitions));
            }
            BenchResult result = measured(bench, item, repetitionsOf(item, repetitions));
            result.goal = item.goal;
            results.add(result);
        }
    });
    return results.all;
}

} // namespace lookback::bench
