// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/transformer_torch.h"

namespace lookback::train {

/// AdamW with decoupled weight decay on every parameter (Loshchilov and Hutter, "Decoupled weight decay
/// regularization", ICLR 2019, algorithm 2): p <- p (1 - lr decay) - lr m' / (sqrt(v') + eps), with m' and v' the
/// moments divided by 1 - beta^step. Element-wise only, so its bits do not depend on the thread count.
class AdamW {
public:
    static constexpr double kBeta1 = 0.9;
    static constexpr double kBeta2 = 0.999;
    static constexpr double kEpsilon = 1e-8;

    /// Keeps references to the parameters (leaf tensors) and makes moments of zero beside them.
    AdamW(std::vector<model::NamedTensor> parameters, double weightDecay);

    /// One update from the parameters' gradients; `step` counts from 1. A parameter without a gradient is as one with
    /// a gradient of zero. Gradients are left as they are.
    void update(double learningRate, std::int64_t step);

    /// Drops all gradients.
    void clearGradients();

    /// "optimizer.exp_avg.<name>" and "optimizer.exp_avg_sq.<name>" of each parameter; share storage with this.
    std::vector<model::NamedTensor> moments() const;

    /// Copies moments in. Throws Error if names or shapes are not exactly those of moments(); nothing is changed then.
    void loadMoments(const std::vector<model::NamedTensor> &values);

private:
    std::vector<model::NamedTensor> m_parameters;
    std::vector<at::Tensor> m_average;
    std::vector<at::Tensor> m_averageOfSquares;
    double m_weightDecay;
};

/// Euclidean norm over all gradients together, summed in float64.
struct GradientNorm {
    double value = 0.0;
    std::string nonFinite; ///< First parameter whose gradient is not finite; empty if all are.
};
GradientNorm gradientNorm(const std::vector<model::NamedTensor> &parameters);

} // namespace lookback::train
