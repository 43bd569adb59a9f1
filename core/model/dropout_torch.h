// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace lookback::model {

/// Which numbers one training step drops: a pure function of these, the sublayer and the place of the number.
struct Dropout {
    double share = 0.0; ///< Probability of each number; 0 = nothing is dropped.
    std::uint64_t seed = 0;
    std::int64_t step = 0;
};

/// `y` = `x` + what a sublayer adds: the same with `dropout.share` of the added numbers replaced by 0 and the others
/// divided by 1 - share (Srivastava et al., JMLR 2014, in the inverted form). `x` and `y` [.., D] on the same device.
/// Row r of the flattened rows takes the words of stream `step`, substream sublayer * 2^40 + r of the seed; a number is
/// dropped if its word is below share * 2^32.
at::Tensor withDropout(const at::Tensor &x, const at::Tensor &y, const Dropout &dropout, std::int64_t sublayer);

} // namespace lookback::model
