// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/patching_torch.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include "core/circuit/removal_torch.h"
#include "core/circuit/sequence_torch.h"
#include "core/circuit/statistics.h"
#include "core/circuit/work_meter.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/model/attention_design_torch.h"

// Shapes: H query heads, C head width, T tokens that the model reads.

namespace lookback::circuit {

namespace {

/// Maps of one head beyond which nothing is patched.
constexpr double kMostPatternBytes = 512e6;

/// Writes `digits` digits of `number` at `position`, most significant first.
void writeDigits(std::vector<std::uint8_t> &tokens, std::int64_t position, std::int64_t number, std::int64_t digits)
{
    for (std::int64_t i = digits - 1; i >= 0; --i, number /= 10)
        tokens[static_cast<std::size_t>(position + i)] = static_cast<std::uint8_t>(number % 10);
}

/// Another value of digit `digit` (from 0, most significant) of both occurrences.
std::optional<PatchPair> otherValue(task::Sequence a, std::int64_t entry, std::int64_t index)
{
    PatchPair pair{.a = std::move(a)};
    pair.b = pair.a;
    const std::int64_t digit = index % pair.a.shape.value_digits;
    pair.position = pair.a.predictionPosition(entry, digit);
    pair.tokenA = pair.a.tokens[static_cast<std::size_t>(pair.position + 1)];
    pair.tokenB = static_cast<int>((pair.tokenA + 1 + index % 9) % 10);
    std::int64_t unit = 1;
    for (std::int64_t i = digit + 1; i < pair.a.shape.value_digits; ++i)
        unit *= 10;
    const std::int64_t partner = pair.a.entries[static_cast<std::size_t>(entry)].partner;
    for (const std::int64_t each : {entry, partner}) {
        pair.b.entries[static_cast<std::size_t>(each)].value += (pair.tokenB - pair.tokenA) * unit;
        pair.b.tokens[static_cast<std::size_t>(pair.b.predictionPosition(each, digit) + 1)] =
            static_cast<std::uint8_t>(pair.tokenB);
    }
    return pair;
}

/// The asked entry holds another key, whose value begins with another digit.
std::optional<PatchPair> otherKey(task::Sequence a, std::int64_t entry, std::int64_t index, std::int64_t window)
{
    const std::int64_t length = a.shape.entryTokens();
    const auto firstDigit = [&](std::int64_t of) {
        return a.tokens[static_cast<std::size_t>(a.predictionPosition(of, 0) + 1)];
    };
    const std::int64_t key = a.entries[static_cast<std::size_t>(entry)].key;
    for (std::int64_t i = 0; i < entry; ++i) {
        const std::int64_t other = (i + index) % entry;
        const task::Entry &candidate = a.entries[static_cast<std::size_t>(other)];
        const bool isFar = (entry - other) * length - 1 >= window;
        if (!isFar || candidate.isSecondOccurrence || candidate.key == key || firstDigit(other) == firstDigit(entry))
            continue;
        PatchPair pair{.b = a, .position = a.predictionPosition(entry, 0)};
        pair.tokenA = firstDigit(entry);
        pair.tokenB = firstDigit(other);
        writeDigits(pair.b.tokens, entry * length + 1, candidate.key, a.shape.key_digits);
        pair.a = std::move(a);
        return pair;
    }
    return std::nullopt;
}

/// What B gives to A.
class Patch {
public:
    Patch(model::Transformer &model, const PatchPair &pair, const std::stop_token &stop)
        : m_model(model), m_pair(pair), m_stop(stop), m_device(deviceOf(model)),
          m_position_1(integerTensor(std::vector{pair.position}, m_device)),
          m_inputsA(model.attentionInputs(inputTokens(pair.a, m_device), stop)),
          m_inputsB(model.attentionInputs(inputTokens(pair.b, m_device), stop))
    {
        m_logitsA = logits(m_inputsA, model.attentionLayers() - 1);
        m_logitsB = logits(m_inputsB, model.attentionLayers() - 1);
    }

    bool isAnsweredRightly() const { return best(m_logitsA) == m_pair.tokenA && best(m_logitsB) == m_pair.tokenB; }
    /// Logit of A's token less that of B's.
    double differenceA() const { return difference(m_logitsA); }
    double differenceB() const { return difference(m_logitsB); }

    struct Outcome {
        double difference = 0.0;
        bool isFlipped = false;
    };
    Outcome patched(const std::vector<HeadId> &heads, PatchPart part)
    {
        std::map<std::int64_t, std::vector<std::int64_t>> byLayer;
        for (const HeadId &id : heads)
            byLayer[id.layer].push_back(id.head);
        for (const auto &[layer, ids] : byLayer)
            m_model.setChanges(layer, part == PatchPart::Output ? outputChange(layer, ids) : patternChange(layer, ids));
        std::vector<double> found;
        try {
            found = logits(m_inputsA, firstLayer(heads, m_model.attentionLayers() - 1));
        } catch (...) {
            undo(byLayer);
            throw;
        }
        undo(byLayer);
        return {.difference = difference(found), .isFlipped = best(found) == m_pair.tokenB};
    }

private:
    void undo(const std::map<std::int64_t, std::vector<std::int64_t>> &byLayer)
    {
        for (const auto &[layer, ids] : byLayer)
            m_model.setChanges(layer, {});
    }

    std::vector<double> logits(const std::vector<at::Tensor> &inputs, std::int64_t layer) const
    {
        const at::Tensor logits_V =
            m_model.evaluateFromInput(layer, inputs[static_cast<std::size_t>(layer)], m_position_1, m_stop)[0]
                .to(at::kCPU, at::kDouble)
                .contiguous();
        const double *first = logits_V.const_data_ptr<double>();
        return {first, first + logits_V.numel()};
    }
    double difference(const std::vector<double> &of) const
    {
        return of[static_cast<std::size_t>(m_pair.tokenA)] - of[static_cast<std::size_t>(m_pair.tokenB)];
    }
    static int best(const std::vector<double> &of)
    {
        return static_cast<int>(std::ranges::max_element(of) - of.begin());
    }

    /// What the output projection of a layer reads on B, [T, H, C].
    at::Tensor outputsOfB(std::int64_t layer)
    {
        at::Tensor &known = m_outputsB[layer];
        if (known.defined())
            return known;
        std::vector<at::Tensor> pieces;
        model::EvaluationChanges recording;
        recording.headOutput = [&](const at::Tensor &heads_BQHC, const at::Tensor &) {
            pieces.push_back(heads_BQHC[0]);
            return heads_BQHC;
        };
        m_model.setChanges(layer, std::move(recording));
        const at::Tensor &input = m_inputsB[static_cast<std::size_t>(layer)];
        m_model.attention(layer).forward(m_model.normedInput(layer, input).unsqueeze(0), {});
        m_model.setChanges(layer, {});
        return known = at::cat(pieces);
    }

    model::EvaluationChanges outputChange(std::int64_t layer, std::vector<std::int64_t> heads)
    {
        model::EvaluationChanges changes;
        changes.headOutput = [heads = std::move(heads), other_THC = outputsOfB(layer)](const at::Tensor &heads_BQHC,
                                                                                       const at::Tensor &positions_BQ) {
            at::Tensor patched_BQHC = heads_BQHC.clone();
            const at::Tensor other_BQHC =
                other_THC.index_select(0, positions_BQ.flatten()).unflatten(0, positions_BQ.sizes());
            for (const std::int64_t head : heads)
                patched_BQHC.select(2, head).copy_(other_BQHC.select(2, head));
            return patched_BQHC;
        };
        return changes;
    }

    model::EvaluationChanges patternChange(std::int64_t layer, const std::vector<std::int64_t> &heads)
    {
        const at::Tensor &input = m_inputsB[static_cast<std::size_t>(layer)];
        const std::int64_t tokens = input.size(0);
        std::vector<std::pair<std::int64_t, at::Tensor>> maps_TT;
        for (const std::int64_t head : heads)
            maps_TT.emplace_back(head, m_model.mapReader(layer, input, 0, {head, head + 1})->next(tokens)[0]);
        model::EvaluationChanges changes;
        changes.pattern = [maps_TT = std::move(maps_TT)](const model::PatternRows &rows) {
            at::Tensor patched_BHQK = rows.weights_BHQK.clone();
            const std::int64_t keys = patched_BHQK.size(3);
            for (const auto &[head, map_TT] : maps_TT) {
                if (head < rows.heads.begin || head >= rows.heads.end)
                    continue;
                const at::Tensor rows_BQK = map_TT.index_select(0, rows.positions_BQ.flatten())
                                                .unflatten(0, rows.positions_BQ.sizes())
                                                .narrow(2, rows.firstKey, keys);
                patched_BHQK.select(1, head - rows.heads.begin).copy_(rows_BQK);
            }
            return patched_BHQK;
        };
        return changes;
    }

    model::Transformer &m_model;
    const PatchPair &m_pair;
    const std::stop_token &m_stop;
    at::Device m_device;
    at::Tensor m_position_1;
    std::vector<at::Tensor> m_inputsA;
    std::vector<at::Tensor> m_inputsB;
    std::vector<double> m_logitsA;
    std::vector<double> m_logitsB;
    std::map<std::int64_t, at::Tensor> m_outputsB;
};

} // namespace

std::optional<PatchPair> patchPair(const RunConfig &config, PatchDifference difference, std::int64_t n_keys,
                                   std::int64_t index)
{
    task::Sequence sequence = evaluationSequenceOf(config, n_keys, index);
    const std::vector<std::int64_t> entries = askedEntries(sequence, config.window, std::ssize(sequence.entries));
    if (entries.empty())
        return std::nullopt;
    const std::int64_t entry = entries[static_cast<std::size_t>(index % std::ssize(entries))];
    return difference == PatchDifference::Value ? otherValue(std::move(sequence), entry, index)
                                                : otherKey(std::move(sequence), entry, index, config.window);
}

PatchResult patchHeads(model::Transformer &model, std::int64_t step, const PatchRequest &request,
                       const ProgressFunction &progress, std::stop_token stop)
{
    const RunConfig &config = model.config();
    eval::requireEvaluable(config, {request.n_keys}, request.sequences);
    requireHeads(request.heads, model.attentionLayers(), config.query_heads);
    const auto positions = static_cast<double>(config.contextTokens(request.n_keys));
    if (request.part == PatchPart::Pattern && 4.0 * positions * positions > kMostPatternBytes)
        throw Error("n = " + std::to_string(request.n_keys), "A pattern of so many positions would not fit.",
                    "Patch outputs, or choose a smaller n.");
    const at::NoGradGuard noGrad;
    PatchResult result{
        .variant = config.variant, .step = step, .evaluationSeed = config.evaluation_seed, .request = request};
    if (!request.heads.empty()) {
        result.effects.push_back({.heads = request.heads});
    } else {
        for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
            for (std::int64_t head = 0; head < config.query_heads; ++head)
                result.effects.push_back({.heads = {{layer, head}}});
        }
    }
    std::vector<double> whole;
    std::vector<std::vector<double>> moved(result.effects.size());
    const WorkMeter meter(request.sequences, progress);
    for (std::int64_t index = 0; index < request.sequences; ++index) {
        if (stop.stop_requested())
            throw Cancelled();
        if (const std::optional<PatchPair> pair = patchPair(config, request.difference, request.n_keys, index)) {
            ++result.tried;
            Patch patch(model, *pair, stop);
            if (patch.isAnsweredRightly()) {
                ++result.sequences;
                whole.push_back(patch.differenceA() - patch.differenceB());
                for (std::size_t i = 0; i < result.effects.size(); ++i) {
                    const Patch::Outcome outcome = patch.patched(result.effects[i].heads, request.part);
                    moved[i].push_back(patch.differenceA() - outcome.difference);
                    result.effects[i].flipped += outcome.isFlipped ? 1 : 0;
                }
            }
        }
        meter.report(index + 1, std::to_string(index + 1) + " of " + std::to_string(request.sequences) + " pairs");
    }
    for (std::size_t i = 0; i < result.effects.size(); ++i)
        result.effects[i].moved = meanOverSequences(moved[i], whole);
    for (const double each : whole)
        result.logitDifference += each / static_cast<double>(whole.size());
    return result;
}

} // namespace lookback::circuit
