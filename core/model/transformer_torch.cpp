// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/transformer_torch.h"

#include <algorithm>
#include <map>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include "core/error.h"
#include "core/kernels/fused/feed_forward_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/model_parameters.h"
#include "core/model/variant_definition.h"
#include "core/model/variant_registry.h"

namespace lookback::model {

namespace {

constexpr double kLayerNormEps = 1e-5;

/// FNV-1a, 64 bits: the Philox stream of a parameter.
std::uint64_t hashOf(const std::string &name)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char character : name) {
        hash ^= static_cast<unsigned char>(character);
        hash *= 0x100000001b3U;
    }
    return hash;
}

std::string shapeText(at::IntArrayRef shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

void throwIfStopped(const std::stop_token &stop)
{
    if (stop.stop_requested())
        throw Cancelled();
}

/// One attention and one feed-forward sublayer.
struct Pair {
    SublayerInfo info;
    std::unique_ptr<AttentionDesign> attention;
    at::Tensor attentionGain;
    at::Tensor feedForwardGain;
    at::Tensor gate;
    at::Tensor up;
    at::Tensor down;
};

at::Tensor norm(const at::Tensor &x, const at::Tensor &gain)
{
    return at::layer_norm(x, gain.sizes(), gain, {}, kLayerNormEps);
}

/// x + SwiGLU(norm(x)).
at::Tensor withFeedForward(const at::Tensor &x, const Pair &pair, bool isFused,
                           Precision precision = Precision::Float32)
{
    if (isFused)
        return kernels::fused::feedForward(x, pair.feedForwardGain, pair.gate, pair.up, pair.down, precision);
    const at::Tensor normed = norm(x, pair.feedForwardGain);
    const at::Tensor hidden = at::silu(at::linear(normed, pair.gate)) * at::linear(normed, pair.up);
    return x + at::linear(hidden, pair.down);
}

/// Those of the queries; all if they are undefined.
at::Tensor rowsOf(const at::Tensor &x_BTD, const at::Tensor &queries_BQ)
{
    return queries_BQ.defined() ? x_BTD.gather(1, queries_BQ.unsqueeze(2).expand({-1, -1, x_BTD.size(2)})) : x_BTD;
}

/// x + attention(norm(x)) of all tokens, or of the queries.
at::Tensor withAttention(const at::Tensor &x_BTD, const Pair &pair, const at::Tensor &queries_BQ, bool isFused,
                         Precision precision)
{
    if (isFused && pair.attention->hasFusedKernels())
        return pair.attention->fusedSublayer(x_BTD, pair.attentionGain, queries_BQ, precision);
    const at::Tensor attended = pair.attention->forward(norm(x_BTD, pair.attentionGain), queries_BQ);
    return rowsOf(x_BTD, queries_BQ) + attended;
}

std::unique_ptr<AttentionStream> streamOf(const Pair &pair, std::int64_t capacityTokens, bool isFused)
{
    return isFused && pair.attention->hasFusedKernels() ? pair.attention->fusedStream(capacityTokens)
                                                        : pair.attention->stream(capacityTokens);
}

} // namespace

struct Transformer::Private {
    RunConfig config;
    bool isFused = false; ///< Only if it means something.
    Precision precision = Precision::Float32; ///< Of training.
    Dropout dropout;
    std::vector<ParameterInfo> infos;
    std::vector<NamedTensor> parameters;
    std::vector<Pair> pairs;
    at::Tensor embedding;
    at::Tensor finalGain;
    at::Tensor output;

    at::Tensor logits(const at::Tensor &x) const { return at::linear(norm(x, finalGain), output); }

    /// The sublayers of pair `i` in training: `queries_BQ` as in withAttention.
    at::Tensor trainedAttention(const at::Tensor &x_BTD, std::size_t i, const at::Tensor &queries_BQ) const
    {
        const at::Tensor y = withAttention(x_BTD, pairs[i], queries_BQ, isFused, precision);
        if (dropout.share <= 0.0)
            return y;
        return withDropout(rowsOf(x_BTD, queries_BQ), y, dropout, static_cast<std::int64_t>(2 * i));
    }
    at::Tensor trainedFeedForward(const at::Tensor &x, std::size_t i) const
    {
        return withDropout(x, withFeedForward(x, pairs[i], isFused, precision), dropout,
                           static_cast<std::int64_t>(2 * i + 1));
    }

    at::Tensor hiddenOfLastPair(const at::Tensor &tokens_BT) const
    {
        at::Tensor x = at::embedding(embedding, tokens_BT);
        for (std::size_t i = 0; i + 1 < pairs.size(); ++i)
            x = trainedFeedForward(trainedAttention(x, i, {}), i);
        return x;
    }

    /// Runs the sublayers of `pair` over a whole sequence in place, piece by piece.
    void passPair(const Pair &pair, at::Tensor &x_TD, const std::stop_token &stop) const
    {
        const std::int64_t tokens = x_TD.size(0);
        const std::unique_ptr<AttentionStream> stream = streamOf(pair, tokens, isFused);
        for (std::int64_t begin = 0; begin < tokens;) {
            throwIfStopped(stop);
            const std::int64_t piece = std::min(stream->pieceTokens(begin), tokens - begin);
            at::Tensor x_PD = x_TD.narrow(0, begin, piece);
            x_PD.add_(stream->feed(norm(x_PD, pair.attentionGain), {}));
            x_PD.copy_(withFeedForward(x_PD, pair, isFused));
            begin += piece;
        }
    }

    /// As passPair, but returns the rows `positions_S` (ascending) only.
    at::Tensor passPairAt(const Pair &pair, const at::Tensor &x_TD, const at::Tensor &positions_S,
                          const std::stop_token &stop) const
    {
        const std::int64_t tokens = x_TD.size(0);
        const std::unique_ptr<AttentionStream> stream = streamOf(pair, tokens, isFused);
        std::vector<at::Tensor> chosen;
        for (std::int64_t begin = 0; begin < tokens;) {
            throwIfStopped(stop);
            const std::int64_t piece = std::min(stream->pieceTokens(begin), tokens - begin);
            const at::Tensor x_PD = x_TD.narrow(0, begin, piece);
            const at::Tensor isHere = positions_S.ge(begin).logical_and(positions_S.lt(begin + piece));
            const at::Tensor rows = positions_S.masked_select(isHere) - begin;
            const at::Tensor x_SD = x_PD.index_select(0, rows) + stream->feed(norm(x_PD, pair.attentionGain), rows);
            chosen.push_back(withFeedForward(x_SD, pair, isFused));
            begin += piece;
        }
        return at::cat(chosen);
    }
};

namespace {

class PairStreams final : public TransformerStream {
public:
    PairStreams(const std::vector<Pair> &pairs, std::int64_t capacityTokens, at::Tensor embedding, at::Tensor finalGain,
                at::Tensor output, bool isFused)
        : m_pairs(pairs), m_isFused(isFused), m_embedding(std::move(embedding)), m_finalGain(std::move(finalGain)),
          m_output(std::move(output))
    {
        for (const Pair &pair : m_pairs)
            m_streams.push_back(streamOf(pair, capacityTokens, isFused));
    }

    at::Tensor feed(const at::Tensor &tokens_P) override
    {
        const at::NoGradGuard noGrad;
        at::Tensor x_PD = at::embedding(m_embedding, tokens_P);
        for (std::size_t i = 0; i < m_pairs.size(); ++i) {
            x_PD = x_PD + m_streams[i]->feed(norm(x_PD, m_pairs[i].attentionGain), {});
            x_PD = withFeedForward(x_PD, m_pairs[i], m_isFused);
        }
        return at::linear(norm(x_PD, m_finalGain), m_output);
    }

private:
    const std::vector<Pair> &m_pairs;
    bool m_isFused;
    at::Tensor m_embedding;
    at::Tensor m_finalGain;
    at::Tensor m_output;
    std::vector<std::unique_ptr<AttentionStream>> m_streams;
};

} // namespace

Transformer::Transformer(const RunConfig &config, at::ScalarType dtype, at::Device device)
    : d(std::make_unique<Private>())
{
    requireRunnable(config);
    d->config = config;
    d->infos = modelParameters(config);
    const at::TensorOptions options = at::TensorOptions().dtype(dtype).device(device);
    std::map<std::string, at::Tensor> byName;
    for (const ParameterInfo &info : d->infos) {
        at::Tensor tensor = at::zeros(info.shape, options).set_requires_grad(true);
        byName.emplace(info.name, tensor);
        d->parameters.emplace_back(info.name, std::move(tensor));
    }
    d->embedding = byName.at("E.weight");
    d->finalGain = byName.at("norm_f.weight");
    d->output = byName.at("W_out.weight");
    const VariantDefinition &definition = variantDefinition(config.variant);
    for (std::int64_t i = 0; i < config.pairs; ++i) {
        Pair pair;
        pair.info = definition.info.sublayer(i);
        const std::string attention = layerPrefix(2 * i);
        const std::string feedForward = layerPrefix(2 * i + 1);
        pair.attention = definition.makeDesign(config, pair.info, i);
        std::vector<at::Tensor> tensors;
        for (const ParameterInfo &info : pair.attention->parameters())
            tensors.push_back(byName.at(attention + info.name));
        pair.attention->bind(tensors);
        pair.attentionGain = byName.at(attention + "norm.weight");
        pair.feedForwardGain = byName.at(feedForward + "norm.weight");
        pair.gate = byName.at(feedForward + "Wg.weight");
        pair.up = byName.at(feedForward + "Wu.weight");
        pair.down = byName.at(feedForward + "Wd.weight");
        d->pairs.push_back(std::move(pair));
    }
    setKernels(Kernels::Fused);
}

Transformer::~Transformer() = default;
Transformer::Transformer(Transformer &&) noexcept = default;
Transformer &Transformer::operator=(Transformer &&) noexcept = default;

void Transformer::setKernels(Kernels kernels, Precision precision)
{
    d->isFused =
        kernels == Kernels::Fused && d->embedding.is_cpu() && d->embedding.scalar_type() == at::ScalarType::Float;
    d->precision = precision;
}

void Transformer::setDropout(const Dropout &dropout)
{
    d->dropout = dropout;
}

bool Transformer::isWhollyFused() const
{
    return d->isFused
        && std::ranges::all_of(d->pairs, [](const Pair &pair) { return pair.attention->hasFusedKernels(); });
}

void Transformer::initialise(std::uint64_t seed)
{
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < d->infos.size(); ++i) {
        const ParameterInfo &info = d->infos[i];
        Philox generator = generatorFor(RandomPurpose::InitialWeights, seed, hashOf(info.name));
        at::Tensor drawn = at::empty({info.count()}, at::kDouble);
        double *values = drawn.mutable_data_ptr<double>();
        for (std::int64_t j = 0; j < info.count(); ++j)
            values[j] = info.initial(generator, info.fanIn());
        d->parameters[i].second.copy_(drawn.view(info.shape));
    }
}

std::vector<NamedTensor> Transformer::parameters() const
{
    return d->parameters;
}

void Transformer::load(const std::vector<NamedTensor> &values)
{
    std::map<std::string, at::Tensor> given;
    std::string faults;
    const auto fault = [&](const std::string &text) { faults += (faults.empty() ? "" : "; ") + text; };
    for (const NamedTensor &value : values) {
        if (!given.emplace(value).second)
            fault("\"" + value.first + "\" is there twice");
    }
    for (const NamedTensor &parameter : d->parameters) {
        const auto found = given.find(parameter.first);
        if (found == given.end()) {
            fault("\"" + parameter.first + "\" is missing");
            continue;
        }
        if (found->second.sizes() != parameter.second.sizes())
            fault("\"" + parameter.first + "\" has shape " + shapeText(found->second.sizes()) + ", the model expects "
                  + shapeText(parameter.second.sizes()));
        else if (found->second.scalar_type() != at::kFloat && found->second.scalar_type() != at::kDouble)
            fault("\"" + parameter.first + "\" is " + c10::toString(found->second.scalar_type())
                  + ", the model expects floating-point numbers");
        given.erase(found);
    }
    for (const auto &[name, tensor] : given)
        fault("\"" + name + "\" is not part of the model");
    if (!faults.empty())
        throw Error("weights",
                    "These weights do not fit variant " + d->config.variant + " with width "
                        + std::to_string(d->config.d_model) + " and " + std::to_string(d->config.pairs) + " pairs.",
                    "Open them with the configuration they were trained with.", faults);
    const at::NoGradGuard noGrad;
    std::map<std::string, at::Tensor> all(values.begin(), values.end());
    for (NamedTensor &parameter : d->parameters)
        parameter.second.copy_(all.at(parameter.first));
}

at::Tensor Transformer::forward(const at::Tensor &tokens_BT) const
{
    const std::size_t last = d->pairs.size() - 1;
    return d->logits(d->trainedFeedForward(d->trainedAttention(d->hiddenOfLastPair(tokens_BT), last, {}), last));
}

at::Tensor Transformer::forwardAt(const at::Tensor &tokens_BT, const at::Tensor &positions_S) const
{
    const std::int64_t sequences = tokens_BT.size(0);
    const std::int64_t tokens = tokens_BT.size(1);
    const at::Tensor x_BTD = d->hiddenOfLastPair(tokens_BT);
    const std::size_t last = d->pairs.size() - 1;
    // The usual case: every sequence is asked at as many positions, sequence by sequence.
    at::Tensor queries_BQ;
    if (positions_S.size(0) % sequences == 0 && positions_S.size(0) > 0) {
        const at::Tensor first_B1 = at::arange(0, sequences * tokens, tokens, positions_S.options()).unsqueeze(1);
        const at::Tensor offsets_BQ = positions_S.view({sequences, -1}) - first_B1;
        if (offsets_BQ.ge(0).logical_and(offsets_BQ.lt(tokens)).all().item<bool>())
            queries_BQ = offsets_BQ;
    }
    const at::Tensor y_BQD = d->trainedAttention(x_BTD, last, queries_BQ);
    const at::Tensor y_SD =
        queries_BQ.defined() ? y_BQD.flatten(0, 1) : y_BQD.flatten(0, 1).index_select(0, positions_S);
    return d->logits(d->trainedFeedForward(y_SD, last));
}

at::Tensor Transformer::evaluateAt(const at::Tensor &tokens_T, const at::Tensor &positions_S,
                                   std::stop_token stop) const
{
    const at::NoGradGuard noGrad;
    at::Tensor x_TD = at::embedding(d->embedding, tokens_T);
    for (std::size_t i = 0; i + 1 < d->pairs.size(); ++i)
        d->passPair(d->pairs[i], x_TD, stop);
    return evaluateFromLastInput(x_TD, positions_S, std::move(stop));
}

at::Tensor Transformer::evaluateFromLastInput(const at::Tensor &input_TD, const at::Tensor &positions_S,
                                              std::stop_token stop) const
{
    const at::NoGradGuard noGrad;
    const auto [sorted_S, order_S] = positions_S.sort();
    const at::Tensor logits_SV = d->logits(d->passPairAt(d->pairs.back(), input_TD, sorted_S, stop));
    return at::empty_like(logits_SV).index_copy_(0, order_S, logits_SV);
}

at::Tensor Transformer::evaluateFromInput(std::int64_t layer, const at::Tensor &input_TD, const at::Tensor &positions_S,
                                          std::stop_token stop) const
{
    const at::NoGradGuard noGrad;
    const auto last = static_cast<std::int64_t>(d->pairs.size()) - 1;
    if (layer == last)
        return evaluateFromLastInput(input_TD, positions_S, std::move(stop));
    at::Tensor x_TD = input_TD.clone();
    for (std::int64_t i = layer; i < last; ++i)
        d->passPair(d->pairs.at(static_cast<std::size_t>(i)), x_TD, stop);
    return evaluateFromLastInput(x_TD, positions_S, std::move(stop));
}

std::unique_ptr<TransformerStream> Transformer::stream(std::int64_t capacityTokens) const
{
    return std::make_unique<PairStreams>(d->pairs, capacityTokens, d->embedding, d->finalGain, d->output, d->isFused);
}

std::int64_t Transformer::attentionLayers() const
{
    return d->config.pairs;
}

const SublayerInfo &Transformer::sublayer(std::int64_t attentionLayer) const
{
    return d->pairs.at(static_cast<std::size_t>(attentionLayer)).info;
}

const RunConfig &Transformer::config() const
{
    return d->config;
}

std::vector<at::Tensor> Transformer::attentionInputs(const at::Tensor &tokens_T, std::stop_token stop,
                                                     const ProgressFunction &progress) const
{
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> inputs;
    at::Tensor x_TD = at::embedding(d->embedding, tokens_T);
    for (const Pair &pair : d->pairs) {
        inputs.push_back(x_TD.clone());
        if (inputs.size() < d->pairs.size())
            d->passPair(pair, x_TD, stop);
        if (progress)
            progress({.what = "reading the sequence",
                      .done = std::ssize(inputs),
                      .total = std::ssize(d->pairs),
                      .remainingSeconds = {}});
    }
    return inputs;
}

at::Tensor Transformer::attentionMap(std::int64_t layer, const at::Tensor &input_TD, std::int64_t queryBegin,
                                     std::int64_t queryEnd) const
{
    const at::NoGradGuard noGrad;
    return mapReader(layer, input_TD, queryBegin, {0, d->config.query_heads})->next(queryEnd - queryBegin);
}

std::unique_ptr<MapReader> Transformer::mapReader(std::int64_t layer, const at::Tensor &input_TD,
                                                  std::int64_t firstQuery, HeadRange heads) const
{
    const at::NoGradGuard noGrad;
    return attention(layer).mapReader(normedInput(layer, input_TD), firstQuery, heads);
}

MapRows Transformer::mapRows(std::int64_t layer, const at::Tensor &input_TD, const at::Tensor &queries_Q,
                             HeadRange heads) const
{
    const at::NoGradGuard noGrad;
    return attention(layer).mapRows(normedInput(layer, input_TD), queries_Q, heads);
}

void Transformer::setChanges(std::int64_t layer, EvaluationChanges changes)
{
    d->pairs.at(static_cast<std::size_t>(layer)).attention->setChanges(std::move(changes));
}

const AttentionDesign &Transformer::attention(std::int64_t layer) const
{
    return *d->pairs.at(static_cast<std::size_t>(layer)).attention;
}

at::Tensor Transformer::normedInput(std::int64_t layer, const at::Tensor &input) const
{
    return norm(input, d->pairs.at(static_cast<std::size_t>(layer)).attentionGain);
}

} // namespace lookback::model
