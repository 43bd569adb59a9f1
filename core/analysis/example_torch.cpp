// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/example_torch.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/softmax.h>

#include "core/error.h"
#include "core/model/attention_design_torch.h"

namespace lookback::analysis {

namespace {

/// Weights of one block of query rows, all heads asked for: 8 MiB in float32. Small enough to stop within a tenth of a
/// second, large enough that a block is worth its overhead.
constexpr std::int64_t kBlockWeights = 2 * 1024 * 1024;

at::Tensor integers(const std::vector<std::int64_t> &values, at::Device device)
{
    at::Tensor tensor = at::empty({std::ssize(values)}, at::kLong);
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
    return tensor.to(device);
}

void requireHead(const model::Transformer &model, std::int64_t layer, std::int64_t headBegin, std::int64_t headEnd)
{
    const std::int64_t layers = model.attentionLayers();
    if (layer < 0 || layer >= layers)
        throw Error("layer " + std::to_string(layer),
                    "The model has " + std::to_string(layers) + " attention layers, numbered from 0.",
                    "Choose a layer from 0 to " + std::to_string(layers - 1) + ".");
    const std::int64_t heads = model.config().query_heads;
    if (headBegin < 0 || headEnd > heads || headBegin >= headEnd)
        throw Error("head " + std::to_string(headBegin),
                    "A layer has " + std::to_string(heads) + " heads, numbered from 0.",
                    "Choose a head from 0 to " + std::to_string(heads - 1) + ".");
}

void copyFloats(const at::Tensor &source, float *target)
{
    const at::Tensor plain = source.to(at::kCPU, at::kFloat).contiguous();
    std::copy_n(plain.const_data_ptr<float>(), plain.numel(), target);
}

void requireQuery(std::int64_t query, std::int64_t positions)
{
    if (query < 0 || query >= positions)
        throw Error("query " + std::to_string(query),
                    "The example has " + std::to_string(positions) + " positions, numbered from 0.",
                    "Choose a query from 0 to " + std::to_string(positions - 1) + ".");
}

/// Rows from `firstQuery` on, [rows, T], without the columns that no row sees.
HeadRows rowsOf(const model::Transformer &model, std::int64_t layer, std::int64_t head, std::int64_t firstQuery,
                const at::Tensor &weights_QT)
{
    const model::SublayerInfo &info = model.sublayer(layer);
    HeadRows rows;
    rows.layer = layer;
    rows.head = head;
    rows.kind = info.hasSoftmaxMap ? MapKind::AttentionWeights : MapKind::RecurrenceMatrix;
    rows.positions = weights_QT.size(1);
    rows.window = info.isWindowed ? model.config().window : 0;
    rows.firstQuery = firstQuery;
    rows.rows = weights_QT.size(0);
    rows.firstKey = rows.window > 0 ? std::max<std::int64_t>(0, firstQuery - rows.window + 1) : 0;
    rows.keys = firstQuery + rows.rows - rows.firstKey;
    rows.weights.resize(static_cast<std::size_t>(rows.rows * rows.keys));
    copyFloats(weights_QT.narrow(1, rows.firstKey, rows.keys), rows.weights.data());
    return rows;
}

} // namespace

SeenSequence seeSequence(const model::Transformer &model, const task::Sequence &sequence, std::stop_token stop,
                         const ProgressFunction &progress)
{
    const at::NoGradGuard noGrad;
    const RunConfig &config = model.config();
    const at::Device device = model.parameters().front().second.device();
    const at::Tensor tokens = integers({sequence.tokens.begin(), sequence.tokens.end() - 1}, device);
    SeenSequence seen;
    seen.inputs = model.attentionInputs(tokens, stop, progress);
    seen.example.key.n_keys = sequence.n_keys;
    seen.example.variant = config.variant;
    seen.example.sequence = sequence;
    seen.example.positions = tokens.size(0);
    seen.example.heads = config.query_heads;
    seen.example.kvHeads = config.kv_heads;
    seen.example.window = config.window;
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer)
        seen.example.layers.push_back(model.sublayer(layer));

    const std::vector<std::int64_t> positions = sequence.scoredPositions();
    const at::Tensor probabilities =
        at::softmax(model.evaluateFromLastInput(seen.inputs.back(), integers(positions, device), stop), -1)
            .to(at::kCPU, at::kFloat);
    std::int64_t row = 0;
    for (std::size_t i = 0; i < sequence.entries.size(); ++i) {
        const task::Entry &entry = sequence.entries[i];
        if (!entry.isSecondOccurrence)
            continue;
        Answer answer;
        answer.entry = static_cast<std::int64_t>(i);
        answer.firstEntry = entry.partner;
        answer.key = entry.key;
        for (std::int64_t digit = 0; digit < sequence.shape.value_digits; ++digit, ++row) {
            const std::int64_t position = sequence.predictionPosition(answer.entry, digit);
            answer.truth.push_back(sequence.tokens[static_cast<std::size_t>(position + 1)]);
            std::vector<float> &of = answer.probabilities.emplace_back(task::kVocabulary);
            copyFloats(probabilities[row], of.data());
            answer.predicted.push_back(static_cast<int>(std::max_element(of.begin(), of.end()) - of.begin()));
        }
        seen.example.answers.push_back(std::move(answer));
    }
    return seen;
}

std::vector<HeadMap> headMaps(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer,
                              std::int64_t headBegin, std::int64_t headEnd, std::stop_token stop,
                              const ProgressFunction &progress)
{
    requireHead(model, layer, headBegin, headEnd);
    const at::Tensor &input = seen.inputs.at(static_cast<std::size_t>(layer));
    const std::int64_t positions = input.size(0);
    const model::SublayerInfo &info = model.sublayer(layer);
    std::vector<HeadMap> maps;
    for (std::int64_t head = headBegin; head < headEnd; ++head) {
        HeadMap &map = maps.emplace_back();
        map.layer = layer;
        map.head = head;
        map.kind = info.hasSoftmaxMap ? MapKind::AttentionWeights : MapKind::RecurrenceMatrix;
        map.queries = positions;
        map.keys = positions;
        map.window = info.isWindowed ? model.config().window : 0;
        map.weights.resize(static_cast<std::size_t>(positions * positions));
    }
    const at::NoGradGuard noGrad;
    const std::int64_t block = std::max<std::int64_t>(1, kBlockWeights / (std::ssize(maps) * positions));
    const std::unique_ptr<model::MapReader> reader = model.mapReader(layer, input, 0, {headBegin, headEnd});
    for (std::int64_t begin = 0; begin < positions; begin += block) {
        if (stop.stop_requested())
            throw Cancelled();
        const std::int64_t rows = std::min(block, positions - begin);
        const at::Tensor weights_HQK = reader->next(rows);
        for (HeadMap &map : maps)
            copyFloats(weights_HQK[map.head - headBegin], map.weights.data() + begin * positions);
        if (progress)
            progress({.what = "layer " + std::to_string(layer),
                      .done = begin + rows,
                      .total = positions,
                      .remainingSeconds = {}});
    }
    return maps;
}

void headPieces(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer, std::int64_t head,
                std::int64_t query, const std::function<void(HeadRows)> &onRows, std::stop_token stop)
{
    requireHead(model, layer, head, head + 1);
    const at::Tensor &input = seen.inputs.at(static_cast<std::size_t>(layer));
    const std::int64_t positions = input.size(0);
    requireQuery(query, positions);
    // The piece of the query, and the one that is nearer to it above, if any: the query's surroundings are in sight.
    std::int64_t first = query / kPieceRows * kPieceRows;
    if (query - first < kPieceRows / 2)
        first = std::max<std::int64_t>(0, first - kPieceRows);
    const at::NoGradGuard noGrad;
    const auto read = [&](std::int64_t begin, std::int64_t end) {
        if (begin >= end)
            return;
        const std::unique_ptr<model::MapReader> reader = model.mapReader(layer, input, begin, {head, head + 1});
        for (std::int64_t row = begin; row < end; row += kPieceRows) {
            if (stop.stop_requested())
                throw Cancelled();
            const std::int64_t rows = std::min(kPieceRows, end - row);
            onRows(rowsOf(model, layer, head, row, reader->next(rows)[0]));
        }
    };
    read(first, positions);
    read(0, first);
}

HeadRows exactRow(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer, std::int64_t head,
                  std::int64_t query)
{
    requireHead(model, layer, head, head + 1);
    const at::Tensor &input = seen.inputs.at(static_cast<std::size_t>(layer));
    requireQuery(query, input.size(0));
    const at::NoGradGuard noGrad;
    return rowsOf(model, layer, head, query, model.mapReader(layer, input, query, {head, head + 1})->next(1)[0]);
}

std::vector<float> headRow(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer,
                           std::int64_t head, std::int64_t query)
{
    const HeadRows exact = exactRow(model, seen, layer, head, query);
    std::vector<float> row(static_cast<std::size_t>(exact.positions));
    std::ranges::copy(exact.weights, row.begin() + exact.firstKey);
    return row;
}

} // namespace lookback::analysis
