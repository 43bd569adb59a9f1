// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/attention_torch.h"

#include <algorithm>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

namespace lookback::kernels {

at::Tensor visibilityMask(const at::Tensor &queryPositions, std::int64_t firstKey, std::int64_t keys,
                          std::int64_t window, const at::TensorOptions &options)
{
    const at::Tensor key_K = at::arange(firstKey, firstKey + keys, queryPositions.options());
    const at::Tensor distance = queryPositions.unsqueeze(-1) - key_K;
    at::Tensor isHidden = distance.lt(0);
    if (window > 0)
        isHidden = isHidden.logical_or(distance.ge(window));
    if (firstKey < 0)
        isHidden = isHidden.logical_or(key_K.lt(0));
    return at::zeros(isHidden.sizes(), options).masked_fill_(isHidden, -std::numeric_limits<double>::infinity());
}

at::Tensor attentionLogits(const at::Tensor &query_BHQC, const at::Tensor &key_BGKC)
{
    const std::int64_t sequences = query_BHQC.size(0);
    const std::int64_t heads = query_BHQC.size(1);
    const std::int64_t queries = query_BHQC.size(2);
    const std::int64_t groups = key_BGKC.size(1);
    const std::int64_t keys = key_BGKC.size(2);
    const at::Tensor grouped = query_BHQC.reshape({sequences, groups, heads / groups * queries, query_BHQC.size(3)});
    return at::matmul(grouped, key_BGKC.transpose(2, 3)).view({sequences, heads, queries, keys});
}

at::Tensor attentionWeights(const at::Tensor &query_BHQC, const at::Tensor &key_BGKC, const at::Tensor &mask,
                            bool isSquared)
{
    at::Tensor logits = attentionLogits(query_BHQC, key_BGKC);
    if (isSquared)
        logits = logits.square();
    return at::softmax(logits + mask, -1);
}

at::Tensor mixValues(const at::Tensor &weights_BHQK, const at::Tensor &value_BGKC)
{
    const std::int64_t sequences = weights_BHQK.size(0);
    const std::int64_t heads = weights_BHQK.size(1);
    const std::int64_t queries = weights_BHQK.size(2);
    const std::int64_t groups = value_BGKC.size(1);
    const at::Tensor grouped =
        weights_BHQK.reshape({sequences, groups, heads / groups * queries, weights_BHQK.size(3)});
    return at::matmul(grouped, value_BGKC).view({sequences, heads, queries, value_BGKC.size(3)});
}

at::Tensor windowAttention(const at::Tensor &query_BHTC, const at::Tensor &key_BGXC, const at::Tensor &value_BGXC,
                           std::int64_t window, bool isSquared)
{
    const std::int64_t sequences = query_BHTC.size(0);
    const std::int64_t heads = query_BHTC.size(1);
    const std::int64_t tokens = query_BHTC.size(2);
    const std::int64_t width = query_BHTC.size(3);
    const std::int64_t groups = key_BGXC.size(1);
    const std::int64_t perGroup = heads / groups;
    const std::int64_t context = key_BGXC.size(2) - tokens;

    // Blocks of at least the window, so that only the first one can reach keys before the first token.
    const std::int64_t block = std::max<std::int64_t>(32, window);
    const std::int64_t blocks = (tokens + block - 1) / block;
    const std::int64_t padding = blocks * block - tokens;
    const std::int64_t reach = block + window - 1;
    const std::int64_t missing = window - 1 - context;

    // A block of queries sees its own block of keys and the last window - 1 of the block before.
    const auto windows = [&](const at::Tensor &x_BGXC) {
        const at::Tensor blocks_BGNSC = at::constant_pad_nd(x_BGXC, {0, 0, block - context, padding})
                                            .view({sequences, groups, blocks + 1, block, width});
        const at::Tensor before = blocks_BGNSC.narrow(2, 0, blocks).narrow(3, block - window + 1, window - 1);
        return at::cat({before, blocks_BGNSC.narrow(2, 1, blocks)}, 3); // [B, G, blocks, reach, C]
    };
    const at::Tensor query = (padding == 0 ? query_BHTC : at::constant_pad_nd(query_BHTC, {0, 0, 0, padding}))
                                 .reshape({sequences, groups, perGroup, blocks, block, width})
                                 .transpose(2, 3)
                                 .reshape({sequences, groups, blocks, perGroup * block, width});
    at::Tensor logits =
        at::matmul(query, windows(key_BGXC).transpose(3, 4)).view({sequences, groups, blocks, perGroup, block, reach});
    if (isSquared)
        logits = logits.square();

    const at::Tensor positions = at::arange(0, block, query_BHTC.options().dtype(at::kLong));
    const at::Tensor band = visibilityMask(positions + missing + context, 0, reach, window, query_BHTC.options());
    at::Tensor mask = band.expand({blocks, block, reach});
    if (missing > 0) {
        const at::Tensor first = visibilityMask(positions + context, -missing, reach, window, query_BHTC.options());
        mask = at::cat({first.unsqueeze(0), mask.narrow(0, 1, blocks - 1)});
    }
    const at::Tensor weights =
        at::softmax(logits + mask.unsqueeze(1), -1).view({sequences, groups, blocks, perGroup * block, reach});
    return at::matmul(weights, windows(value_BGXC))
        .view({sequences, groups, blocks, perGroup, block, width})
        .transpose(2, 3)
        .reshape({sequences, heads, blocks * block, width})
        .narrow(2, 0, tokens);
}

} // namespace lookback::kernels
