// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "core/kernels/attention_torch.h"
#include "core/kernels/fused/attention_stream_torch.h"
#include "core/model/attention/support/softmax_attention_torch.h"

namespace lookback::model {

namespace {

/// Logits of one piece of a stream: 16 MiB in float32.
constexpr std::int64_t kPieceLogits = 4 * 1024 * 1024;

/// Caches all keys and values.
class FullStream final : public AttentionStream {
public:
    FullStream(const SoftmaxAttention &design, std::int64_t capacityTokens)
        : m_design(design), m_key(at::empty({1, design.groups(), capacityTokens, design.width()}, design.options())),
          m_value(at::empty_like(m_key))
    {
    }

    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) override
    {
        const std::int64_t piece = normed_PD.size(0);
        const at::Tensor rows_1Q = rows_Q.defined()
            ? rows_Q.unsqueeze(0)
            : at::arange(0, piece, normed_PD.options().dtype(at::kLong)).unsqueeze(0);
        const ProjectedHeads heads = rows_Q.defined()
            ? m_design.projectRows(normed_PD.unsqueeze(0), rows_1Q, m_position)
            : m_design.project(normed_PD.unsqueeze(0), m_position);
        m_key.narrow(2, m_position, piece).copy_(heads.key_BGKC);
        m_value.narrow(2, m_position, piece).copy_(heads.value_BGKC);
        m_position += piece;
        if (rows_1Q.size(1) == 0)
            return normed_PD.narrow(0, 0, 0);
        const at::Tensor mask = kernels::visibilityMask(rows_1Q.squeeze(0) + (m_position - piece), 0, m_position,
                                                        m_design.window(), m_design.options());
        const at::Tensor positions_1Q = rows_1Q + (m_position - piece);
        const at::Tensor weights = m_design.usedWeights(
            kernels::attentionWeights(heads.query_BHQC, m_key.narrow(2, 0, m_position), mask, m_design.isSquared()),
            positions_1Q, 0, m_design.allHeads());
        return m_design.output(kernels::mixValues(weights, m_value.narrow(2, 0, m_position)), positions_1Q).squeeze(0);
    }

    std::int64_t pieceTokens(std::int64_t position) const override
    {
        const std::int64_t longest = kPieceLogits / (m_design.heads() * (position + 512));
        return std::clamp<std::int64_t>(longest, 1, 512);
    }

private:
    const SoftmaxAttention &m_design;
    at::Tensor m_key;
    at::Tensor m_value;
    std::int64_t m_position = 0;
};

/// Remembers the last window - 1 keys and values.
class WindowStream final : public AttentionStream {
public:
    explicit WindowStream(const SoftmaxAttention &design)
        : m_design(design), m_key(at::empty({1, design.groups(), 0, design.width()}, design.options())), m_value(m_key)
    {
    }

    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) override
    {
        const ProjectedHeads heads = m_design.project(normed_PD.unsqueeze(0), m_position);
        m_position += normed_PD.size(0);
        const at::Tensor key = at::cat({m_key, heads.key_BGKC}, 2);
        const at::Tensor value = at::cat({m_value, heads.value_BGKC}, 2);
        at::Tensor mixed_BHTC =
            kernels::windowAttention(heads.query_BHQC, key, value, m_design.window(), m_design.isSquared());
        const std::int64_t kept = std::min(m_design.window() - 1, key.size(2));
        m_key = key.narrow(2, key.size(2) - kept, kept).clone();
        m_value = value.narrow(2, value.size(2) - kept, kept).clone();
        const std::int64_t first = m_position - normed_PD.size(0);
        if (!rows_Q.defined())
            return m_design.output(mixed_BHTC, first).squeeze(0);
        return m_design.output(mixed_BHTC.index_select(2, rows_Q), (rows_Q + first).unsqueeze(0)).squeeze(0);
    }

    std::int64_t pieceTokens(std::int64_t) const override
    {
        return std::clamp<std::int64_t>(kPieceLogits / (m_design.heads() * 2 * m_design.window()), 1, 4096);
    }

private:
    const SoftmaxAttention &m_design;
    at::Tensor m_key;
    at::Tensor m_value;
    std::int64_t m_position = 0;
};

/// Keys and values in the fused kernels' own layout.
class FusedStream final : public AttentionStream {
public:
    FusedStream(const SoftmaxAttention &design, std::int64_t capacityTokens)
        : m_design(design), m_attention(design.fusedWeights(), design.fusedForm(), capacityTokens)
    {
    }

    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) override
    {
        const std::int64_t piece = normed_PD.size(0);
        const kernels::RotaryTable table = m_design.rotaryOrNone(m_position, piece);
        m_position += piece;
        return m_attention.feed(normed_PD, table.cos_TR, table.sin_TR, rows_Q);
    }

    std::int64_t pieceTokens(std::int64_t) const override { return 1024; }

private:
    const SoftmaxAttention &m_design;
    kernels::fused::StreamedAttention m_attention;
    std::int64_t m_position = 0;
};

} // namespace

std::unique_ptr<AttentionStream> SoftmaxAttention::fusedStream(std::int64_t capacityTokens) const
{
    return std::make_unique<FusedStream>(*this, capacityTokens);
}

std::unique_ptr<AttentionStream> SoftmaxAttention::stream(std::int64_t capacityTokens) const
{
    if (m_window > 0 && m_window < capacityTokens && !hasPattern())
        return std::make_unique<WindowStream>(*this);
    return std::make_unique<FullStream>(*this, capacityTokens);
}

} // namespace lookback::model
