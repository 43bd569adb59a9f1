// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/dropout_torch.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "core/kernels/fused/parts_torch.h"
#include "core/rng.h"

namespace lookback::model {

at::Tensor withDropout(const at::Tensor &x, const at::Tensor &y, const Dropout &dropout, std::int64_t sublayer)
{
    if (dropout.share <= 0.0)
        return y;
    constexpr double kWords = 4294967296.0;
    const auto threshold = static_cast<std::uint32_t>(std::llround(dropout.share * kWords));
    const auto kept = static_cast<float>(1.0 / (1.0 - dropout.share));
    const std::int64_t width = y.size(-1);
    const std::int64_t rows = y.numel() / width;
    at::Tensor mask = at::empty(y.sizes(), at::TensorOptions().dtype(at::kFloat));
    float *const factors = mask.mutable_data_ptr<float>();
    kernels::fused::forEach(rows, [&](std::int64_t row) {
        Philox generator =
            generatorFor(RandomPurpose::Dropout, dropout.seed, static_cast<std::uint64_t>(dropout.step),
                         (static_cast<std::uint64_t>(sublayer) << 40U) + static_cast<std::uint64_t>(row));
        for (float *factor = factors + row * width; factor != factors + (row + 1) * width; ++factor)
            *factor = generator.next() < threshold ? 0.0F : kept;
    });
    return x + (y - x) * mask.to(y.device(), y.scalar_type());
}

} // namespace lookback::model
