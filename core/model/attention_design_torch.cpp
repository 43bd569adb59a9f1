// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/attention_design_torch.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

namespace lookback::model {

namespace {

constexpr std::int64_t kPieceRows = 256;

} // namespace

MapRows AttentionDesign::mapRows(const at::Tensor &normed_TD, const at::Tensor &queries_Q, HeadRange heads) const
{
    const at::Tensor rows_Q = queries_Q.to(at::kCPU).contiguous();
    const std::int64_t *rows = rows_Q.const_data_ptr<std::int64_t>();
    const std::int64_t *end = rows + rows_Q.numel();
    if (rows == end)
        return {.weights_HQT = normed_TD.new_zeros({heads.count(), 0, normed_TD.size(0)}), .isNegative_HQT = {}};
    const std::unique_ptr<MapReader> reader = mapReader(normed_TD, *rows, heads);
    std::int64_t position = *rows;
    std::vector<at::Tensor> chosen;
    while (rows != end) {
        const std::int64_t piece = std::min(kPieceRows, *(end - 1) + 1 - position);
        const at::Tensor weights_HPT = reader->next(piece);
        const std::int64_t *here = std::lower_bound(rows, end, position + piece);
        if (here != rows) {
            const at::Tensor wanted = queries_Q.narrow(0, queries_Q.numel() - (end - rows), here - rows) - position;
            chosen.push_back(weights_HPT.index_select(1, wanted));
        }
        rows = here;
        position += piece;
    }
    return {.weights_HQT = at::cat(chosen, 1), .isNegative_HQT = {}};
}

} // namespace lookback::model
