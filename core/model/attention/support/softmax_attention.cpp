// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/softmax.h>

#include "core/kernels/attention_torch.h"
#include "core/kernels/fused/attention_stream_torch.h"
#include "core/kernels/fused/attention_sublayer_torch.h"
#include "core/kernels/rotary_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/variant_definition.h"

// Shapes: B sequences, T tokens, P tokens of a piece, H query heads, G key-value heads, Q queries, K keys,
// C head width, D model width.

namespace lookback::model {

namespace {

/// Logits of one piece of a stream: 16 MiB in float32.
constexpr std::int64_t kPieceLogits = 4 * 1024 * 1024;

struct Heads {
    at::Tensor query_BHQC; ///< Rotated and scaled by 1/sqrt(C).
    at::Tensor key_BGKC; ///< Rotated.
    at::Tensor value_BGKC;
};

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
    Heads project(const at::Tensor &normed_BTD, std::int64_t firstPosition) const
    {
        const std::int64_t tokens = normed_BTD.size(1);
        const at::Tensor packed = at::linear(normed_BTD, at::cat({m_query * scale(), m_key, m_value}));
        const std::int64_t queryWidth = m_heads * m_width;
        const std::int64_t keyWidth = m_groups * m_width;
        Heads heads{split(packed.narrow(2, 0, queryWidth), m_heads),
                    split(packed.narrow(2, queryWidth, keyWidth), m_groups),
                    split(packed.narrow(2, queryWidth + keyWidth, keyWidth), m_groups)};
        if (m_rotatedWidth > 0) {
            const kernels::RotaryTable table = rotary(firstPosition, tokens);
            heads.query_BHQC = kernels::rotate(heads.query_BHQC, table);
            heads.key_BGKC = kernels::rotate(heads.key_BGKC, table);
        }
        return asCached(std::move(heads));
    }

    /// As project, but queries only of the rows `rows_BQ` of each sequence.
    Heads projectRows(const at::Tensor &normed_BTD, const at::Tensor &rows_BQ, std::int64_t firstPosition) const
    {
        const at::Tensor packed = at::linear(normed_BTD, at::cat({m_key, m_value}));
        const at::Tensor chosen_BQD = normed_BTD.gather(1, rows_BQ.unsqueeze(2).expand({-1, -1, normed_BTD.size(2)}));
        const std::int64_t keyWidth = m_groups * m_width;
        Heads heads{split(at::linear(chosen_BQD, m_query * scale()), m_heads),
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

    /// Queries of the tokens `first`..`first` + `rows` - 1 and the heads asked for: [1, H, rows, C].
    at::Tensor queriesOf(const at::Tensor &normed_TD, std::int64_t first, std::int64_t rows, HeadRange heads) const
    {
        const at::Tensor weight = m_query.narrow(0, heads.begin * m_width, heads.count() * m_width) * scale();
        const at::Tensor query_BHQC =
            split(at::linear(normed_TD.narrow(0, first, rows).unsqueeze(0), weight), heads.count());
        return m_rotatedWidth > 0 ? kernels::rotate(query_BHQC, rotary(first, rows)) : query_BHQC;
    }

    /// Queries of the tokens `queries_Q` and the heads asked for: [1, H, Q, C].
    at::Tensor queriesAt(const at::Tensor &normed_TD, const at::Tensor &queries_Q, HeadRange heads) const
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

    /// What the heads asked for see as keys of all tokens: [1, G, T, C] of their groups, or one a head where the heads
    /// do not fill their groups.
    at::Tensor keysOf(const at::Tensor &normed_TD, HeadRange heads) const
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

    /// Heads joined and projected back: [B, H, Q, C] -> [B, Q, D]. `positions_BQ`: of the rows.
    at::Tensor output(const at::Tensor &mixed_BHQC, const at::Tensor &positions_BQ) const
    {
        const at::Tensor &gain_H = changes().headGain_H;
        at::Tensor heads_BQHC = mixed_BHQC.transpose(1, 2);
        if (changes().headOutput)
            heads_BQHC = changes().headOutput(heads_BQHC, positions_BQ);
        if (gain_H.defined())
            heads_BQHC = heads_BQHC * gain_H.to(options()).unsqueeze(-1);
        return at::linear(heads_BQHC.flatten(2), m_output);
    }
    /// The same for consecutive rows.
    at::Tensor output(const at::Tensor &mixed_BHQC, std::int64_t firstPosition) const
    {
        return output(mixed_BHQC, changes().headOutput ? positions(firstPosition, mixed_BHQC.size(2)) : at::Tensor());
    }

    /// The weights that are used where the model would use these; `positions_BQ`: of the rows.
    at::Tensor usedWeights(at::Tensor weights_BHQK, const at::Tensor &positions_BQ, std::int64_t firstKey,
                           HeadRange heads) const
    {
        if (!changes().pattern)
            return weights_BHQK;
        return changes().pattern({std::move(weights_BHQK), positions_BQ, firstKey, heads});
    }
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

    Heads asCached(Heads heads) const
    {
        if (changes().keyCodec)
            heads.key_BGKC = changes().keyCodec(heads.key_BGKC);
        heads.value_BGKC = cachedValue(heads.value_BGKC);
        return heads;
    }

    at::Tensor split(const at::Tensor &joined_BTx, std::int64_t heads) const
    {
        return joined_BTx.unflatten(2, {heads, m_width}).transpose(1, 2);
    }

    static at::Tensor rowsOf(const at::Tensor &table_TR, const at::Tensor &rows_BQ)
    {
        return table_TR.index_select(0, rows_BQ.flatten())
            .view({rows_BQ.size(0), 1, rows_BQ.size(1), table_TR.size(1)});
    }

    /// Tables are made once and kept up to the longest context seen.
    kernels::RotaryTable rotary(std::int64_t firstPosition, std::int64_t tokens) const
    {
        const std::int64_t end = firstPosition + tokens;
        if (!m_rotary.cos_TR.defined() || m_rotary.cos_TR.size(0) < end) {
            const at::Tensor positions = at::arange(0, end, options().dtype(at::kLong));
            m_rotary = changes().rotaryTable ? changes().rotaryTable(positions, m_rotatedWidth, m_ropeBase, options())
                                             : kernels::rotaryTable(positions, m_rotatedWidth, m_ropeBase, options());
        }
        return {m_rotary.cos_TR.narrow(0, firstPosition, tokens), m_rotary.sin_TR.narrow(0, firstPosition, tokens)};
    }

    /// The mask [T, T] of a whole sequence, kept for the length seen last.
    const at::Tensor &wholeMask(std::int64_t tokens) const
    {
        if (!m_mask.defined() || m_mask.size(0) != tokens) {
            const at::Tensor positions = at::arange(0, tokens, options().dtype(at::kLong));
            m_mask = kernels::visibilityMask(positions, 0, tokens, m_window, options());
        }
        return m_mask;
    }

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
        const Heads heads = rows_Q.defined() ? m_design.projectRows(normed_PD.unsqueeze(0), rows_1Q, m_position)
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
        const Heads heads = m_design.project(normed_PD.unsqueeze(0), m_position);
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

at::Tensor SoftmaxAttention::forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const
{
    if (queries_BQ.defined()) {
        const Heads heads = projectRows(normed_BTD, queries_BQ, 0);
        const at::Tensor mask =
            kernels::visibilityMask(queries_BQ, 0, normed_BTD.size(1), m_window, options()).unsqueeze(1);
        const at::Tensor weights = usedWeights(
            kernels::attentionWeights(heads.query_BHQC, heads.key_BGKC, mask, m_isSquared), queries_BQ, 0, allHeads());
        return output(kernels::mixValues(weights, heads.value_BGKC), queries_BQ);
    }
    const Heads heads = project(normed_BTD, 0);
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

} // namespace

std::unique_ptr<AttentionDesign> makeSoftmaxAttention(const RunConfig &config, const SublayerInfo &sublayer,
                                                      std::int64_t)
{
    return std::make_unique<SoftmaxAttention>(config, sublayer);
}

} // namespace lookback::model
