// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/rng.h"

namespace lookback::model {

/// Draws one initial value. `fanIn`: product of all dimensions but the first (1 for vectors).
using InitialValue = double (*)(Philox &generator, std::int64_t fanIn);

double initialZero(Philox &generator, std::int64_t fanIn);
double initialOne(Philox &generator, std::int64_t fanIn);
/// Standard normal: PyTorch's default for embeddings.
double initialNormal(Philox &generator, std::int64_t fanIn);
/// U(-1/sqrt(fanIn), 1/sqrt(fanIn)): PyTorch's default for linear maps and convolutions.
double initialUniform(Philox &generator, std::int64_t fanIn);

/// One trainable tensor before it exists.
struct ParameterInfo {
    std::string name; ///< State name; in an AttentionDesign without the prefix "layers.<i>.".
    std::vector<std::int64_t> shape;
    InitialValue initial = initialUniform;

    std::int64_t count() const;
    std::int64_t fanIn() const;
};

} // namespace lookback::model
