// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "ui/figures/variance_figure.h"

namespace CLI {
class App;
}

namespace lookback::cli {

/// The figure variance of the command `figure`: what is drawn from what, how often.
class VarianceChoice {
public:
    void declare(CLI::App &app);
    /// Throws UsageError for values that are wrong, and for options that were given although another figure is drawn.
    void check(const std::string &figure);
    /// Throws Cancelled soon after `stop` was asked for.
    ui::VarianceFigureInput measure(int threads, const ProgressFunction &progress, std::stop_token stop) const;

private:
    std::vector<std::string> m_powers;
    std::vector<std::string> m_lengths;
    std::string m_sampling;
    std::string m_samples;
    std::string m_seed;
    analysis::VarianceRequest m_request;
};

} // namespace lookback::cli
