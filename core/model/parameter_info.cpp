// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/parameter_info.h"

#include <cmath>

namespace lookback::model {

double initialZero(Philox &, std::int64_t)
{
    return 0.0;
}

double initialOne(Philox &, std::int64_t)
{
    return 1.0;
}

double initialNormal(Philox &generator, std::int64_t)
{
    return generator.normal();
}

double initialUniform(Philox &generator, std::int64_t fanIn)
{
    const double bound = 1.0 / std::sqrt(static_cast<double>(fanIn));
    return bound * (2.0 * generator.uniform() - 1.0);
}

std::int64_t ParameterInfo::count() const
{
    std::int64_t product = 1;
    for (const std::int64_t size : shape)
        product *= size;
    return product;
}

std::int64_t ParameterInfo::fanIn() const
{
    std::int64_t product = 1;
    for (std::size_t i = 1; i < shape.size(); ++i)
        product *= shape[i];
    return product;
}

} // namespace lookback::model
