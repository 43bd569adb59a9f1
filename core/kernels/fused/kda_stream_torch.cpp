// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/kda_stream_torch.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "core/kernels/fused/parts_torch.h"

namespace lookback::kernels::fused {

namespace {

constexpr std::int64_t kPast = kKdaTaps - 1;

std::size_t floats(std::int64_t rows, std::int64_t stride)
{
    return static_cast<std::size_t>(rows * stride);
}

} // namespace

StreamedKda::StreamedKda(const KdaWeights &weights)
    : m_form(formOf(weights)), m_width(weights.query.size(1)), m_operands(weights),
      m_scans(static_cast<std::size_t>(m_form.heads))
{
    const KdaLayout layout = layoutFor(1);
    m_joinedWeights.packTransposed(m_operands.joined.const_data_ptr<float>(), m_width, m_width, layout.joined);
    m_decayUp.packTransposed(weights.decayUp.const_data_ptr<float>(), layout.rank, layout.rank, layout.inner);
    m_output.packTransposed(weights.output.const_data_ptr<float>(), layout.inner, layout.inner, m_width);
    m_states.require(floats(layout.heads, KdaScan::stateFloats(layout.head)));
    m_past.require(floats(kPast, layout.strideJoined));
    std::fill_n(m_states.data(), m_states.size(), 0.0F);
    std::fill_n(m_past.data(), m_past.size(), 0.0F);
}

KdaLayout StreamedKda::layoutFor(std::int64_t tokens) const
{
    return {1, tokens, m_width, tokens, m_form};
}

at::Tensor StreamedKda::feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q)
{
    const at::Tensor normed = normed_PD.contiguous();
    const KdaLayout layout = layoutFor(normed.size(0));
    const std::int64_t strideJoined = layout.strideJoined;
    m_joined.require(floats(layout.joinedRows(), strideJoined));
    m_convolved.require(floats(layout.tokens, layout.strideActive));
    m_active.require(floats(layout.tokens, layout.strideActive));
    m_norms.require(floats(layout.tokens, 2 * layout.heads));
    for (AlignedFloats *rows : {&m_decay, &m_scanned, &m_mixed})
        rows->require(floats(layout.tokens, layout.strideMixed));
    m_beta.require(floats(layout.tokens, layout.heads));

    std::copy_n(m_past.data(), kPast * strideJoined, m_joined.data());
    float *joined = m_joined.data() + kPast * strideJoined;
    forRows(layout.tokens, [&](std::int64_t first, std::int64_t rows) {
        multiply(rows, normed.const_data_ptr<float>() + first * m_width, m_width, m_joinedWeights,
                 joined + first * strideJoined, strideJoined, false);
    });
    std::copy_n(m_joined.data() + layout.tokens * strideJoined, kPast * strideJoined, m_past.data());
    const KdaVectors vectors = m_operands.vectors(nullptr);
    forRows(layout.tokens, [&](std::int64_t first, std::int64_t rows) {
        activateRows(layout, rows, joined + first * strideJoined, vectors, m_decayUp,
                     {m_convolved.data() + first * layout.strideActive, m_active.data() + first * layout.strideActive,
                      m_norms.data() + first * 2 * layout.heads, m_decay.data() + first * layout.strideMixed,
                      m_beta.data() + first * layout.heads},
                     nullptr);
    });
    const KdaActiveRows active{m_convolved.data(), m_active.data(), m_norms.data(), m_decay.data(), m_beta.data()};
    forEach(layout.heads, [&](std::int64_t head) {
        const std::int64_t at = head * layout.head;
        m_scans[static_cast<std::size_t>(head)].forward(layout.tokens, layout.head, headOf(layout, active, head),
                                                        m_states.data() + head * KdaScan::stateFloats(layout.head),
                                                        m_scanned.data() + at, layout.strideMixed, false);
        gatedNorm(layout.tokens, layout.head, m_scanned.data() + at, layout.strideMixed, vectors.normGain,
                  joined + layout.gateAt() + at, strideJoined, m_mixed.data() + at, layout.strideMixed);
    });

    const float *mixed = m_mixed.data();
    std::int64_t outputs = layout.tokens;
    if (rows_Q.defined()) {
        outputs = rows_Q.numel();
        m_chosen.require(floats(outputs, layout.strideMixed));
        const at::Tensor chosen = rows_Q.contiguous();
        for (std::int64_t q = 0; q < outputs; ++q)
            std::copy_n(mixed + chosen.const_data_ptr<std::int64_t>()[q] * layout.strideMixed, layout.inner,
                        m_chosen.data() + q * layout.strideMixed);
        mixed = m_chosen.data();
    }
    at::Tensor y = at::empty({outputs, m_width}, normed.options());
    forRows(outputs, [&](std::int64_t first, std::int64_t rows) {
        multiply(rows, mixed + first * layout.strideMixed, layout.strideMixed, m_output,
                 y.mutable_data_ptr<float>() + first * m_width, m_width, false);
    });
    return y;
}

} // namespace lookback::kernels::fused
