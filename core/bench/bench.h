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

/// One measured item.
struct BenchResult {
    std::string name; ///< "matrix_product", "training_step" or "evaluation".
    std::string variant; ///< Empty for the matrix product.
    std::int64_t n_keys = 0; ///< 0 for the matrix product.
    std::int64_t sequences = 0; ///< Sequences of the step (the batch) or of the evaluation; 0 for the matrix product.
    std::string device; ///< "cpu" or "cuda".
    int threads = 1;
    std::string precision = "float32";
    int repetitions = 0; ///< Measured ones.
    double medianSeconds = 0.0;
    double minSeconds = 0.0;
    double tokensPerSecond = 0.0; ///< By the median; 0 for the matrix product.
    double gflops = 0.0; ///< Nominal arithmetic (trainingStepFlop; a third of it to evaluate) by the median.
    double rooflineShare = 0.0; ///< gflops over those of the matrix product of the same run, 0..1.
    bool operator==(const BenchResult &) const = default;
};

/// Throws Error for an impossible request, before anything is measured.
void requireMeasurable(const BenchRequest &request);

/// Measures in the calling thread: first the product of two float32 matrices of 2,048 x 2,048 (its fastest repetition
/// is the roofline), then for each configuration a whole training step (batch, forward, backward, update) and the
/// evaluation of one sequence at each evaluation_n. `onResult` is called after each item. Throws Cancelled between two
/// repetitions when `stop` was asked for.
std::vector<BenchResult> runBenchmarks(const BenchRequest &request,
                                       const std::function<void(const BenchResult &)> &onResult = {},
                                       const ProgressFunction &progress = {}, std::stop_token stop = {});

} // namespace lookback::bench
