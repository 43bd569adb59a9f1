// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/removal_torch.h"

#include <algorithm>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "core/circuit/sequence_torch.h"
#include "core/error.h"

namespace lookback::circuit {

namespace {

constexpr std::int64_t kReferenceKeys = 512;
constexpr std::int64_t kLeastReferences = 4;
/// Far from all sequences that are evaluated.
constexpr std::int64_t kFirstReference = 1'000'000'000;

/// [H] bool.
at::Tensor headMask(const std::vector<std::int64_t> &heads, std::int64_t count, at::Device device)
{
    at::Tensor mask = at::zeros({count}, at::kBool);
    for (const std::int64_t head : heads)
        mask[head] = true;
    return mask.to(device);
}

/// Adds up what heads give, by place of an entry.
struct PlaceSums {
    at::Tensor sums_PHC; ///< Float64.
    at::Tensor counts_P;

    void add(const at::Tensor &heads_BQHC, const at::Tensor &positions_BQ)
    {
        const at::Tensor place_N = positions_BQ.expand({heads_BQHC.size(0), -1}).flatten().remainder(places());
        sums_PHC.index_add_(0, place_N, heads_BQHC.flatten(0, 1).to(at::kDouble));
        counts_P.index_add_(0, place_N, at::ones(place_N.sizes(), counts_P.options()));
    }
    std::int64_t places() const { return sums_PHC.size(0); }
};

} // namespace

HeadMeans meanOutputs(model::Transformer &model, std::int64_t n_keys, std::stop_token stop)
{
    const at::NoGradGuard noGrad;
    const RunConfig &config = model.config();
    const at::Device device = deviceOf(model);
    const at::TensorOptions options = at::TensorOptions().dtype(at::kDouble).device(device);
    std::vector<PlaceSums> sums;
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
        sums.push_back({.sums_PHC = at::zeros({config.entryTokens(), config.query_heads, config.headWidth()}, options),
                        .counts_P = at::zeros({config.entryTokens()}, options)});
    }
    const auto setAll = [&](bool isCounting) {
        for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
            model::EvaluationChanges changes;
            if (isCounting)
                changes.headOutput = [&of = sums[static_cast<std::size_t>(layer)]](const at::Tensor &heads_BQHC,
                                                                                   const at::Tensor &positions_BQ) {
                    of.add(heads_BQHC, positions_BQ);
                    return heads_BQHC;
                };
            model.setChanges(layer, std::move(changes));
        }
    };
    setAll(true);
    const std::int64_t references = std::max(kLeastReferences, (kReferenceKeys + n_keys - 1) / n_keys);
    try {
        for (std::int64_t i = 0; i < references; ++i) {
            if (stop.stop_requested())
                throw Cancelled();
            const at::Tensor tokens = inputTokens(evaluationSequenceOf(config, n_keys, kFirstReference + i), device);
            model.evaluateAt(tokens, at::arange(tokens.size(0), tokens.options()), stop);
        }
    } catch (...) {
        setAll(false);
        throw;
    }
    setAll(false);
    HeadMeans means;
    const at::ScalarType type = model.parameters().front().second.scalar_type();
    for (const PlaceSums &of : sums)
        means.layers.push_back((of.sums_PHC / of.counts_P.view({-1, 1, 1})).to(type));
    return means;
}

HeadRemoval::HeadRemoval(model::Transformer &model, Removal removal, HeadMeans means)
    : m_model(model), m_removal(removal), m_means(std::move(means)),
      m_removed(static_cast<std::size_t>(model.attentionLayers()))
{
}

HeadRemoval::~HeadRemoval()
{
    clear();
}

void HeadRemoval::set(const std::vector<HeadId> &heads)
{
    requireHeads(heads, m_model.attentionLayers(), m_model.config().query_heads);
    std::vector<std::vector<std::int64_t>> byLayer(m_removed.size());
    for (const HeadId &id : heads)
        byLayer[static_cast<std::size_t>(id.layer)].push_back(id.head);
    for (std::size_t layer = 0; layer < byLayer.size(); ++layer)
        setLayer(static_cast<std::int64_t>(layer), byLayer[layer]);
}

void HeadRemoval::setLayer(std::int64_t layer, const std::vector<std::int64_t> &heads)
{
    std::vector<std::int64_t> &removed = m_removed.at(static_cast<std::size_t>(layer));
    std::vector<std::int64_t> wanted = heads;
    std::ranges::sort(wanted);
    if (wanted == removed)
        return;
    removed = std::move(wanted);
    m_model.setChanges(layer, removed.empty() ? model::EvaluationChanges() : changesFor(layer, removed));
}

model::EvaluationChanges HeadRemoval::changesFor(std::int64_t layer, const std::vector<std::int64_t> &heads) const
{
    const RunConfig &config = m_model.config();
    const at::Tensor isRemoved_H = headMask(heads, config.query_heads, deviceOf(m_model));
    model::EvaluationChanges changes;
    switch (m_removal) {
    case Removal::Zero:
        changes.headGain_H = isRemoved_H.logical_not().to(at::kFloat);
        break;
    case Removal::Mean:
        changes.headOutput = [isRemoved_H, mean_PHC = m_means.layers.at(static_cast<std::size_t>(layer))](
                                 const at::Tensor &heads_BQHC, const at::Tensor &positions_BQ) {
            const at::Tensor place_BQ = positions_BQ.remainder(mean_PHC.size(0));
            const at::Tensor mean_BQHC = mean_PHC.index_select(0, place_BQ.flatten()).unflatten(0, place_BQ.sizes());
            return at::where(isRemoved_H.unsqueeze(-1), mean_BQHC, heads_BQHC);
        };
        break;
    case Removal::Uniform:
        changes.pattern = [isRemoved_H, window = m_model.sublayer(layer).isWindowed ? config.window : std::int64_t{0}](
                              const model::PatternRows &rows) {
            const at::Tensor key_K =
                at::arange(rows.firstKey, rows.firstKey + rows.weights_BHQK.size(3), rows.positions_BQ.options());
            const at::Tensor distance_BQK = rows.positions_BQ.unsqueeze(-1) - key_K;
            at::Tensor isVisible_BQK = distance_BQK.ge(0);
            if (window > 0)
                isVisible_BQK = isVisible_BQK.logical_and(distance_BQK.lt(window));
            const at::Tensor visible_BQK = isVisible_BQK.to(rows.weights_BHQK.scalar_type());
            const at::Tensor uniform_BHQK = (visible_BQK / visible_BQK.sum(-1, true)).unsqueeze(1);
            const at::Tensor isRemoved_h11 =
                isRemoved_H.narrow(0, rows.heads.begin, rows.heads.count()).view({-1, 1, 1});
            return at::where(isRemoved_h11, uniform_BHQK, rows.weights_BHQK);
        };
        break;
    }
    return changes;
}

std::int64_t firstLayer(const std::vector<HeadId> &heads, std::int64_t none)
{
    std::int64_t first = none;
    for (const HeadId &id : heads)
        first = std::min(first, id.layer);
    return first;
}

} // namespace lookback::circuit
