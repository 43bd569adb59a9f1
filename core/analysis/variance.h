// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"

namespace lookback::analysis {

/// What the logits and values of an attention row are drawn from (specs/variance.md).
enum class VarianceSampling {
    GaussianLogits, ///< Logits and values independent standard normal.
    UnitHeads, ///< Random heads on normalised states, weights normal with variance 1 / width: logits of unit variance.
    DefaultHeads, ///< The same, weights uniform in +-1/sqrt(width): what a model starts its training with.
};

/// "gaussian", "unit heads", "default heads".
std::string samplingName(VarianceSampling sampling);

/// logit^power as the attention designs mean it: a whole power as written (odd ones keep the sign, even ones lose it),
/// any other power of the magnitude with the sign kept.
double signedPower(double logit, double power);

/// What to estimate.
struct VarianceRequest {
    VarianceSampling sampling = VarianceSampling::GaussianLogits;
    std::vector<std::int64_t> n_keys; ///< Positions that a query sees; 1 or more each.
    std::vector<double> powers{1.0, 2.0, 3.0}; ///< Above 0.
    std::int64_t samples = 10'000; ///< Rows, or heads, for each length; 2 or more.
    std::uint64_t seed = 0;
    int threads = 1;
    std::int64_t modelWidth = 128; ///< Of random heads; 4 or more.
    std::int64_t headWidth = 32;
};

/// An estimate with its standard error.
struct Estimate {
    double value = 0.0;
    double standardError = 0.0;
    bool operator==(const Estimate &) const = default;
};

/// Variance of the attended value sum_i w_i v_i, w = softmax over i of logit_i^power, at one length and power.
struct VariancePoint {
    std::int64_t n_keys = 0;
    double power = 0.0;
    std::int64_t samples = 0;
    /// The mean over samples of the variance given the weights: of sum_i w_i^2 for Gaussian values. The better one.
    Estimate variance;
    /// The variance of attended values that were drawn, as published; Gaussian logits only, 0 elsewhere.
    Estimate sampled;
    bool operator==(const VariancePoint &) const = default;
};

/// Estimates each length (outer) and power (inner); all powers share the draws. A pure function of the request without
/// `threads`. Progress counts the keys of a row over all lengths and comes from the calling thread. Throws Error for an
/// impossible request, Cancelled soon after `stop` was asked for.
std::vector<VariancePoint> attendedVariance(const VarianceRequest &request, std::stop_token stop = {},
                                            const ProgressFunction &progress = {});

} // namespace lookback::analysis
