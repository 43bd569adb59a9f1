// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include "core/kernels/fused/kda_stream_torch.h"
#include "core/kernels/kda_scan_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/kda_layer_torch.h"
#include "core/model/variant_definition.h"

namespace lookback::model {

namespace {

using kernels::fused::kKdaTaps;
constexpr double kNormEps = 1e-6;
constexpr std::int64_t kDecayRank = 16;
constexpr double kStrongestLogDecay = kernels::fused::kKdaStrongestLogDecay;

/// softplus^-1(dt), dt log-uniform in [1e-3, 1e-1].
double initialDecayBias(Philox &generator, std::int64_t)
{
    const double logLow = std::log(1e-3);
    const double dt = std::exp(logLow + generator.uniform() * (std::log(1e-1) - logLow));
    return dt + std::log(-std::expm1(-dt));
}

} // namespace

KdaLayer::KdaLayer(const RunConfig &config)
    : m_modelWidth(config.d_model), m_heads(config.query_heads), m_width(config.headWidth())
{
}

std::vector<ParameterInfo> KdaLayer::parameters() const
{
    const std::int64_t inner = m_heads * m_width;
    return {{"Wq.weight", {inner, m_modelWidth}},
            {"Wk.weight", {inner, m_modelWidth}},
            {"Wv.weight", {inner, m_modelWidth}},
            {"conv.weight", {3 * inner, 1, kKdaTaps}},
            {"Wf1.weight", {kDecayRank, m_modelWidth}},
            {"Wf2.weight", {inner, kDecayRank}},
            {"Wbeta.weight", {m_heads, m_modelWidth}},
            {"Wg.weight", {inner, m_modelWidth}},
            {"Wo.weight", {m_modelWidth, inner}},
            {"rms_w", {m_width}, initialOne},
            {"A", {m_heads}, initialZero},
            {"b_alpha", {inner}, initialDecayBias}};
}

void KdaLayer::bind(const std::vector<at::Tensor> &tensors)
{
    m_query = tensors.at(0);
    m_key = tensors.at(1);
    m_value = tensors.at(2);
    m_convolution = tensors.at(3);
    m_decayDown = tensors.at(4);
    m_decayUp = tensors.at(5);
    m_beta = tensors.at(6);
    m_gate = tensors.at(7);
    m_output = tensors.at(8);
    m_normGain = tensors.at(9);
    m_decayScale = tensors.at(10);
    m_decayBias = tensors.at(11);
}

at::Tensor KdaLayer::convolutionInput(const at::Tensor &normed_BTD) const
{
    return at::linear(normed_BTD, at::cat({m_query, m_key, m_value}));
}

KdaInputs KdaLayer::scanInputs(const at::Tensor &normed_BTD, const at::Tensor &padded_BXE) const
{
    const std::int64_t tokens = normed_BTD.size(1);
    const auto split = [&](const at::Tensor &joined_BTE) {
        return joined_BTE.unflatten(2, {m_heads, m_width}).transpose(1, 2);
    };
    const at::Tensor taps_4E = m_convolution.squeeze(1).t().contiguous();
    at::Tensor mixed_BTE = padded_BXE.narrow(1, 0, tokens) * taps_4E.select(0, 0);
    for (std::int64_t tap = 1; tap < kKdaTaps; ++tap)
        mixed_BTE = mixed_BTE.addcmul(padded_BXE.narrow(1, tap, tokens), taps_4E.select(0, tap));
    mixed_BTE = at::silu(mixed_BTE);

    const std::int64_t inner = m_heads * m_width;
    const auto unit = [](const at::Tensor &x_BHTC) {
        return x_BHTC / x_BHTC.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
    };
    KdaInputs inputs;
    inputs.query_BHTC = unit(split(mixed_BTE.narrow(2, 0, inner)));
    inputs.key_BHTC = unit(split(mixed_BTE.narrow(2, inner, inner)));
    inputs.value_BHTC = split(mixed_BTE.narrow(2, 2 * inner, inner));
    const at::Tensor decayLogits_BTE = at::linear(at::linear(normed_BTD, m_decayDown), m_decayUp) + m_decayBias;
    inputs.logDecay_BHTC =
        at::sigmoid(split(decayLogits_BTE) * m_decayScale.exp().view({m_heads, 1, 1})) * kStrongestLogDecay;
    inputs.beta_BHT = at::sigmoid(at::linear(normed_BTD, m_beta)).transpose(1, 2);
    return inputs;
}

at::Tensor KdaLayer::output(const at::Tensor &scanned_BHTC, const at::Tensor &normed_BTD,
                            const at::Tensor &positions_BT) const
{
    const at::Tensor heads_BTHC = at::rms_norm(scanned_BHTC.transpose(1, 2), {m_width}, m_normGain, kNormEps);
    at::Tensor joined_BTE = heads_BTHC.flatten(2) * at::sigmoid(at::linear(normed_BTD, m_gate));
    if (changes().headOutput || changes().headGain_H.defined()) {
        at::Tensor gated_BTHC = joined_BTE.unflatten(2, {m_heads, m_width});
        if (changes().headOutput)
            gated_BTHC = changes().headOutput(gated_BTHC, positions_BT);
        if (changes().headGain_H.defined())
            gated_BTHC = gated_BTHC * changes().headGain_H.to(gated_BTHC.options()).unsqueeze(-1);
        joined_BTE = gated_BTHC.flatten(2);
    }
    return at::linear(joined_BTE, m_output);
}

at::Tensor KdaLayer::usedMatrix(at::Tensor matrix_BHTK, const at::Tensor &positions_BT, HeadRange heads) const
{
    return changes().pattern ? changes().pattern({std::move(matrix_BHTK), positions_BT, 0, heads}) : matrix_BHTK;
}

at::Tensor KdaLayer::positions(std::int64_t first, std::int64_t count) const
{
    return at::arange(first, first + count, m_query.options().requires_grad(false).dtype(at::kLong)).unsqueeze(0);
}

KdaInputs KdaLayer::scanInputsOfWhole(const at::Tensor &normed_BTD) const
{
    return scanInputs(normed_BTD, at::constant_pad_nd(convolutionInput(normed_BTD), {0, 0, kKdaTaps - 1, 0}));
}

at::Tensor KdaLayer::forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const
{
    const KdaInputs in = scanInputsOfWhole(normed_BTD);
    const std::int64_t tokens = normed_BTD.size(1);
    at::Tensor scanned_BHTC;
    if (hasPattern()) {
        const at::Tensor unit_BHTT =
            at::eye(tokens, in.value_BHTC.options()).expand({normed_BTD.size(0), m_heads, tokens, tokens});
        const at::Tensor matrix_BHTT =
            kernels::kdaScan(in.query_BHTC, in.key_BHTC, unit_BHTT, in.logDecay_BHTC, in.beta_BHT).output_BHTV;
        scanned_BHTC = at::matmul(usedMatrix(matrix_BHTT, positions(0, tokens), {0, m_heads}), in.value_BHTC);
    } else {
        scanned_BHTC =
            kernels::kdaScan(in.query_BHTC, in.key_BHTC, in.value_BHTC, in.logDecay_BHTC, in.beta_BHT).output_BHTV;
    }
    if (!queries_BQ.defined())
        return output(scanned_BHTC, normed_BTD, positions(0, tokens));
    const at::Tensor rows_BQ1 = queries_BQ.unsqueeze(2);
    return output(scanned_BHTC.gather(2, rows_BQ1.unsqueeze(1).expand({-1, m_heads, -1, m_width})),
                  normed_BTD.gather(1, rows_BQ1.expand({-1, -1, m_modelWidth})), queries_BQ);
}

kernels::fused::KdaWeights KdaLayer::fusedWeights() const
{
    return {m_query, m_key,  m_value,  m_convolution, m_decayDown,  m_decayUp,
            m_beta,  m_gate, m_output, m_normGain,    m_decayScale, m_decayBias};
}

at::Tensor KdaLayer::fusedSublayer(const at::Tensor &x_BTD, const at::Tensor &gain_D, const at::Tensor &queries_BQ,
                                   Precision precision) const
{
    return kernels::fused::kdaSublayer(x_BTD, gain_D, fusedWeights(), queries_BQ, precision);
}

namespace {

class FusedKdaStream final : public AttentionStream {
public:
    explicit FusedKdaStream(const kernels::fused::KdaWeights &weights) : m_attention(weights) { }

    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) override
    {
        return m_attention.feed(normed_PD, rows_Q);
    }

    std::int64_t pieceTokens(std::int64_t) const override { return 1024; }

private:
    kernels::fused::StreamedKda m_attention;
};

/// Outputs [P or Q, D] of a piece that begins at `first`, and moves `first` to its end.
at::Tensor outputOf(const KdaLayer &layer, const at::Tensor &scanned_BHPC, const at::Tensor &normed_1PD,
                    const at::Tensor &rows_Q, std::int64_t &first)
{
    const at::Tensor positions_1P = layer.positions(first, normed_1PD.size(1));
    first += normed_1PD.size(1);
    if (!rows_Q.defined())
        return layer.output(scanned_BHPC, normed_1PD, positions_1P).squeeze(0);
    return layer
        .output(scanned_BHPC.index_select(2, rows_Q), normed_1PD.index_select(1, rows_Q),
                positions_1P.index_select(1, rows_Q))
        .squeeze(0);
}

/// Carries the state and the convolution's last inputs.
class KdaStream final : public AttentionStream {
public:
    KdaStream(const KdaLayer &layer, const at::TensorOptions &options)
        : m_layer(layer), m_recent(at::zeros({1, kKdaTaps - 1, 3 * layer.innerWidth()}, options))
    {
    }

    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) override
    {
        const at::Tensor normed_1PD = normed_PD.unsqueeze(0);
        const at::Tensor padded = at::cat({m_recent, m_layer.convolutionInput(normed_1PD)}, 1);
        m_recent = padded.narrow(1, padded.size(1) - (kKdaTaps - 1), kKdaTaps - 1).clone();
        const KdaInputs in = m_layer.scanInputs(normed_1PD, padded);
        kernels::KdaScanResult result =
            kernels::kdaScan(in.query_BHTC, in.key_BHTC, in.value_BHTC, in.logDecay_BHTC, in.beta_BHT, m_state);
        m_state = result.state_BHKV;
        return outputOf(m_layer, result.output_BHTV, normed_1PD, rows_Q, m_position);
    }

    std::int64_t pieceTokens(std::int64_t) const override { return 512; }

private:
    const KdaLayer &m_layer;
    at::Tensor m_recent;
    at::Tensor m_state;
    std::int64_t m_position = 0;
};

} // namespace

std::unique_ptr<AttentionStream> KdaLayer::fusedStream(std::int64_t) const
{
    return std::make_unique<FusedKdaStream>(fusedWeights());
}

namespace {

/// With a changed pattern the state of the recurrence says nothing about the output: remembers the values and the state
/// of the matrix instead.
class KdaPatternStream final : public AttentionStream {
public:
    KdaPatternStream(const KdaLayer &layer, const at::TensorOptions &options, std::int64_t heads)
        : m_layer(layer), m_heads(heads), m_recent(at::zeros({1, kKdaTaps - 1, 3 * layer.innerWidth()}, options))
    {
    }

    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) override
    {
        const at::Tensor normed_1PD = normed_PD.unsqueeze(0);
        const std::int64_t piece = normed_PD.size(0);
        const at::Tensor padded = at::cat({m_recent, m_layer.convolutionInput(normed_1PD)}, 1);
        m_recent = padded.narrow(1, padded.size(1) - (kKdaTaps - 1), kKdaTaps - 1).clone();
        const KdaInputs in = m_layer.scanInputs(normed_1PD, padded);
        m_value_BHXC = m_value_BHXC.defined() ? at::cat({m_value_BHXC, in.value_BHTC}, 2) : in.value_BHTC;
        const at::Tensor unit_PX = at::zeros({piece, m_position + piece}, m_recent.options());
        unit_PX.narrow(1, m_position, piece).fill_diagonal_(1.0);
        const at::Tensor state_BHKX =
            m_state_BHKX.defined() ? at::constant_pad_nd(m_state_BHKX, {0, piece}) : m_state_BHKX;
        const kernels::KdaScanResult result =
            kernels::kdaScan(in.query_BHTC, in.key_BHTC, unit_PX.expand({1, m_heads, piece, m_position + piece}),
                             in.logDecay_BHTC, in.beta_BHT, state_BHKX);
        m_state_BHKX = result.state_BHKV;
        const at::Tensor used_BHPX =
            m_layer.usedMatrix(result.output_BHTV, m_layer.positions(m_position, piece), {0, m_heads});
        return outputOf(m_layer, at::matmul(used_BHPX, m_value_BHXC), normed_1PD, rows_Q, m_position);
    }

    std::int64_t pieceTokens(std::int64_t) const override { return 256; }

private:
    const KdaLayer &m_layer;
    std::int64_t m_heads;
    at::Tensor m_recent;
    at::Tensor m_value_BHXC;
    at::Tensor m_state_BHKX;
    std::int64_t m_position = 0;
};

} // namespace

std::unique_ptr<AttentionStream> KdaLayer::stream(std::int64_t) const
{
    const at::TensorOptions options = m_query.options().requires_grad(false);
    if (hasPattern())
        return std::make_unique<KdaPatternStream>(*this, options, m_heads);
    return std::make_unique<KdaStream>(*this, options);
}

at::Tensor KdaLayer::values(const at::Tensor &normed_TD) const
{
    return scanInputsOfWhole(normed_TD.unsqueeze(0)).value_BHTC.squeeze(0);
}

at::Tensor KdaLayer::outputFromMixed(const at::Tensor &mixed_HTC, const at::Tensor &normed_TD) const
{
    return output(mixed_HTC.unsqueeze(0), normed_TD.unsqueeze(0), positions(0, normed_TD.size(0))).squeeze(0);
}

double KdaLayer::forwardFlop(std::int64_t tokens) const
{
    const double inner = static_cast<double>(innerWidth());
    const double model = static_cast<double>(m_modelWidth);
    const double width = static_cast<double>(m_width);
    const double chunk = static_cast<double>(kernels::kKdaChunk);
    const double rank = static_cast<double>(kDecayRank);
    const double projections = 2.0
        * (5.0 * model * inner + rank * (model + inner) + model * static_cast<double>(m_heads)
           + 3.0 * inner * static_cast<double>(kKdaTaps));
    const double scan = inner * (2.0 * 2.0 * chunk + 2.0 * chunk + 2.0 * chunk + 3.0 * 2.0 * width);
    return static_cast<double>(tokens) * (projections + scan);
}

std::unique_ptr<AttentionDesign> makeKdaHybrid(const RunConfig &config, const SublayerInfo &sublayer,
                                               std::int64_t layer)
{
    if (sublayer.design == "kda")
        return std::make_unique<KdaLayer>(config);
    return makeSoftmaxAttention(config, sublayer, layer);
}

} // namespace lookback::model
