// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/answer_score_torch.h"

#include <algorithm>
#include <utility>

#include <ATen/ops/cross_entropy_loss.h>

#include "core/circuit/sequence_torch.h"

namespace lookback::circuit {

namespace {

/// Inputs of all layers beyond which a sequence is read anew each time.
constexpr double kMostInputBytes = 1e9;

} // namespace

void AnswerScores::add(const at::Tensor &logits_SV, const task::Sequence &sequence)
{
    const std::vector<std::int64_t> positions = sequence.scoredPositions();
    std::vector<std::int64_t> targets;
    for (const std::int64_t position : positions)
        targets.push_back(sequence.tokens[static_cast<std::size_t>(position + 1)]);
    const at::Tensor targets_S = integerTensor(targets, logits_SV.device());
    const at::Tensor predicted_S = logits_SV.argmax(-1).to(at::kCPU).contiguous();
    lossSum += at::cross_entropy_loss(logits_SV, targets_S, {}, at::Reduction::Sum).to(at::kDouble).item<double>();
    const std::int64_t *predicted = predicted_S.const_data_ptr<std::int64_t>();
    const auto digits = static_cast<std::size_t>(sequence.shape.value_digits);
    std::vector<bool> &exact = isExact.emplace_back(targets.size() / digits, true);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (predicted[i] == targets[i])
            ++digitsRight;
        else
            exact[i / digits] = false;
    }
}

eval::AccuracyPoint AnswerScores::point(const RunConfig &config, std::int64_t n_keys) const
{
    eval::AccuracyPoint point;
    point.n_keys = n_keys;
    point.contextTokens = config.contextTokens(n_keys);
    point.sequences = std::ssize(isExact);
    point.answers = point.sequences * n_keys;
    point.digitsRight = digitsRight;
    for (const std::vector<bool> &exact : isExact) {
        point.exactBySequence.push_back(std::ranges::count(exact, true));
        point.exact += point.exactBySequence.back();
    }
    point.accuracy = static_cast<double>(point.exact) / static_cast<double>(point.answers);
    point.meanLoss = lossSum / static_cast<double>(point.answers * config.value_digits);
    const eval::Interval interval = eval::exactMatchInterval(point.exactBySequence, n_keys);
    point.low = interval.low;
    point.high = interval.high;
    return point;
}

KnockoutPoint pointOf(const RunConfig &config, std::int64_t n_keys, const AnswerScores &before,
                      const AnswerScores &after)
{
    KnockoutPoint point;
    point.before = before.point(config, n_keys);
    point.after = after.point(config, n_keys);
    point.difference = eval::pairedDifference(point.before, point.after);
    std::int64_t lost = 0;
    std::int64_t gained = 0;
    for (std::size_t sequence = 0; sequence < before.isExact.size(); ++sequence) {
        for (std::size_t answer = 0; answer < before.isExact[sequence].size(); ++answer) {
            const bool was = before.isExact[sequence][answer];
            const bool is = after.isExact[sequence][answer];
            lost += was && !is ? 1 : 0;
            gained += !was && is ? 1 : 0;
        }
    }
    point.mcNemar = mcNemar(lost, gained);
    return point;
}

ReadSequence::ReadSequence(const model::Transformer &model, task::Sequence sequence, std::stop_token stop)
    : m_model(model), m_sequence(std::move(sequence)), m_tokens(inputTokens(m_sequence, deviceOf(model))),
      m_positions(integerTensor(m_sequence.scoredPositions(), m_tokens.device()))
{
    const double bytes = 4.0 * static_cast<double>(m_tokens.size(0)) * static_cast<double>(model.config().d_model)
        * static_cast<double>(model.attentionLayers());
    if (bytes <= kMostInputBytes)
        m_inputs = model.attentionInputs(m_tokens, std::move(stop));
}

at::Tensor ReadSequence::logitsFrom(std::int64_t layer, std::stop_token stop) const
{
    if (m_inputs.empty())
        return m_model.evaluateAt(m_tokens, m_positions, std::move(stop));
    const std::int64_t from = std::min(layer, m_model.attentionLayers() - 1);
    return m_model.evaluateFromInput(from, m_inputs[static_cast<std::size_t>(from)], m_positions, std::move(stop));
}

} // namespace lookback::circuit
