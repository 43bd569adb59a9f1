// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/failures_torch.h"

#include <algorithm>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include "core/circuit/sequence_torch.h"
#include "core/circuit/work_meter.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/model/attention_design_torch.h"

namespace lookback::circuit {

namespace {

/// Weights of one block of rows: 8 MiB in float32.
constexpr std::int64_t kBlockWeights = 2 * 1024 * 1024;

/// Digits in which two keys differ.
std::int64_t keyDistance(std::int64_t a, std::int64_t b, std::int64_t digits)
{
    std::int64_t distance = 0;
    for (std::int64_t i = 0; i < digits; ++i, a /= 10, b /= 10)
        distance += a % 10 != b % 10 ? 1 : 0;
    return distance;
}

/// In which of kPlaceBins equal parts of `whole` the part lies.
std::size_t binOf(std::int64_t part, std::int64_t whole)
{
    return static_cast<std::size_t>(std::min(kPlaceBins - 1, part * kPlaceBins / whole));
}

class Search {
public:
    Search(const model::Transformer &model, const FailureRequest &request, Failures &failures)
        : m_model(model), m_request(request), m_failures(failures)
    {
    }

    void addSequence(std::int64_t index, const std::stop_token &stop)
    {
        const task::Sequence sequence = evaluationSequenceOf(m_model.config(), m_request.n_keys, index);
        const at::Device device = deviceOf(m_model);
        const std::vector<at::Tensor> inputs = m_model.attentionInputs(inputTokens(sequence, device), stop);
        std::vector<WrongDigit> wrong = wrongDigits(sequence, index, inputs.back(), stop);
        findOrigins(sequence, inputs, wrong, stop);
        for (WrongDigit &digit : wrong) {
            ++m_failures.wrongDigits;
            if (digit.from) {
                ++m_failures.byKeyDistance[static_cast<std::size_t>(digit.from->keyDistance)];
                addExpected(sequence, digit);
            } else {
                ++m_failures.unknownOrigin;
            }
            if (std::ssize(m_failures.list) < m_request.mostListed)
                m_failures.list.push_back(std::move(digit));
        }
    }

private:
    /// Also counts the answers.
    std::vector<WrongDigit> wrongDigits(const task::Sequence &sequence, std::int64_t index, const at::Tensor &lastInput,
                                        const std::stop_token &stop)
    {
        const std::vector<std::int64_t> positions = sequence.scoredPositions();
        const at::Tensor logits_SV =
            m_model.evaluateFromLastInput(lastInput, integerTensor(positions, lastInput.device()), stop)
                .to(at::kCPU, at::kDouble)
                .contiguous();
        const at::Tensor probability_SV = at::softmax(logits_SV, -1).contiguous();
        const double *logits = logits_SV.const_data_ptr<double>();
        const double *probability = probability_SV.const_data_ptr<double>();
        const std::int64_t values = sequence.shape.value_digits;
        const std::int64_t entries = std::ssize(sequence.entries);
        std::vector<WrongDigit> wrong;
        for (std::size_t row = 0; row < positions.size(); ++row) {
            const auto digit = static_cast<std::int64_t>(row) % values;
            const std::int64_t position = positions[row];
            const std::int64_t entry = position / sequence.shape.entryTokens();
            const task::Entry &asked = sequence.entries[static_cast<std::size_t>(entry)];
            FailureCount &place = m_failures.byPlace[binOf(entry, entries)];
            FailureCount &distance = m_failures.byDistance[binOf(entry - asked.partner, entries)];
            if (digit == 0) {
                ++m_failures.answers;
                ++place.asked;
                ++distance.asked;
            }
            ++m_failures.digits;
            const double *of = logits + row * task::kVocabulary;
            const auto predicted = static_cast<int>(std::max_element(of, of + task::kVocabulary) - of);
            const int truth = sequence.tokens[static_cast<std::size_t>(position + 1)];
            if (predicted == truth)
                continue;
            if (wrong.empty() || wrong.back().entry != entry) {
                ++m_failures.wrongAnswers;
                ++place.wrong;
                ++distance.wrong;
            }
            wrong.push_back({.sequence = index,
                             .entry = entry,
                             .firstEntry = asked.partner,
                             .digit = digit,
                             .position = position,
                             .key = asked.key,
                             .truth = truth,
                             .predicted = predicted,
                             .margin = of[predicted] - of[truth],
                             .probability = probability[row * task::kVocabulary + static_cast<std::size_t>(truth)]});
        }
        return wrong;
    }

    void findOrigins(const task::Sequence &sequence, const std::vector<at::Tensor> &inputs,
                     std::vector<WrongDigit> &wrong, const std::stop_token &stop) const
    {
        const std::int64_t tokens = inputs.front().size(0);
        const std::int64_t block = std::max<std::int64_t>(1, kBlockWeights / tokens);
        for (std::int64_t begin = 0; begin < std::ssize(wrong); begin += block) {
            const std::int64_t count = std::min(block, std::ssize(wrong) - begin);
            std::vector<std::int64_t> rows;
            for (std::int64_t i = begin; i < begin + count; ++i)
                rows.push_back(wrong[static_cast<std::size_t>(i)].position);
            const at::Tensor rows_Q = integerTensor(rows, inputs.front().device());
            at::Tensor mean_QT = at::zeros({count, tokens}, at::kDouble);
            for (const HeadId &reader : m_request.readers) {
                if (stop.stop_requested())
                    throw Cancelled();
                at::Tensor weights_QT = m_model
                                            .mapRows(reader.layer, inputs[static_cast<std::size_t>(reader.layer)],
                                                     rows_Q, {reader.head, reader.head + 1})
                                            .weights_HQT[0]
                                            .to(at::kCPU, at::kDouble);
                if (!m_model.sublayer(reader.layer).hasSoftmaxMap) {
                    weights_QT = weights_QT.abs();
                    weights_QT = weights_QT / weights_QT.sum(-1, true).clamp_min(1e-30);
                }
                mean_QT += weights_QT;
            }
            mean_QT = (mean_QT / static_cast<double>(m_request.readers.size())).contiguous();
            const double *mean = mean_QT.const_data_ptr<double>();
            for (std::int64_t i = 0; i < count; ++i)
                setOrigin(sequence, mean + i * tokens, wrong[static_cast<std::size_t>(begin + i)]);
        }
    }

    static void setOrigin(const task::Sequence &sequence, const double *weights, WrongDigit &digit)
    {
        const std::int64_t length = sequence.shape.entryTokens();
        TakenFrom best{.position = -1};
        for (std::int64_t position = 0; position < digit.entry * length; ++position) {
            const bool isValue = position % length >= 2 + sequence.shape.key_digits;
            if (isValue && sequence.tokens[static_cast<std::size_t>(position)] == digit.predicted
                && (best.position < 0 || weights[position] > best.weight)) {
                best.position = position;
                best.weight = weights[position];
            }
        }
        if (best.position < 0 || best.weight < kTakenWeight)
            return;
        best.entry = best.position / length;
        best.key = sequence.entries[static_cast<std::size_t>(best.entry)].key;
        best.keyDistance = keyDistance(best.key, digit.key, sequence.shape.key_digits);
        digit.from = best;
    }

    /// One wrong digit, spread over the entries before it as if one of them were taken at random.
    void addExpected(const task::Sequence &sequence, const WrongDigit &digit)
    {
        for (std::int64_t entry = 0; entry < digit.entry; ++entry) {
            const std::int64_t distance = keyDistance(sequence.entries[static_cast<std::size_t>(entry)].key, digit.key,
                                                      sequence.shape.key_digits);
            m_failures.expectedByKeyDistance[static_cast<std::size_t>(distance)] +=
                1.0 / static_cast<double>(digit.entry);
        }
    }

    const model::Transformer &m_model;
    const FailureRequest &m_request;
    Failures &m_failures;
};

} // namespace

Failures findFailures(const model::Transformer &model, std::int64_t step, const FailureRequest &request,
                      const ProgressFunction &progress, std::stop_token stop)
{
    const RunConfig &config = model.config();
    eval::requireEvaluable(config, {request.n_keys}, request.sequences);
    requireHeads(request.readers, model.attentionLayers(), config.query_heads);
    if (request.readers.empty())
        throw Error("heads", "No head is named that tells where digits were taken from.");
    const at::NoGradGuard noGrad;
    Failures failures{
        .variant = config.variant, .step = step, .evaluationSeed = config.evaluation_seed, .request = request};
    failures.byKeyDistance.resize(static_cast<std::size_t>(config.key_digits) + 1);
    failures.expectedByKeyDistance.resize(failures.byKeyDistance.size());
    failures.byPlace.resize(kPlaceBins);
    failures.byDistance.resize(kPlaceBins);
    Search search(model, request, failures);
    const WorkMeter meter(request.sequences, progress);
    for (std::int64_t index = 0; index < request.sequences; ++index) {
        if (stop.stop_requested())
            throw Cancelled();
        search.addSequence(index, stop);
        meter.report(index + 1,
                     "n = " + std::to_string(request.n_keys) + ": " + std::to_string(index + 1) + " of "
                         + std::to_string(request.sequences) + " sequences");
    }
    const auto known = static_cast<double>(failures.wrongDigits - failures.unknownOrigin);
    for (double &share : failures.expectedByKeyDistance)
        share = known > 0.0 ? share / known : 0.0;
    return failures;
}

} // namespace lookback::circuit
