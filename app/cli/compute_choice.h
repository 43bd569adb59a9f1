// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/compute.h"

namespace CLI {
class App;
}

namespace lookback::cli {

/// --device, --threads, --kernels and --precision of every command that computes.
class ComputeChoice {
public:
    void declare(CLI::App &app, const std::string &group, const std::string &threadsHelp);

    /// --kernels, for commands that may choose them.
    void declareKernels(CLI::App &app, const std::string &group);
    /// --precision, for commands that train.
    void declarePrecision(CLI::App &app, const std::string &group);

    /// Throws UsageError for an unknown device or a thread count that is none, Error if there is no GPU although asked.
    /// `defaultThreads`: where --threads was not given.
    ComputeOptions options(int defaultThreads) const;
    bool hasThreads() const { return !m_threads.empty(); }
    bool hasDevice() const { return !m_device.empty(); }

private:
    Precision precisionFor(const ComputeOptions &options) const;

    std::string m_device;
    std::string m_threads;
    std::string m_kernels;
    std::string m_precision;
};

} // namespace lookback::cli
