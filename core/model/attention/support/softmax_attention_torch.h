// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/linear.h>

#include "core/config.h"
#include "core/kernels/fused/attention_sublayer_torch.h"
#include "core/kernels/rotary_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/variant_info.h"

// Shapes: B sequences, T tokens, P tokens of a piece, H query heads, G key-value heads, Q queries, K keys,
// C head width, D model width.

namespace lookback::model {

/// Projected tokens.
struct ProjectedHeads {
    at::Tensor query_BHQC; ///< Rotated and scaled by 1/sqrt(C).
    at::Tensor key_BGKC; ///< Rotated.
    at::Tensor value_BGKC;
};

/// Softmax attention in all its forms: rotary positions or none, a window or the whole context, plain or squared
/// logits, grouped key-value heads.
class SoftmaxAttention final : public AttentionDesign {
public:
    SoftmaxAttention(const RunConfig &config, const SublayerInfo &sublayer)
        : m_modelWidth(config.d_model), m_heads(config.query_heads), m_groups(config.kv_heads),
          m_width(config.headWidth()), m_ropeBase(config.rope_base),
          m_rotatedWidth(std::llround(sublayer.rotaryFraction * static_cast<double>(config.headWidth()))),
          m_window(sublayer.isWindowed ? config.window : 0), m_isSquared(sublayer.logits == LogitForm::Squared)
    {
    }

    std::vector<ParameterInfo> parameters() const override
    {
        return {{"Wq.weight", {m_heads * m_width, m_modelWidth}},
                {"Wk.weight", {m_groups * m_width, m_modelWidth}},
                {"Wv.weight", {m_groups * m_width, m_modelWidth}},
                {"Wo.weight", {m_modelWidth, m_heads * m_width}}};
    }

    void bind(const std::vector<at::Tensor> &tensors) override
    {
        m_query = tensors.at(0);
        m_key = tensors.at(1);
        m_value = tensors.at(2);
        m_output = tensors.at(3);
    }

    void setChanges(EvaluationChanges changes) override
    {
        if (changes.rotaryTable || this->changes().rotaryTable)
            m_rotary = {};
        AttentionDesign::setChanges(std::move(changes));
    }

    at::Tensor forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const override;
    bool hasFusedKernels() const override
    {
        return !changes().keyCodec && !changes().valueCodec && !changes().headGain_H.defined() && !changes().pattern
            && !changes().headOutput;
    }
    at::Tensor fusedSublayer(const at::Tensor &x_BTD, const at::Tensor &gain_D, const at::Tensor &queries_BQ,
                             Precision precision) const override;
    std::unique_ptr<AttentionStream> stream(std::int64_t capacityTokens) const override;
    std::unique_ptr<AttentionStream> fusedStream(std::int64_t capacityTokens) const override;
    std::unique_ptr<MapReader> mapReader(const at::Tensor &normed_TD, std::int64_t firstQuery,
                                         HeadRange heads) const override;
    MapRows mapRows(const at::Tensor &normed_TD, const at::Tensor &queries_Q, HeadRange heads) const override;

    at::Tensor values(const at::Tensor &normed_TD) const override
    {
        return cachedValue(split(at::linear(normed_TD.unsqueeze(0), m_value), m_groups))
            .squeeze(0)
            .repeat_interleave(m_heads / m_groups, 0);
    }

    at::Tensor outputFromMixed(const at::Tensor &mixed_HTC, const at::Tensor &) const override
    {
        return output(mixed_HTC.unsqueeze(0), 0).squeeze(0);
    }

    double forwardFlop(std::int64_t tokens) const override
    {
        const double projections =
            2.0 * static_cast<double>(m_modelWidth * (2 * m_heads + 2 * m_groups) * m_width * tokens);
        const double pairs = static_cast<double>(tokens) * static_cast<double>(tokens);
        return projections + 4.0 * pairs * static_cast<double>(m_heads * m_width);
    }

    /// Queries, keys and values of consecutive tokens, the first of them at `firstPosition`.
    ProjectedHeads project(const at::Tensor &normed_BTD, std::int64_t firstPosition) const;

    /// As project, but queries only of the rows `rows_BQ` of each sequence.
    ProjectedHeads projectRows(const at::Tensor &normed_BTD, const at::Tensor &rows_BQ,
                               std::int64_t firstPosition) const;

    /// Queries of the tokens `first`..`first` + `rows` - 1 and the heads asked for: [1, H, rows, C].
    at::Tensor queriesOf(const at::Tensor &normed_TD, std::int64_t first, std::int64_t rows, HeadRange heads) const;

    /// Queries of the tokens `queries_Q` and the heads asked for: [1, H, Q, C].
    at::Tensor queriesAt(const at::Tensor &normed_TD, const at::Tensor &queries_Q, HeadRange heads) const;

    /// What the heads asked for see as keys of all tokens: [1, G, T, C] of their groups, or one a head where the heads
    /// do not fill their groups.
    at::Tensor keysOf(const at::Tensor &normed_TD, HeadRange heads) const;

    /// Heads joined and projected back: [B, H, Q, C] -> [B, Q, D]. `positions_BQ`: of the rows.
    at::Tensor output(const at::Tensor &mixed_BHQC, const at::Tensor &positions_BQ) const;
    /// The same for consecutive rows.
    at::Tensor output(const at::Tensor &mixed_BHQC, std::int64_t firstPosition) const
    {
        return output(mixed_BHQC, changes().headOutput ? positions(firstPosition, mixed_BHQC.size(2)) : at::Tensor());
    }

    /// The weights that are used where the model would use these; `positions_BQ`: of the rows.
    at::Tensor usedWeights(at::Tensor weights_BHQK, const at::Tensor &positions_BQ, std::int64_t firstKey,
                           HeadRange heads) const;
    HeadRange allHeads() const { return {0, m_heads}; }
    bool hasPattern() const { return static_cast<bool>(changes().pattern); }
    /// [1, count]
    at::Tensor positions(std::int64_t first, std::int64_t count) const
    {
        return at::arange(first, first + count, options().dtype(at::kLong)).unsqueeze(0);
    }

    kernels::fused::AttentionForm fusedForm() const
    {
        return {.heads = m_heads,
                .groups = m_groups,
                .headWidth = m_width,
                .window = m_window,
                .isSquared = m_isSquared,
                .queryScale = scale()};
    }
    kernels::fused::AttentionWeights fusedWeights() const { return {{}, m_query, m_key, m_value, m_output}; }
    /// Undefined where nothing is rotated.
    kernels::RotaryTable rotaryOrNone(std::int64_t firstPosition, std::int64_t tokens) const
    {
        return m_rotatedWidth > 0 ? rotary(firstPosition, tokens) : kernels::RotaryTable{};
    }

    std::int64_t heads() const { return m_heads; }
    std::int64_t groups() const { return m_groups; }
    std::int64_t width() const { return m_width; }
    std::int64_t window() const { return m_window; }
    bool isSquared() const { return m_isSquared; }
    at::TensorOptions options() const { return m_query.options().requires_grad(false); }

private:
    double scale() const { return 1.0 / (std::sqrt(static_cast<double>(m_width)) * changes().temperature); }

    at::Tensor cachedValue(const at::Tensor &value_BGKC) const
    {
        return changes().valueCodec ? changes().valueCodec(value_BGKC) : value_BGKC;
    }

    ProjectedHeads asCached(ProjectedHeads heads) const;

    at::Tensor split(const at::Tensor &joined_BTx, std::int64_t heads) const
    {
        return joined_BTx.unflatten(2, {heads, m_width}).transpose(1, 2);
    }

    static at::Tensor rowsOf(const at::Tensor &table_TR, const at::Tensor &rows_BQ);

    /// Tables are made once and kept up to the longest context seen.
    kernels::RotaryTable rotary(std::int64_t firstPosition, std::int64_t tokens) const;

    /// The mask [T, T] of a whole sequence, kept for the length seen last.
    const at::Tensor &wholeMask(std::int64_t tokens) const;

    std::int64_t m_modelWidth;
    std::int64_t m_heads;
    std::int64_t m_groups;
    std::int64_t m_width;
    double m_ropeBase;
    std::int64_t m_rotatedWidth;
    std::int64_t m_window; ///< 0 = sees all earlier tokens.
    bool m_isSquared;
    at::Tensor m_query;
    at::Tensor m_key;
    at::Tensor m_value;
    at::Tensor m_output;
    mutable kernels::RotaryTable m_rotary;
    mutable at::Tensor m_mask;
};

} // namespace lookback::model
