// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figure_variance.h"

#include <algorithm>

#include <CLI/App.hpp>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/values.h"

namespace lookback::cli {

namespace {

constexpr const char *kGroup = "variance";
constexpr std::int64_t kLongest = 10'000;
constexpr std::int64_t kMostKeys = 1'000'000;
constexpr std::int64_t kMostSamples = 100'000'000;
constexpr double kLeastPower = 0.5;
constexpr double kMostPower = 4.0;

} // namespace

void VarianceChoice::declare(CLI::App &app)
{
    const auto list = [&](const char *option, std::vector<std::string> &value, const char *help) {
        app.add_option(option, value, help)
            ->type_name("LIST")
            ->group(kGroup)
            ->expected(1)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    list("--powers", m_powers, "Powers of the logits, 0.5 to 4 (default: 1,2,3).");
    list("--lengths", m_lengths, "Numbers of keys (default: 2,5,10,20, ... 10000).");
    app.add_option(
           "--sampling", m_sampling,
           "gaussian: logits and values are standard normal. unit: random heads whose logits have unit variance. "
           "default: heads as a model starts its training (default: gaussian).")
        ->type_name("NAME")
        ->group(kGroup);
    app.add_option("--samples", m_samples, "Samples, or heads, a point (default: 10,000; of heads 2,048).")
        ->type_name("N")
        ->group(kGroup);
    app.add_option("--seed", m_seed, "Of the draws (default: 0).")->type_name("N")->group(kGroup);
}

void VarianceChoice::check(const std::string &figure)
{
    if (figure != "variance") {
        for (const auto &[option, isGiven] :
             {std::pair("--powers", !m_powers.empty()), std::pair("--lengths", !m_lengths.empty()),
              std::pair("--sampling", !m_sampling.empty()), std::pair("--samples", !m_samples.empty()),
              std::pair("--seed", !m_seed.empty())}) {
            if (isGiven)
                throw UsageError(option, "It belongs to the figure \"variance\".");
        }
        return;
    }
    if (!m_sampling.empty()) {
        std::vector<std::string> ids(ui::samplingIds().begin(), ui::samplingIds().end());
        const std::string id = choiceValue("--sampling", m_sampling, ids);
        m_request.sampling = static_cast<analysis::VarianceSampling>(std::ranges::find(ids, id) - ids.begin());
    }
    if (!m_powers.empty())
        m_request.powers = realList("--powers", m_powers, kLeastPower, kMostPower);
    m_request.n_keys =
        m_lengths.empty() ? ui::varianceLengths(kLongest) : countList("--lengths", m_lengths, 1, kMostKeys);
    const bool isGaussian = m_request.sampling == analysis::VarianceSampling::GaussianLogits;
    m_request.samples =
        m_samples.empty() ? (isGaussian ? 10'000 : 2'048) : countValue("--samples", m_samples, 2, kMostSamples);
    if (!m_seed.empty()) {
        const std::vector<std::uint64_t> seeds = seedList("--seed", {m_seed});
        if (seeds.size() != 1)
            throw UsageError("--seed", "One seed at a time.", "Name one.");
        m_request.seed = seeds.front();
    }
}

ui::VarianceFigureInput VarianceChoice::measure(int threads, const ProgressFunction &progress,
                                                std::stop_token stop) const
{
    ui::VarianceFigureInput input{.request = m_request, .points = {}};
    input.request.threads = threads;
    input.points = analysis::attendedVariance(input.request, stop, progress);
    return input;
}

} // namespace lookback::cli
