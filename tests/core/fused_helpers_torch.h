// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <QTest>
#include <torch/torch.h>

#include "core/rng.h"

// What tests of fused kernels share: random inputs, and the plain float32 path's distance from float64 as the
// yardstick.

namespace lookback::testing {

/// Draws sizes and numbers; a pure function of the seed.
class Draws {
public:
    explicit Draws(std::uint64_t seed) : m_generator(generatorFor(RandomPurpose::InitialWeights, seed, 77)) { }
    std::int64_t between(std::int64_t least, std::int64_t most)
    {
        return least + static_cast<std::int64_t>(m_generator.uniform() * static_cast<double>(most - least + 1));
    }
    at::Tensor normal(at::IntArrayRef shape, double scale)
    {
        at::Tensor values = at::empty(shape, at::kDouble);
        for (std::int64_t i = 0; i < values.numel(); ++i)
            values.mutable_data_ptr<double>()[i] = scale * m_generator.normal();
        return values;
    }

private:
    Philox m_generator;
};

using Tensors = std::vector<at::Tensor>;

struct Outcome {
    at::Tensor value;
    Tensors gradients;
};

/// Value and gradients of function(inputs) for an output gradient, inputs converted to `type`.
template <typename Function>
Outcome outcomeOf(const Tensors &inputs, const at::Tensor &dOutput, at::ScalarType type, const Function &function)
{
    Tensors leaves;
    for (const at::Tensor &input : inputs)
        leaves.push_back(input.to(type).clone().set_requires_grad(true));
    const at::Tensor value = function(leaves);
    value.backward(dOutput.to(type));
    Outcome outcome{value.detach().to(at::kDouble), {}};
    for (const at::Tensor &leaf : leaves)
        outcome.gradients.push_back(leaf.grad().to(at::kDouble));
    return outcome;
}

inline double distance(const at::Tensor &a, const at::Tensor &b)
{
    return (a - b).norm().item<double>();
}

/// Distances from float64 of one tensor: of the fused float32 path, and of the plain one and two roundings.
struct Errors {
    std::string name;
    double fused = 0.0;
    double plain = 0.0;
    double rounding = 0.0;
    double times() const { return fused == 0.0 ? 0.0 : fused / (plain + rounding); }
};

inline std::vector<Errors> errorsOf(const Outcome &exact, const Outcome &plain, const Outcome &fused)
{
    std::vector<Errors> errors;
    const auto add = [&](std::string name, const at::Tensor &right, const at::Tensor &usual, const at::Tensor &ours) {
        errors.push_back({std::move(name), distance(ours, right), distance(usual, right),
                          std::numeric_limits<float>::epsilon() * right.norm().item<double>()});
    };
    add("value", exact.value, plain.value, fused.value);
    for (std::size_t i = 0; i < exact.gradients.size(); ++i)
        add("gradient " + std::to_string(i), exact.gradients[i], plain.gradients[i], fused.gradients[i]);
    return errors;
}

/// `fused` may be `times` as far from float64 as `plain` is.
inline void compare(const Outcome &exact, const Outcome &plain, const Outcome &fused, double times = 2.0)
{
    for (const Errors &errors : errorsOf(exact, plain, fused)) {
        QVERIFY2(errors.times() <= times,
                 qPrintable(QStringLiteral("%1: %2, plain %3")
                                .arg(QString::fromStdString(errors.name))
                                .arg(errors.fused)
                                .arg(errors.plain)));
    }
}

inline bool isSame(const at::Tensor &a, const at::Tensor &b)
{
    const at::Tensor x = a.contiguous();
    const at::Tensor y = b.contiguous();
    return x.sizes() == y.sizes()
        && std::memcmp(x.const_data_ptr(), y.const_data_ptr(), static_cast<std::size_t>(x.nbytes())) == 0;
}

inline at::Tensor plainNorm(const at::Tensor &x, const at::Tensor &gain)
{
    return at::layer_norm(x, gain.sizes(), gain, {}, 1e-5);
}

} // namespace lookback::testing
