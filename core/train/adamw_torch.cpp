// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/adamw_torch.h"

#include <cmath>
#include <map>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include "core/error.h"

namespace lookback::train {

AdamW::AdamW(std::vector<model::NamedTensor> parameters, const RunConfig &config)
    : m_parameters(std::move(parameters)), m_weightDecay(config.weight_decay), m_beta1(config.beta1),
      m_beta2(config.beta2), m_epsilon(config.epsilon)
{
    for (const auto &[name, parameter] : m_parameters) {
        m_average.push_back(at::zeros_like(parameter.detach()));
        m_averageOfSquares.push_back(at::zeros_like(parameter.detach()));
    }
}

void AdamW::update(double learningRate, std::int64_t step)
{
    if (m_parameters.empty())
        return;
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> values;
    std::vector<at::Tensor> gradients;
    for (const auto &[name, parameter] : m_parameters) {
        values.push_back(parameter.detach());
        const at::Tensor &gradient = parameter.grad();
        gradients.push_back(gradient.defined() ? gradient : at::zeros_like(values.back()));
    }
    // One count for all: it is only read. Exact in float32 up to 2^24 steps.
    const at::Tensor count = at::full({}, static_cast<double>(step), values.front().options().dtype(at::kFloat));
    const std::vector<at::Tensor> counts(values.size(), count);
    at::_fused_adamw_(values, gradients, m_average, m_averageOfSquares, {}, counts, learningRate, m_beta1, m_beta2,
                      m_weightDecay, m_epsilon, /*amsgrad=*/false, /*maximize=*/false);
}

void AdamW::clearGradients()
{
    for (auto &[name, parameter] : m_parameters)
        parameter.mutable_grad() = at::Tensor();
}

std::vector<model::NamedTensor> AdamW::moments() const
{
    std::vector<model::NamedTensor> result;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        result.emplace_back("optimizer.exp_avg." + m_parameters[i].first, m_average[i]);
        result.emplace_back("optimizer.exp_avg_sq." + m_parameters[i].first, m_averageOfSquares[i]);
    }
    return result;
}

void AdamW::loadMoments(const std::vector<model::NamedTensor> &values)
{
    const at::NoGradGuard noGrad;
    std::map<std::string, at::Tensor> given(values.begin(), values.end());
    const std::vector<model::NamedTensor> own = moments();
    for (const auto &[name, tensor] : own) {
        const auto found = given.find(name);
        if (found == given.end())
            throw Error(name, "The optimizer state lacks this tensor.", "Use another checkpoint of the run.");
        if (found->second.sizes() != tensor.sizes())
            throw Error(name, "The optimizer state has another shape here than the model.",
                        "Use a checkpoint of this run.");
    }
    if (given.size() != own.size() || values.size() != own.size())
        throw Error("optimizer", "The optimizer state holds tensors that this model does not have.",
                    "Use a checkpoint of this run.");
    for (auto [name, tensor] : own)
        tensor.copy_(given.at(name));
}

GradientNorm gradientNorm(const std::vector<model::NamedTensor> &parameters)
{
    const at::NoGradGuard noGrad;
    GradientNorm result;
    std::vector<at::Tensor> norms;
    std::vector<const std::string *> names;
    for (const auto &[name, parameter] : parameters) {
        if (!parameter.grad().defined())
            continue;
        norms.push_back(at::linalg_vector_norm(parameter.grad(), 2, {}, false, at::kDouble));
        names.push_back(&name);
    }
    if (norms.empty())
        return result;
    const at::Tensor all = at::stack(norms).to(at::kCPU).contiguous(); // one transfer for all
    const double *value = all.const_data_ptr<double>();
    double sum = 0.0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!std::isfinite(value[i]) && result.nonFinite.empty())
            result.nonFinite = *names[i];
        sum += value[i] * value[i];
    }
    result.value = std::sqrt(sum);
    return result;
}

void clipGradients(const std::vector<model::NamedTensor> &parameters, double norm, double longest)
{
    if (longest <= 0.0)
        return;
    constexpr double kGuard = 1e-6;
    const double factor = longest / (norm + kGuard);
    if (!(factor < 1.0))
        return;
    const at::NoGradGuard noGrad;
    for (const auto &[name, parameter] : parameters) {
        if (parameter.grad().defined())
            parameter.grad().mul_(factor);
    }
}

} // namespace lookback::train
