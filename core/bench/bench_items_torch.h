// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include <c10/core/Device.h>

#include "core/bench/bench.h"
#include "core/model/transformer_torch.h"

namespace lookback::bench {

/// Measures items one after the other, in the calling thread, and tells how far all of them are.
class Bench {
public:
    /// `total` repetitions in all, warm-ups included.
    Bench(const ComputeOptions &compute, std::int64_t total, double secondsPerItem, const ProgressFunction &progress,
          std::stop_token stop);

    at::Device device() const { return m_device; }
    const ComputeOptions &compute() const { return m_compute; }
    const std::stop_token &stop() const { return m_stop; }
    /// For the items after it.
    void setThreads(int threads);

    /// `work` must have finished when it returns; `flop` is its nominal arithmetic. Throws Cancelled between two
    /// repetitions.
    BenchResult measure(BenchResult result, double flop, int repetitions, bool warmsUp,
                        const std::function<void()> &work);

private:
    void tell(const BenchResult &item, int repetition, int repetitions);

    ComputeOptions m_compute;
    const double m_secondsPerItem;
    const ProgressFunction &m_progress;
    const std::stop_token m_stop;
    const at::Device m_device;
    const std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    std::int64_t m_done = 0;
    std::int64_t m_total = 0;
    double m_roofline = 1.0; ///< GFLOP/s of the fastest matrix product with this thread count.
};

/// The product of two float32 matrices of 2,048 x 2,048: the roofline of the items after it.
BenchResult matrixProduct(Bench &bench, int repetitions);
/// Batch, forward, backward and update at config.n_keys.
BenchResult trainingStep(Bench &bench, const RunConfig &config, int repetitions);
/// One sequence of n unique keys. `warmsUp` false: measured from the first repetition on.
BenchResult evaluation(Bench &bench, const RunConfig &config, const model::Transformer &model, std::int64_t n,
                       int repetitions, bool warmsUp = true);
/// Training steps of two runs at once, one thread each: shareOfAlone is how much of the machine they get, that is, the
/// time of a step alone with one thread over that of a step beside the other's.
BenchResult sideBySide(Bench &bench, const RunConfig &config, int repetitions);

/// `config` with n_keys at every step.
RunConfig measuredConfig(RunConfig config, std::int64_t n_keys);

} // namespace lookback::bench
