// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/knockout_torch.h"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>

#include "core/circuit/answer_score_torch.h"
#include "core/circuit/removal_torch.h"
#include "core/circuit/sequence_torch.h"
#include "core/circuit/work_meter.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"

namespace lookback::circuit {

namespace {

std::string sequencesText(std::int64_t n, std::int64_t done, std::int64_t total)
{
    return "n = " + std::to_string(n) + ": " + std::to_string(done) + " of " + std::to_string(total) + " sequences";
}

HeadMeans meansFor(model::Transformer &model, Removal removal, std::int64_t n, const std::stop_token &stop)
{
    return removal == Removal::Mean ? meanOutputs(model, n, stop) : HeadMeans();
}

std::vector<HeadId> allHeads(const model::Transformer &model)
{
    std::vector<HeadId> ids;
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
        for (std::int64_t head = 0; head < model.config().query_heads; ++head)
            ids.push_back({layer, head});
    }
    return ids;
}

/// Heads of that layer.
std::vector<std::int64_t> ofLayer(const std::vector<HeadId> &ids, std::int64_t layer)
{
    std::vector<std::int64_t> heads;
    for (const HeadId &id : ids) {
        if (id.layer == layer)
            heads.push_back(id.head);
    }
    return heads;
}

/// The greedy searches share the sequences, the means and what is removed so far.
class Search {
public:
    Search(model::Transformer &model, const SearchRequest &request, const ProgressFunction &progress,
           const std::stop_token &stop)
        : m_model(model), m_request(request), m_progress(progress), m_stop(stop),
          m_removal(model, request.removal, meansFor(model, request.removal, request.n_keys, stop))
    {
    }

    /// With exactly these heads removed, one of `candidates` besides each time: what remains of exact match.
    std::vector<eval::AccuracyPoint> tryEach(const std::vector<HeadId> &removed, const std::vector<HeadId> &candidates,
                                             const std::string &what)
    {
        std::vector<AnswerScores> scores(std::max<std::size_t>(1, candidates.size()));
        for (std::int64_t index = 0; index < m_request.sequences; ++index) {
            m_removal.set(removed);
            const ReadSequence read(m_model, evaluationSequenceOf(m_model.config(), m_request.n_keys, index), m_stop);
            if (candidates.empty())
                scores.front().add(read.logitsFrom(m_model.attentionLayers() - 1, m_stop), read.sequence());
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                if (m_stop.stop_requested())
                    throw Cancelled();
                const HeadId &candidate = candidates[i];
                const std::vector<std::int64_t> others = ofLayer(removed, candidate.layer);
                std::vector<std::int64_t> heads = others;
                heads.push_back(candidate.head);
                m_removal.setLayer(candidate.layer, heads);
                scores[i].add(read.logitsFrom(candidate.layer, m_stop), read.sequence());
                m_removal.setLayer(candidate.layer, others);
            }
            if (m_progress) // how many steps there will be nobody knows, so no remaining time
                m_progress({.what = what, .done = index + 1, .total = m_request.sequences});
        }
        std::vector<eval::AccuracyPoint> points;
        for (const AnswerScores &score : scores)
            points.push_back(score.point(m_model.config(), m_request.n_keys));
        return points;
    }

    eval::AccuracyPoint intact() { return tryEach({}, {}, "the intact model").front(); }

private:
    model::Transformer &m_model;
    const SearchRequest &m_request;
    const ProgressFunction &m_progress;
    const std::stop_token &m_stop;
    HeadRemoval m_removal;
};

/// Of points with the same sequences: the one with least exact match, of these the one with the largest loss.
bool isWorse(const eval::AccuracyPoint &a, const eval::AccuracyPoint &b)
{
    return a.exact != b.exact ? a.exact < b.exact : a.meanLoss > b.meanLoss;
}

} // namespace

Knockout knockOut(model::Transformer &model, std::int64_t step, const KnockoutRequest &request,
                  const ProgressFunction &progress, const std::function<void(const Knockout &)> &onPoint,
                  std::stop_token stop)
{
    const RunConfig &config = model.config();
    eval::requireEvaluable(config, request.n_keys, request.sequences);
    const Intervention &intervention = request.intervention;
    requireHeads(intervention.heads, model.attentionLayers(), config.query_heads);
    const at::NoGradGuard noGrad;
    Knockout result{.variant = config.variant,
                    .step = step,
                    .evaluationSeed = config.evaluation_seed,
                    .intervention = intervention};
    std::vector<std::int64_t> lengths = request.n_keys;
    std::ranges::sort(lengths);
    lengths.erase(std::ranges::unique(lengths).begin(), lengths.end());
    std::int64_t total = 0;
    for (const std::int64_t n : lengths)
        total += n * request.sequences;
    const WorkMeter meter(total, progress);
    const std::int64_t first = firstLayer(intervention.heads, model.attentionLayers() - 1);
    std::int64_t done = 0;
    for (const std::int64_t n : lengths) {
        HeadRemoval removal(model, intervention.removal, meansFor(model, intervention.removal, n, stop));
        AnswerScores before;
        AnswerScores after;
        for (std::int64_t index = 0; index < request.sequences; ++index) {
            if (stop.stop_requested())
                throw Cancelled();
            removal.clear();
            const ReadSequence read(model, evaluationSequenceOf(config, n, index), stop);
            before.add(read.logitsFrom(model.attentionLayers() - 1, stop), read.sequence());
            removal.set(intervention.heads);
            after.add(read.logitsFrom(first, stop), read.sequence());
            done += n;
            meter.report(done, sequencesText(n, index + 1, request.sequences));
        }
        result.points.push_back(pointOf(config, n, before, after));
        if (onPoint)
            onPoint(result);
    }
    return result;
}

KnockoutGrid knockOutEach(model::Transformer &model, std::int64_t step, const GridRequest &request,
                          const ProgressFunction &progress, std::stop_token stop)
{
    const RunConfig &config = model.config();
    eval::requireEvaluable(config, {request.n_keys}, request.sequences);
    const at::NoGradGuard noGrad;
    KnockoutGrid grid{
        .variant = config.variant, .step = step, .evaluationSeed = config.evaluation_seed, .request = request};
    const std::vector<HeadId> heads = allHeads(model);
    HeadRemoval removal(model, request.removal, meansFor(model, request.removal, request.n_keys, stop));
    AnswerScores before;
    std::vector<AnswerScores> after(heads.size());
    const WorkMeter meter(request.sequences, progress);
    for (std::int64_t index = 0; index < request.sequences; ++index) {
        const ReadSequence read(model, evaluationSequenceOf(config, request.n_keys, index), stop);
        before.add(read.logitsFrom(model.attentionLayers() - 1, stop), read.sequence());
        for (std::size_t i = 0; i < heads.size(); ++i) {
            if (stop.stop_requested())
                throw Cancelled();
            removal.setLayer(heads[i].layer, {heads[i].head});
            after[i].add(read.logitsFrom(heads[i].layer, stop), read.sequence());
            removal.setLayer(heads[i].layer, {});
        }
        meter.report(index + 1, sequencesText(request.n_keys, index + 1, request.sequences));
    }
    grid.intact = before.point(config, request.n_keys);
    for (std::size_t i = 0; i < heads.size(); ++i)
        grid.heads.push_back({.id = heads[i], .point = pointOf(config, request.n_keys, before, after[i])});
    return grid;
}

SmallestSets searchSmallestSets(model::Transformer &model, std::int64_t step, const SearchRequest &request,
                                const ProgressFunction &progress,
                                const std::function<void(const SmallestSets &)> &onStep, std::stop_token stop)
{
    const RunConfig &config = model.config();
    eval::requireEvaluable(config, {request.n_keys}, request.sequences);
    if (!(request.keptShare > 0.0 && request.keptShare <= 1.0))
        throw Error("kept share", "It is above 0 and at most 1.");
    const at::NoGradGuard noGrad;
    SmallestSets sets{
        .variant = config.variant, .step = step, .evaluationSeed = config.evaluation_seed, .request = request};
    Search search(model, request, progress, stop);
    sets.intact = search.intact();
    const auto addStep = [&](std::vector<SearchStep> &steps, const HeadId &head, const eval::AccuracyPoint &point) {
        steps.push_back({.head = head, .point = point, .difference = eval::pairedDifference(sets.intact, point)});
        if (onStep)
            onStep(sets);
    };

    const double chance =
        std::max(eval::chanceExactMatch(config.value_digits), eval::anyValueExactMatch(request.n_keys));
    const std::vector<HeadId> all = allHeads(model);
    std::vector<HeadId> removed;
    std::vector<HeadId> left = all;
    if (sets.intact.low <= chance)
        return sets; // nothing to take away or to keep
    while (!sets.isBroken && !left.empty()) {
        const std::vector<eval::AccuracyPoint> points =
            search.tryEach(removed, left, "breaking: head " + std::to_string(removed.size() + 1));
        const auto worst = std::ranges::min_element(points, isWorse) - points.begin();
        removed.push_back(left[static_cast<std::size_t>(worst)]);
        left.erase(left.begin() + worst);
        const eval::AccuracyPoint &point = points[static_cast<std::size_t>(worst)];
        sets.isBroken = point.low <= chance;
        addStep(sets.breaking, removed.back(), point);
    }

    removed.clear();
    sets.kept = all;
    const double least = request.keptShare * sets.intact.accuracy;
    while (!sets.kept.empty()) {
        const std::vector<eval::AccuracyPoint> points = search.tryEach(
            removed, sets.kept,
            "sparing: " + std::to_string(sets.kept.size()) + " of " + std::to_string(all.size()) + " heads left");
        const auto best = std::ranges::max_element(points, [](const auto &a, const auto &b) { return isWorse(a, b); })
            - points.begin();
        const eval::AccuracyPoint &point = points[static_cast<std::size_t>(best)];
        if (point.accuracy < least)
            break;
        removed.push_back(sets.kept[static_cast<std::size_t>(best)]);
        sets.kept.erase(sets.kept.begin() + best);
        addStep(sets.sparing, removed.back(), point);
    }
    return sets;
}

} // namespace lookback::circuit
