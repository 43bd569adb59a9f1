// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rotary_torch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/pow.h>

namespace lookback::kernels {

at::Tensor rotaryAngles(const at::Tensor &positions_T, std::int64_t rotatedWidth, double base, AnglePrecision precision)
{
    // The order of operations is that of the published tables, because in float32 it shows.
    const at::ScalarType type = precision == AnglePrecision::Double ? at::kDouble : at::kFloat;
    const at::Tensor exponents_R = at::arange(0, rotatedWidth, 2, positions_T.options().dtype(type)).div(rotatedWidth);
    if (precision == AnglePrecision::Double)
        return positions_T.to(type).unsqueeze(-1) / at::pow(base, exponents_R);
    const at::Tensor frequencies_R = at::pow(base, exponents_R).reciprocal();
    return (positions_T.to(type).unsqueeze(-1) * frequencies_R).to(at::kDouble);
}

RotaryTable rotaryTable(const at::Tensor &positions_T, std::int64_t rotatedWidth, double base,
                        const at::TensorOptions &options, AnglePrecision precision)
{
    at::Tensor angles_TR = rotaryAngles(positions_T, rotatedWidth, base, precision);
    if (precision == AnglePrecision::Single)
        angles_TR = angles_TR.to(at::kFloat);
    return {angles_TR.cos().to(options), angles_TR.sin().to(options)};
}

at::Tensor rotate(const at::Tensor &x, const RotaryTable &table)
{
    const std::int64_t half = table.cos_TR.size(-1);
    const at::Tensor first = x.narrow(-1, 0, half);
    const at::Tensor second = x.narrow(-1, half, half);
    const at::Tensor turnedFirst = at::addcmul(first * table.cos_TR, second, table.sin_TR, -1.0);
    const at::Tensor turnedSecond = at::addcmul(second * table.cos_TR, first, table.sin_TR);
    const std::int64_t rest = x.size(-1) - 2 * half;
    if (rest == 0)
        return at::cat({turnedFirst, turnedSecond}, -1);
    return at::cat({turnedFirst, turnedSecond, x.narrow(-1, 2 * half, rest)}, -1);
}

} // namespace lookback::kernels
