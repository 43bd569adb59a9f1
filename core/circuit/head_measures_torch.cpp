// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/head_measures_torch.h"

#include <algorithm>
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/xlogy.h>

#include "core/circuit/sequence_torch.h"
#include "core/circuit/statistics.h"
#include "core/circuit/work_meter.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/model/attention_design_torch.h"

// Shapes: H heads of a layer, Q rows (queries) of a block, T positions, M numbers of a row.

namespace lookback::circuit {

namespace {

/// Weights of one block of rows: 8 MiB in float32.
constexpr std::int64_t kBlockWeights = 2 * 1024 * 1024;

/// A row of the maps that is looked at.
struct Row {
    std::int64_t query = 0;
    std::int64_t entryBegin = 0; ///< First position of the entry that is asked.
    std::int64_t target = -1; ///< Source of an answer row, matching token of a key row; -1 for other rows.
    bool isAnswer = false;
    bool isRight = false; ///< The whole answer is.
};

/// What the block function finds out about one head and row, in this order.
enum Number : std::size_t { Top, Target, First, Own, OwnValues, AllValues, MeanPosition, Entropy, Negative, Offsets };
constexpr std::size_t kNumbers = Offsets + kOffsets;

/// Sums of one head over the rows of one sequence, and how many rows they are of.
struct Sums {
    std::array<double, kHeadMeasures> sums{};
    std::array<double, kHeadMeasures> counts{};
    std::array<double, kOffsets> offsets{};

    void add(HeadMeasure measure, double value)
    {
        sums[static_cast<std::size_t>(measure)] += value;
        counts[static_cast<std::size_t>(measure)] += 1.0;
    }
    void add(const Sums &other)
    {
        std::ranges::transform(sums, other.sums, sums.begin(), std::plus());
        std::ranges::transform(counts, other.counts, counts.begin(), std::plus());
        std::ranges::transform(offsets, other.offsets, offsets.begin(), std::plus());
    }
    void addRow(const Row &row, const double *numbers)
    {
        for (std::size_t offset = 0; offset < offsets.size(); ++offset)
            offsets[offset] += numbers[Offsets + offset];
        add(HeadMeasure::PreviousToken, numbers[Offsets + 1]);
        add(HeadMeasure::FixedOffset, 0.0); // its rows are counted; which offset it is shows at the end
        if (row.target < 0)
            return;
        if (!row.isAnswer) {
            add(HeadMeasure::KeyMatching, numbers[Target]);
            return;
        }
        if (row.isRight)
            add(HeadMeasure::Retrieval, numbers[Top] == static_cast<double>(row.target) ? 1.0 : 0.0);
        const double others = numbers[AllValues] - numbers[OwnValues] - numbers[Target];
        add(HeadMeasure::SourceWeight, numbers[Target]);
        add(HeadMeasure::OwnEntry, numbers[Own]);
        add(HeadMeasure::FirstToken, numbers[First]);
        add(HeadMeasure::OtherValues, std::max(0.0, others));
        add(HeadMeasure::Elsewhere,
            std::max(0.0, 1.0 - numbers[Own] - numbers[First] - numbers[AllValues] + numbers[OwnValues]));
        add(HeadMeasure::Entropy, numbers[Entropy]);
        add(HeadMeasure::MeanDistance, static_cast<double>(row.query) - numbers[MeanPosition]);
        add(HeadMeasure::NegativeLogits, numbers[Negative]);
    }
};

Measured withinRange(Measured measured, const MeasureInfo &info)
{
    const auto clamped = [&](double value) { return info.isShare() ? std::clamp(value, 0.0, 1.0) : value; };
    return {
        .value = clamped(measured.value), .low = std::max(0.0, clamped(measured.low)), .high = clamped(measured.high)};
}

Scores scoresOf(const std::vector<Sums> &bySequence, const model::SublayerInfo &layer)
{
    Scores scores;
    std::array<double, kOffsets> offsets{};
    double rows = 0.0;
    for (const Sums &sums : bySequence) {
        std::ranges::transform(offsets, sums.offsets, offsets.begin(), std::plus());
        rows += sums.counts[static_cast<std::size_t>(HeadMeasure::FixedOffset)];
    }
    const auto strongest = static_cast<std::size_t>(std::ranges::max_element(offsets) - offsets.begin());
    scores.strongestOffset = static_cast<std::int64_t>(strongest);
    for (const double offset : offsets)
        scores.offsets.push_back(rows > 0.0 ? offset / rows : 0.0);
    for (const MeasureInfo &info : headMeasures()) {
        if (!isMeant(info.measure, layer))
            continue;
        const auto index = static_cast<std::size_t>(info.measure);
        std::vector<double> sums;
        std::vector<double> counts;
        for (const Sums &of : bySequence) {
            sums.push_back(info.measure == HeadMeasure::FixedOffset ? of.offsets[strongest] : of.sums[index]);
            counts.push_back(of.counts[index]);
        }
        std::optional<Measured> measured;
        if (info.measure == HeadMeasure::Retrieval) {
            std::vector<std::int64_t> hits;
            std::vector<std::int64_t> asked;
            std::ranges::transform(sums, std::back_inserter(hits), [](double x) { return std::llround(x); });
            std::ranges::transform(counts, std::back_inserter(asked), [](double x) { return std::llround(x); });
            measured = shareOverSequences(hits, asked);
        } else {
            measured = meanOverSequences(sums, counts);
        }
        if (measured)
            scores.values[index] = withinRange(*measured, info);
    }
    return scores;
}

/// All rows of the asked entries; the model does not read the last token of a sequence.
std::vector<Row> rowsOf(const task::Sequence &sequence, const std::vector<std::int64_t> &entries,
                        const std::vector<bool> &isRight)
{
    const std::int64_t length = sequence.shape.entryTokens();
    const std::int64_t keys = sequence.shape.key_digits;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::int64_t begin = entries[i] * length;
        const std::int64_t former = sequence.entries[static_cast<std::size_t>(entries[i])].partner * length;
        for (std::int64_t offset = 0; offset < length; ++offset) {
            if (begin + offset + 1 >= std::ssize(sequence.tokens))
                break;
            Row row{.query = begin + offset, .entryBegin = begin};
            row.isAnswer = offset > keys && offset < length - 1;
            row.isRight = row.isAnswer && isRight[i];
            if (row.isAnswer || (offset >= 1 && offset <= keys))
                row.target = former + offset + 1; // what followed this place at the first occurrence
            rows.push_back(row);
        }
    }
    return rows;
}

/// What the rows of one layer look like to each head.
class RowReader {
public:
    RowReader(const task::Sequence &sequence, std::int64_t positions, at::TensorOptions options)
        : m_shape(sequence.shape), m_options(options), m_positions_T(at::arange(positions, options))
    {
        const at::Tensor place_T = at::arange(positions, options.dtype(at::kLong)).remainder(m_shape.entryTokens());
        m_isValue_T = place_T.ge(m_shape.key_digits + 2).to(options.dtype());
    }

    /// [H, Q, M] in float64 on the CPU; weights of a recurrence as shares of a row's magnitudes.
    at::Tensor read(model::MapRows rows, std::span<const Row> of, bool isRecurrent) const
    {
        at::Tensor weights_HQT = rows.weights_HQT;
        if (isRecurrent) {
            weights_HQT = weights_HQT.abs();
            weights_HQT = weights_HQT / weights_HQT.sum(-1, true).clamp_min(1e-30);
        }
        const std::int64_t length = m_shape.entryTokens();
        std::vector<std::int64_t> targets;
        std::vector<std::int64_t> own;
        std::vector<std::int64_t> back;
        for (const Row &row : of) {
            targets.push_back(std::max<std::int64_t>(0, row.target));
            for (std::int64_t i = 0; i < length; ++i)
                own.push_back(row.entryBegin + i);
            for (std::int64_t offset = 0; offset < kOffsets; ++offset)
                back.push_back(row.query - offset);
        }
        const at::Tensor own_HQE = at(weights_HQT, own, length);
        const at::Tensor none = weights_HQT.new_zeros({weights_HQT.size(0), weights_HQT.size(1), 1});
        return at::cat({weights_HQT.argmax(-1, true).to(weights_HQT.scalar_type()), at(weights_HQT, targets, 1),
                        weights_HQT.narrow(-1, 0, 1), own_HQE.sum(-1, true),
                        own_HQE.narrow(-1, m_shape.key_digits + 2, m_shape.value_digits).sum(-1, true),
                        weights_HQT.matmul(m_isValue_T).unsqueeze(-1), weights_HQT.matmul(m_positions_T).unsqueeze(-1),
                        -at::xlogy(weights_HQT, weights_HQT).sum(-1, true),
                        rows.isNegative_HQT.defined() ? (weights_HQT * rows.isNegative_HQT).sum(-1, true) : none,
                        at(weights_HQT, back, kOffsets)},
                       -1)
            .to(at::kCPU, at::kDouble)
            .contiguous();
    }

private:
    /// Of each row, the weights on `count` positions; 0 on those that do not exist.
    at::Tensor at(const at::Tensor &weights_HQT, const std::vector<std::int64_t> &positions, std::int64_t count) const
    {
        const at::Tensor index_QN = integerTensor(positions, m_options.device()).view({-1, count});
        const std::int64_t last = weights_HQT.size(2) - 1;
        const at::Tensor taken_HQN =
            weights_HQT.gather(2, index_QN.clamp(0, last).unsqueeze(0).expand({weights_HQT.size(0), -1, -1}));
        return taken_HQN * index_QN.ge(0).logical_and(index_QN.le(last));
    }

    task::TaskShape m_shape;
    at::TensorOptions m_options;
    at::Tensor m_positions_T;
    at::Tensor m_isValue_T;
};

class Measurement {
public:
    Measurement(const model::Transformer &model, const HeadRequest &request)
        : m_model(model), m_config(model.config()), m_request(request),
          m_sums(static_cast<std::size_t>(model.attentionLayers() * m_config.query_heads))
    {
    }

    void addSequence(std::int64_t index, HeadTable &table, const std::stop_token &stop)
    {
        const task::Sequence sequence = evaluationSequenceOf(m_config, m_request.n_keys, index);
        for (std::vector<Sums> &of : m_sums)
            of.emplace_back();
        const std::vector<std::int64_t> entries = askedEntries(sequence, m_config.window, m_request.answersOfSequence);
        if (entries.empty())
            return;
        const at::Device device = deviceOf(m_model);
        const std::vector<at::Tensor> inputs = m_model.attentionInputs(inputTokens(sequence, device), stop);
        const std::vector<bool> isRight = rightAnswers(sequence, entries, inputs.back(), stop);
        table.answers += std::ssize(entries);
        table.rightAnswers += std::ranges::count(isRight, true);
        const std::vector<Row> rows = rowsOf(sequence, entries, isRight);
        const RowReader reader(sequence, inputs.front().size(0), inputs.front().options());
        const std::int64_t heads = m_config.query_heads;
        const std::int64_t block = std::max<std::int64_t>(1, kBlockWeights / (heads * inputs.front().size(0)));
        for (std::int64_t layer = 0; layer < m_model.attentionLayers(); ++layer) {
            const model::SublayerInfo &info = m_model.sublayer(layer);
            const at::Tensor &input = inputs[static_cast<std::size_t>(layer)];
            for (std::int64_t begin = 0; begin < std::ssize(rows); begin += block) {
                if (stop.stop_requested())
                    throw Cancelled();
                const std::span<const Row> some(rows.data() + begin,
                                                static_cast<std::size_t>(std::min(block, std::ssize(rows) - begin)));
                std::vector<std::int64_t> queries;
                for (const Row &row : some)
                    queries.push_back(row.query);
                const at::Tensor numbers_HQM =
                    reader.read(m_model.mapRows(layer, input, integerTensor(queries, device), {0, heads}), some,
                                !info.hasSoftmaxMap);
                const double *numbers = numbers_HQM.const_data_ptr<double>();
                for (std::int64_t head = 0; head < heads; ++head) {
                    Sums &sums = m_sums[static_cast<std::size_t>(layer * heads + head)].back();
                    for (const Row &row : some) {
                        sums.addRow(row, numbers);
                        numbers += kNumbers;
                    }
                }
            }
        }
    }

    void finish(HeadTable &table) const
    {
        const std::int64_t heads = m_config.query_heads;
        for (std::int64_t layer = 0; layer < m_model.attentionLayers(); ++layer) {
            const model::SublayerInfo &info = m_model.sublayer(layer);
            // recurrent layers have as many key-value heads as query heads
            const std::int64_t groups = info.hasSoftmaxMap ? m_config.kv_heads : heads;
            const std::int64_t perGroup = heads / groups;
            for (std::int64_t head = 0; head < heads; ++head)
                table.heads.push_back(
                    {.id = {layer, head},
                     .kvHead = head / perGroup,
                     .scores = scoresOf(m_sums[static_cast<std::size_t>(layer * heads + head)], info)});
            for (std::int64_t group = 0; group < groups; ++group)
                table.groups.push_back({.layer = layer,
                                        .kvHead = group,
                                        .scores = scoresOf(joined(layer * heads + group * perGroup, perGroup), info)});
            table.layerMeans.push_back({.layer = layer, .scores = scoresOf(joined(layer * heads, heads), info)});
        }
    }

private:
    std::vector<bool> rightAnswers(const task::Sequence &sequence, const std::vector<std::int64_t> &entries,
                                   const at::Tensor &lastInput, const std::stop_token &stop) const
    {
        const std::vector<std::int64_t> positions = answerPositions(sequence, entries);
        const at::Tensor predicted_S =
            m_model.evaluateFromLastInput(lastInput, integerTensor(positions, lastInput.device()), stop)
                .argmax(-1)
                .to(at::kCPU)
                .contiguous();
        const std::int64_t *predicted = predicted_S.const_data_ptr<std::int64_t>();
        const auto digits = static_cast<std::size_t>(sequence.shape.value_digits);
        std::vector<bool> isRight(entries.size(), true);
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (predicted[i] != sequence.tokens[static_cast<std::size_t>(positions[i] + 1)])
                isRight[i / digits] = false;
        }
        return isRight;
    }

    std::vector<Sums> joined(std::int64_t first, std::int64_t count) const
    {
        std::vector<Sums> sums = m_sums[static_cast<std::size_t>(first)];
        for (std::int64_t i = first + 1; i < first + count; ++i) {
            for (std::size_t sequence = 0; sequence < sums.size(); ++sequence)
                sums[sequence].add(m_sums[static_cast<std::size_t>(i)][sequence]);
        }
        return sums;
    }

    const model::Transformer &m_model;
    const RunConfig &m_config;
    const HeadRequest &m_request;
    std::vector<std::vector<Sums>> m_sums; ///< [layer * heads + head][sequence]
};

} // namespace

HeadTable measureHeads(const model::Transformer &model, std::int64_t step, const HeadRequest &request,
                       const ProgressFunction &progress, std::stop_token stop)
{
    const RunConfig &config = model.config();
    eval::requireEvaluable(config, {request.n_keys}, request.sequences);
    if (request.answersOfSequence < 1)
        throw Error("answers " + std::to_string(request.answersOfSequence), "At least one answer is looked at.");
    const at::NoGradGuard noGrad;
    HeadTable table;
    table.variant = config.variant;
    table.step = step;
    table.request = request;
    table.evaluationSeed = config.evaluation_seed;
    table.window = config.window;
    table.positions = config.contextTokens(request.n_keys) - 1;
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer)
        table.layers.push_back(model.sublayer(layer));
    Measurement measurement(model, request);
    const WorkMeter meter(request.sequences, progress);
    for (std::int64_t index = 0; index < request.sequences; ++index) {
        if (stop.stop_requested())
            throw Cancelled();
        measurement.addSequence(index, table, stop);
        meter.report(index + 1,
                     "n = " + std::to_string(request.n_keys) + ": " + std::to_string(index + 1) + " of "
                         + std::to_string(request.sequences) + " sequences");
    }
    measurement.finish(table);
    return table;
}

} // namespace lookback::circuit
