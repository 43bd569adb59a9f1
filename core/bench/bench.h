// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compute.h"
#include "core/config.h"
#include "core/progress.h"

namespace lookback::bench {

/// What to measure.
struct BenchRequest {
    std::vector<RunConfig> configs; ///< One for each variant; the batch is the configuration's.
    std::int64_t n_keys = 0; ///< Unique keys of the training step; 0 = the configuration's n_keys.
    std::vector<std::int64_t> evaluation_n{64, 256}; ///< Unique keys of the evaluated sequences; may be empty.
    int repetitions = 5; ///< Measured repetitions of each item after one that warms up; 1 or more.
    double secondsPerItem = 30.0; ///< No further repetition begins after so long, but one is always measured.
    ComputeOptions compute;
};

/// What an item should reach; 0 = nothing is asked of that.
struct BenchGoal {
    double leastShare = 0.0; ///< Of the matrix-product rate.
    double leastShareOfAlone = 0.0;
    double mostSeconds = 0.0; ///< The median.
    double mostBytes = 0.0; ///< Resident at most, of the whole process.
    double mostAddedBytes = 0.0; ///< Above what was resident before, weights included in that.
    bool isAny() const { return *this != BenchGoal{}; }
    bool operator==(const BenchGoal &) const = default;
};

/// One measured item.
struct BenchResult {
    std::string name; ///< "matrix_product", "training_step", "evaluation" or "side_by_side".
    std::string variant; ///< Empty for the matrix product.
    std::int64_t n_keys = 0; ///< 0 for the matrix product.
    std::int64_t sequences = 0; ///< Sequences of the step (the batch) or of the evaluation; 0 for the matrix product.
    std::string device; ///< "cpu" or "cuda".
    int threads = 1;
    std::string precision = "float32";
    int repetitions = 0; ///< Measured ones.
    double medianSeconds = 0.0;
    double minSeconds = 0.0;
    double maxSeconds = 0.0;
    double tokensPerSecond = 0.0; ///< By the median; 0 for the matrix product.
    double gflops = 0.0; ///< Nominal arithmetic (trainingStepFlop; a third of it to evaluate) by the median.
    double rooflineShare = 0.0; ///< gflops over those of the matrix product of the same run, 0..1.
    double shareOfAlone = 0.0; ///< Of "side_by_side": the speed beside another run over that alone; 0..1.
    double peakBytes = 0.0; ///< Resident at most while it was measured; 0 = unknown.
    double addedBytes = 0.0; ///< What of that came during it.
    BenchGoal goal;
    bool meetsGoal() const;
    bool operator==(const BenchResult &) const = default;
};

/// "matrix product", "training step", "evaluation", "two runs side by side".
std::string itemInWords(const BenchResult &result);

/// Throws Error for an impossible request, before anything is measured.
void requireMeasurable(const BenchRequest &request);

/// Measures in the calling thread: first the product of two float32 matrices of 2,048 x 2,048 (its fastest repetition
/// is the roofline), then for each configuration a whole training step (batch, forward, backward, update) and the
/// evaluation of one sequence at each evaluation_n. `onResult` is called after each item. Throws Cancelled between two
/// repetitions when `stop` was asked for.
std::vector<BenchResult> runBenchmarks(const BenchRequest &request,
                                       const std::function<void(const BenchResult &)> &onResult = {},
                                       const ProgressFunction &progress = {}, std::stop_token stop = {});

/// Measures what this program promises (specs/performance.md): training steps of all variants at the paper
/// configuration, a short one, one of the laptop preset, two runs side by side, an evaluation, and a sequence of
/// 131,058 tokens, which alone may take two minutes. Each thread count has a matrix product of its own before its
/// items.
std::vector<BenchResult> runGoals(const ComputeOptions &compute, int repetitions,
                                  const std::function<void(const BenchResult &)> &onResult = {},
                                  const ProgressFunction &progress = {}, std::stop_token stop = {});

} // namespace lookback::bench
