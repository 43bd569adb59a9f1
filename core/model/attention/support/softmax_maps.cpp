// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/softmax.h>

#include "core/kernels/attention_torch.h"
#include "core/model/attention/support/softmax_attention_torch.h"

namespace lookback::model {

namespace {

/// Keeps the keys; a windowed layer looks only at those within the window.
class SoftmaxMapReader final : public MapReader {
public:
    SoftmaxMapReader(const SoftmaxAttention &design, at::Tensor normed_TD, std::int64_t firstQuery, HeadRange heads)
        : m_design(design), m_normed_TD(std::move(normed_TD)), m_key_BGKC(design.keysOf(m_normed_TD, heads)),
          m_heads(heads), m_position(firstQuery)
    {
    }

    at::Tensor next(std::int64_t rows) override
    {
        const std::int64_t tokens = m_normed_TD.size(0);
        const std::int64_t window = m_design.window();
        const std::int64_t end = m_position + rows;
        const std::int64_t firstKey = window > 0 ? std::max<std::int64_t>(0, m_position - window + 1) : 0;
        const std::int64_t keys = end - firstKey;
        const at::Tensor queries = at::arange(m_position, end, m_normed_TD.options().dtype(at::kLong));
        const at::Tensor mask = kernels::visibilityMask(queries, firstKey, keys, window, m_design.options());
        at::Tensor seen_BHQK =
            kernels::attentionWeights(m_design.queriesOf(m_normed_TD, m_position, rows, m_heads),
                                      m_key_BGKC.narrow(2, firstKey, keys), mask, m_design.isSquared());
        const at::Tensor seen_HQK =
            m_design.usedWeights(std::move(seen_BHQK), queries.unsqueeze(0), firstKey, m_heads).squeeze(0);
        m_position = end;
        return keys == tokens ? seen_HQK : at::constant_pad_nd(seen_HQK, {firstKey, tokens - end});
    }

private:
    const SoftmaxAttention &m_design;
    at::Tensor m_normed_TD;
    at::Tensor m_key_BGKC;
    HeadRange m_heads;
    std::int64_t m_position;
};

} // namespace

std::unique_ptr<MapReader> SoftmaxAttention::mapReader(const at::Tensor &normed_TD, std::int64_t firstQuery,
                                                       HeadRange heads) const
{
    return std::make_unique<SoftmaxMapReader>(*this, normed_TD, firstQuery, heads);
}

MapRows SoftmaxAttention::mapRows(const at::Tensor &normed_TD, const at::Tensor &queries_Q, HeadRange heads) const
{
    at::Tensor logits =
        kernels::attentionLogits(queriesAt(normed_TD, queries_Q, heads), keysOf(normed_TD, heads)).squeeze(0);
    MapRows rows;
    if (m_isSquared) {
        rows.isNegative_HQT = logits.lt(0);
        logits = logits.square();
    }
    at::Tensor weights_HQT =
        at::softmax(logits + kernels::visibilityMask(queries_Q, 0, normed_TD.size(0), m_window, options()), -1);
    rows.weights_HQT = usedWeights(weights_HQT.unsqueeze(0), queries_Q.unsqueeze(0), 0, heads).squeeze(0);
    return rows;
}

} // namespace lookback::model
