// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/model/transformer_torch.h"

namespace lookback::train {

/// AdamW with decoupled weight decay on every parameter (Loshchilov and Hutter, "Decoupled weight decay
/// regularization", ICLR 2019, algorithm 2): p <- p (1 - lr decay) - lr m' / (sqrt(v') + eps), with m' and v' the
/// moments divided by 1 - beta^step. Element-wise only, so its bits do not depend on the thread count.
class AdamW {
public:
    /// Keeps references to the parameters (leaf tensors) and makes moments of zero beside them. Of `config` it takes
    /// weight_decay, beta1, beta2 and epsilon.
    AdamW(std::vector<model::NamedTensor> parameters, const RunConfig &config);

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
    double m_beta1;
    double m_beta2;
    double m_epsilon;
};

/// Euclidean norm over all gradients together, summed in float64.
struct GradientNorm {
    double value = 0.0;
    std::string nonFinite; ///< First parameter whose gradient is not finite; empty if all are.
};
GradientNorm gradientNorm(const std::vector<model::NamedTensor> &parameters);

/// Shortens the gradients, whose norm together is `norm`, to `longest`: multiplies them by longest / (norm + 1e-6) if
/// that is below 1, as torch.nn.utils.clip_grad_norm_ does. 0 = leaves them.
void clipGradients(const std::vector<model::NamedTensor> &parameters, double norm, double longest);

} // namespace lookback::train
