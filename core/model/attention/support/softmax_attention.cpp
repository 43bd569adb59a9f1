// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/attention/support/softmax_attention_torch.h"

#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include "core/kernels/attention_torch.h"
#include "core/model/variant_definition.h"

namespace lookback::model {

ProjectedHeads SoftmaxAttention::project(const at::Tensor &normed_BTD, std::int64_t firstPosition) const
{
    const std::int64_t tokens = normed_BTD.size(1);
    const at::Tensor packed = at::linear(normed_BTD, at::cat({m_query * scale(), m_key, m_value}));
    const std::int64_t queryWidth = m_heads * m_width;
    const std::int64_t keyWidth = m_groups * m_width;
    ProjectedHeads heads{split(packed.narrow(2, 0, queryWidth), m_heads),
                         split(packed.narrow(2, queryWidth, keyWidth), m_groups),
                         split(packed.narrow(2, queryWidth + keyWidth, keyWidth), m_groups)};
    if (m_rotatedWidth > 0) {
        const kernels::RotaryTable table = rotary(firstPosition, tokens);
        heads.query_BHQC = kernels::rotate(heads.query_BHQC, table);
        heads.key_BGKC = kernels::rotate(heads.key_BGKC, table);
    }
    return asCached(std::move(heads));
}

ProjectedHeads SoftmaxAttention::projectRows(const at::Tensor &normed_BTD, const at::Tensor &rows_BQ,
                                             std::int64_t firstPosition) const
{
    const at::Tensor packed = at::linear(normed_BTD, at::cat({m_key, m_value}));
    const at::Tensor chosen_BQD = normed_BTD.gather(1, rows_BQ.unsqueeze(2).expand({-1, -1, normed_BTD.size(2)}));
    const std::int64_t keyWidth = m_groups * m_width;
    ProjectedHeads heads{split(at::linear(chosen_BQD, m_query * scale()), m_heads),
                         split(packed.narrow(2, 0, keyWidth), m_groups),
                         split(packed.narrow(2, keyWidth, keyWidth), m_groups)};
    if (m_rotatedWidth > 0) {
        const kernels::RotaryTable table = rotary(firstPosition, normed_BTD.size(1));
        const kernels::RotaryTable chosen{rowsOf(table.cos_TR, rows_BQ), rowsOf(table.sin_TR, rows_BQ)};
        heads.query_BHQC = kernels::rotate(heads.query_BHQC, chosen);
        heads.key_BGKC = kernels::rotate(heads.key_BGKC, table);
    }
    return asCached(std::move(heads));
}

at::Tensor SoftmaxAttention::queriesOf(const at::Tensor &normed_TD, std::int64_t first, std::int64_t rows,
                                       HeadRange heads) const
{
    const at::Tensor weight = m_query.narrow(0, heads.begin * m_width, heads.count() * m_width) * scale();
    const at::Tensor query_BHQC =
        split(at::linear(normed_TD.narrow(0, first, rows).unsqueeze(0), weight), heads.count());
    return m_rotatedWidth > 0 ? kernels::rotate(query_BHQC, rotary(first, rows)) : query_BHQC;
}

at::Tensor SoftmaxAttention::queriesAt(const at::Tensor &normed_TD, const at::Tensor &queries_Q, HeadRange heads) const
{
    const at::Tensor weight = m_query.narrow(0, heads.begin * m_width, heads.count() * m_width) * scale();
    const at::Tensor query_BHQC =
        split(at::linear(normed_TD.index_select(0, queries_Q).unsqueeze(0), weight), heads.count());
    if (m_rotatedWidth == 0)
        return query_BHQC;
    const kernels::RotaryTable table = rotary(0, normed_TD.size(0));
    return kernels::rotate(query_BHQC,
                           {table.cos_TR.index_select(0, queries_Q), table.sin_TR.index_select(0, queries_Q)});
}

at::Tensor SoftmaxAttention::keysOf(const at::Tensor &normed_TD, HeadRange heads) const
{
    const std::int64_t perGroup = m_heads / m_groups;
    const std::int64_t firstGroup = heads.begin / perGroup;
    const std::int64_t groups = (heads.end - 1) / perGroup + 1 - firstGroup;
    const bool hasCodec = static_cast<bool>(changes().keyCodec); // it may look at all groups
    const at::Tensor weight = hasCodec ? m_key : m_key.narrow(0, firstGroup * m_width, groups * m_width);
    at::Tensor key_BGKC = split(at::linear(normed_TD.unsqueeze(0), weight), hasCodec ? m_groups : groups);
    if (m_rotatedWidth > 0)
        key_BGKC = kernels::rotate(key_BGKC, rotary(0, normed_TD.size(0)));
    if (hasCodec)
        key_BGKC = changes().keyCodec(key_BGKC).narrow(1, firstGroup, groups);
    if (groups == 1 || heads.count() == groups * perGroup)
        return key_BGKC;
    const at::Tensor groupOfHead =
        (at::arange(heads.begin, heads.end, options().dtype(at::kLong))).div(perGroup, "floor") - firstGroup;
    return key_BGKC.index_select(1, groupOfHead);
}

at::Tensor SoftmaxAttention::output(const at::Tensor &mixed_BHQC, const at::Tensor &positions_BQ) const
{
    const at::Tensor &gain_H = changes().headGain_H;
    at::Tensor heads_BQHC = mixed_BHQC.transpose(1, 2);
    if (changes().headOutput)
        heads_BQHC = changes().headOutput(heads_BQHC, positions_BQ);
    if (gain_H.defined())
        heads_BQHC = heads_BQHC * gain_H.to(options()).unsqueeze(-1);
    return at::linear(heads_BQHC.flatten(2), m_output);
}

at::Tensor SoftmaxAttention::usedWeights(at::Tensor weights_BHQK, const at::Tensor &positions_BQ, std::int64_t firstKey,
                                         HeadRange heads) const
{
    if (!changes().pattern)
        return weights_BHQK;
    return changes().pattern({std::move(weights_BHQK), positions_BQ, firstKey, heads});
}

ProjectedHeads SoftmaxAttention::asCached(ProjectedHeads heads) const
{
    if (changes().keyCodec)
        heads.key_BGKC = changes().keyCodec(heads.key_BGKC);
    heads.value_BGKC = cachedValue(heads.value_BGKC);
    return heads;
}

kernels::RotaryTable SoftmaxAttention::rotary(std::int64_t firstPosition, std::int64_t tokens) const
{
    const std::int64_t end = firstPosition + tokens;
    if (!m_rotary.cos_TR.defined() || m_rotary.cos_TR.size(0) < end) {
        const at::Tensor positions = at::arange(0, end, options().dtype(at::kLong));
        m_rotary = changes().rotaryTable ? changes().rotaryTable(positions, m_rotatedWidth, m_ropeBase, options())
                                         : kernels::rotaryTable(positions, m_rotatedWidth, m_ropeBase, options());
    }
    return {m_rotary.cos_TR.narrow(0, firstPosition, tokens), m_rotary.sin_TR.narrow(0, firstPosition, tokens)};
}

const at::Tensor &SoftmaxAttention::wholeMask(std::int64_t tokens) const
{
    if (!m_mask.defined() || m_mask.size(0) != tokens) {
        const at::Tensor positions = at::arange(0, tokens, options().dtype(at::kLong));
        m_mask = kernels::visibilityMask(positions, 0, tokens, m_window, options());
    }
    return m_mask;
}

at::Tensor SoftmaxAttention::rowsOf(const at::Tensor &table_TR, const at::Tensor &rows_BQ)
{
    return table_TR.index_select(0, rows_BQ.flatten()).view({rows_BQ.size(0), 1, rows_BQ.size(1), table_TR.size(1)});
}

at::Tensor SoftmaxAttention::forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const
{
    if (queries_BQ.defined()) {
        const ProjectedHeads heads = projectRows(normed_BTD, queries_BQ, 0);
        const at::Tensor mask =
            kernels::visibilityMask(queries_BQ, 0, normed_BTD.size(1), m_window, options()).unsqueeze(1);
        const at::Tensor weights = usedWeights(
            kernels::attentionWeights(heads.query_BHQC, heads.key_BGKC, mask, m_isSquared), queries_BQ, 0, allHeads());
        return output(kernels::mixValues(weights, heads.value_BGKC), queries_BQ);
    }
    const ProjectedHeads heads = project(normed_BTD, 0);
    const std::int64_t tokens = normed_BTD.size(1);
    if (m_window > 0 && m_window < tokens && !hasPattern()) {
        return output(
            kernels::windowAttention(heads.query_BHQC, heads.key_BGKC, heads.value_BGKC, m_window, m_isSquared), 0);
    }
    at::Tensor weights = kernels::attentionWeights(heads.query_BHQC, heads.key_BGKC, wholeMask(tokens), m_isSquared);
    if (hasPattern())
        weights = usedWeights(std::move(weights), positions(0, tokens), 0, allHeads());
    return output(kernels::mixValues(weights, heads.value_BGKC), 0);
}

at::Tensor SoftmaxAttention::fusedSublayer(const at::Tensor &x_BTD, const at::Tensor &gain_D,
                                           const at::Tensor &queries_BQ, Precision precision) const
{
    const kernels::RotaryTable table = rotaryOrNone(0, x_BTD.size(1));
    kernels::fused::AttentionWeights weights = fusedWeights();
    weights.gain_D = gain_D;
    kernels::fused::AttentionForm form = fusedForm();
    form.precision = precision;
    return kernels::fused::attentionSublayer(x_BTD, weights, table.cos_TR, table.sin_TR, queries_BQ, form);
}

std::unique_ptr<AttentionDesign> makeSoftmaxAttention(const RunConfig &config, const SublayerInfo &sublayer,
                                                      std::int64_t)
{
    return std::make_unique<SoftmaxAttention>(config, sublayer);
}

} // namespace lookback::model
