// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/attention_sublayer_torch.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/kernels/fused/parts_torch.h"

namespace lookback::kernels::fused {

namespace {

// Queries whose scores are in work together: few, so that little of the masked triangle is computed.
constexpr std::int64_t kBlockRows = 32;
// Readers of a head take whole panels of columns, the last head included.
constexpr std::int64_t kMostPanel = 64;

std::size_t floats(std::int64_t rows, std::int64_t stride)
{
    return static_cast<std::size_t>(rows * stride);
}

/// Sizes and strides of one call.
struct Layout {
    Layout(const at::Tensor &x_BTD, const at::Tensor &cos_TR, const at::Tensor &queries_BQ, const AttentionForm &form)
        : sequences(x_BTD.size(0)), tokens(x_BTD.size(1)), width(x_BTD.size(2)),
          queries(queries_BQ.defined() ? queries_BQ.size(1) : tokens), half(cos_TR.defined() ? cos_TR.size(1) : 0),
          head(form.headWidth), joined(form.heads * head), grouped(form.groups * head), strideNormed(rowStride(width)),
          strideQuery(rowStride(joined + kMostPanel)), strideKeyValue(rowStride(2 * grouped + kMostPanel)),
          strideScores(rowStride(tokens + 16))
    {
    }
    std::int64_t sequences;
    std::int64_t tokens;
    std::int64_t width;
    std::int64_t queries;
    std::int64_t half;
    std::int64_t head;
    std::int64_t joined; ///< Query heads side by side.
    std::int64_t grouped; ///< Key heads side by side; value heads follow them.
    std::int64_t strideNormed;
    std::int64_t strideQuery; ///< Of queries, outputs before the projection, and their gradients.
    std::int64_t strideKeyValue;
    std::int64_t strideScores; ///< Of scores, and of keys and values with tokens as columns.
};

/// Buffers of one thread, kept between calls.
struct Scratch {
    AlignedFloats normed;
    AlignedFloats chosen; ///< Normed rows of the queries.
    AlignedFloats query;
    AlignedFloats keyValue;
    AlignedFloats mixed;
    AlignedFloats dMixed;
    AlignedFloats dQuery;
    AlignedFloats dKeyValue;
    AlignedFloats dNormed;
    AlignedFloats dChosen;
    AlignedFloats keyColumns;
    AlignedFloats valueColumns;
    AlignedFloats scores;
    AlignedFloats dScores;
    std::vector<RowMoments> moments;
    std::vector<SoftmaxScale> scales;
};
thread_local Scratch scratch;

/// Where the queries of one sequence stand: 0, 1, 2, ... if `positions` is null.
struct Queries {
    const std::int64_t *positions = nullptr;
    std::int64_t at(std::int64_t query) const { return positions ? positions[query] : query; }
};

/// Queries first..first+rows-1, and the keys from `begin` to `end` that one of them sees.
struct Block {
    std::int64_t first = 0;
    std::int64_t rows = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    VisibleKeys visible[kBlockRows];
    std::int64_t keys() const { return end - begin; }
};

Block blockAt(std::int64_t first, const Layout &layout, std::int64_t window, const Queries &queries)
{
    Block block;
    block.first = first;
    block.rows = std::min(kBlockRows, layout.queries - first);
    block.begin = layout.tokens;
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const std::int64_t position = queries.at(first + r);
        const std::int64_t begin = window > 0 ? std::max<std::int64_t>(0, position - window + 1) : 0;
        block.visible[r] = {begin, position + 1};
        block.begin = std::min(block.begin, begin);
        block.end = std::max(block.end, position + 1);
    }
    for (std::int64_t r = 0; r < block.rows; ++r) {
        block.visible[r].begin -= block.begin;
        block.visible[r].end -= block.begin;
    }
    return block;
}

void rotate(const Layout &layout, std::int64_t rows, std::int64_t heads, float *x, std::int64_t stride,
            const at::Tensor &cos, const at::Tensor &sin, const Queries &positions, float sign)
{
    if (layout.half == 0)
        return;
    const float *cosines = cos.const_data_ptr<float>();
    const float *sines = sin.const_data_ptr<float>();
    if (!positions.positions) {
        rotateHeads(rows, heads, layout.head, layout.half, x, stride, cosines, sines, layout.half, sign);
        return;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t at = positions.at(r) * layout.half;
        rotateHeads(1, heads, layout.head, layout.half, x + r * stride, stride, cosines + at, sines + at, layout.half,
                    sign);
    }
}

/// What a call keeps for the backward pass, one block of floats a sequence; null pointers: nothing is kept.
struct Kept {
    float *query = nullptr;
    float *keyValue = nullptr;
    float *mixed = nullptr;
    RowMoments *moments = nullptr;
    SoftmaxScale *scales = nullptr; ///< [H, Q] of a sequence.
};

Kept keptOf(const Layout &layout, std::int64_t heads, const at::Tensor &query, const at::Tensor &keyValue,
            const at::Tensor &mixed, const at::Tensor &moments, const at::Tensor &scales, std::int64_t sequence)
{
    return {query.data_ptr<float>() + sequence * layout.queries * layout.strideQuery,
            keyValue.data_ptr<float>() + sequence * layout.tokens * layout.strideKeyValue,
            mixed.data_ptr<float>() + sequence * layout.queries * layout.strideQuery,
            reinterpret_cast<RowMoments *>(moments.data_ptr<float>()) + sequence * layout.tokens,
            reinterpret_cast<SoftmaxScale *>(scales.data_ptr<float>()) + sequence * heads * layout.queries};
}

const float *gathered(const Layout &layout, const float *rows, std::int64_t stride, const Queries &queries,
                      AlignedFloats &to)
{
    if (!queries.positions)
        return rows;
    to.require(floats(layout.queries, stride));
    for (std::int64_t q = 0; q < layout.queries; ++q)
        std::copy_n(rows + queries.at(q) * stride, layout.width, to.data() + q * stride);
    return to.data();
}

struct ForwardPanels {
    Panels query;
    Panels keyValue;
    Panels output;
};

void forwardSequence(const Layout &layout, const AttentionForm &form, const float *x, const float *gain,
                     const ForwardPanels &panels, const at::Tensor &cos, const at::Tensor &sin, const Queries &queries,
                     const Kept &kept, float *y)
{
    Scratch &own = scratch;
    own.normed.require(floats(layout.tokens, layout.strideNormed));
    own.keyColumns.require(floats(layout.head, layout.strideScores));
    own.scores.require(floats(kBlockRows, layout.strideScores));
    layerNorm(layout.tokens, layout.width, x, layout.width, gain, own.normed.data(), layout.strideNormed, kept.moments);
    const float *chosen = gathered(layout, own.normed.data(), layout.strideNormed, queries, own.chosen);
    multiply(layout.queries, chosen, layout.strideNormed, panels.query, kept.query, layout.strideQuery, false);
    multiply(layout.tokens, own.normed.data(), layout.strideNormed, panels.keyValue, kept.keyValue,
             layout.strideKeyValue, false);
    rotate(layout, layout.queries, form.heads, kept.query, layout.strideQuery, cos, sin, queries, 1.0F);
    rotate(layout, layout.tokens, form.groups, kept.keyValue, layout.strideKeyValue, cos, sin, {}, 1.0F);

    const std::int64_t perGroup = form.heads / form.groups;
    for (std::int64_t group = 0; group < form.groups; ++group) {
        transpose(layout.tokens, layout.head, kept.keyValue + group * layout.head, layout.strideKeyValue,
                  own.keyColumns.data(), layout.strideScores);
        const float *value = kept.keyValue + layout.grouped + group * layout.head;
        for (std::int64_t first = 0; first < layout.queries; first += kBlockRows) {
            const Block block = blockAt(first, layout, form.window, queries);
            for (std::int64_t head = group * perGroup; head < (group + 1) * perGroup; ++head) {
                const std::int64_t at = first * layout.strideQuery + head * layout.head;
                multiplyRows(block.rows, block.keys(), layout.head, kept.query + at, layout.strideQuery,
                             own.keyColumns.data() + block.begin, layout.strideScores, own.scores.data(),
                             layout.strideScores, false);
                softmaxRows(block.rows, block.keys(), own.scores.data(), layout.strideScores, block.visible,
                            form.isSquared, kept.scales + head * layout.queries + first);
                multiplyRows(block.rows, layout.head, block.keys(), own.scores.data(), layout.strideScores,
                             value + block.begin * layout.strideKeyValue, layout.strideKeyValue, kept.mixed + at,
                             layout.strideQuery, false);
            }
        }
    }
    for (std::int64_t q = 0; q < layout.queries; ++q)
        std::copy_n(x + queries.at(q) * layout.width, layout.width, y + q * layout.width);
    multiply(layout.queries, kept.mixed, layout.strideQuery, panels.output, y, layout.width, true);
}

void forwardInto(const Layout &layout, const AttentionForm &form, const at::Tensor &x, const AttentionWeights &weights,
                 const at::Tensor &cos, const at::Tensor &sin, const at::Tensor &queries, at::Tensor &y,
                 const std::function<Kept(std::int64_t sequence)> &keptOfSequence)
{
    ForwardPanels panels;
    const at::Tensor scaled = weights.query.detach() * form.queryScale;
    const at::Tensor keyValue = at::cat({weights.key.detach(), weights.value.detach()});
    panels.query.packTransposed(scaled.const_data_ptr<float>(), layout.width, layout.width, layout.joined);
    panels.keyValue.packTransposed(keyValue.const_data_ptr<float>(), layout.width, layout.width, 2 * layout.grouped);
    panels.output.packTransposed(weights.output.const_data_ptr<float>(), layout.joined, layout.joined, layout.width);
    forEachPart([&](std::int64_t part) {
        const PartRange range(layout.sequences, part);
        for (std::int64_t s = range.first; s < range.end; ++s) {
            const Queries own{queries.defined() ? queries.const_data_ptr<std::int64_t>() + s * layout.queries
                                                : nullptr};
            forwardSequence(layout, form, x.const_data_ptr<float>() + s * layout.tokens * layout.width,
                            weights.gain_D.const_data_ptr<float>(), panels, cos, sin, own, keptOfSequence(s),
                            y.mutable_data_ptr<float>() + s * layout.queries * layout.width);
        }
    });
}

struct BackwardPanels {
    Panels query;
    Panels keyValue;
    Panels output;
};

/// Sums of one part.
struct Gradients {
    float *gain = nullptr;
    float *query = nullptr;
    float *keyValue = nullptr;
    float *output = nullptr;
};

/// dQuery and dKeyValue of one sequence, rotated back.
void scoresBackward(const Layout &layout, const AttentionForm &form, const Kept &kept, const at::Tensor &cos,
                    const at::Tensor &sin, const Queries &queries)
{
    Scratch &own = scratch;
    own.dQuery.require(floats(layout.queries, layout.strideQuery));
    own.dKeyValue.require(floats(layout.tokens, layout.strideKeyValue));
    own.keyColumns.require(floats(layout.head, layout.strideScores));
    own.valueColumns.require(floats(layout.head, layout.strideScores));
    own.scores.require(floats(kBlockRows, layout.strideScores));
    own.dScores.require(floats(kBlockRows, layout.strideScores));
    for (std::int64_t t = 0; t < layout.tokens; ++t)
        std::fill_n(own.dKeyValue.data() + t * layout.strideKeyValue, 2 * layout.grouped, 0.0F);
    const std::int64_t perGroup = form.heads / form.groups;
    for (std::int64_t group = 0; group < form.groups; ++group) {
        const float *key = kept.keyValue + group * layout.head;
        const float *value = key + layout.grouped;
        transpose(layout.tokens, layout.head, key, layout.strideKeyValue, own.keyColumns.data(), layout.strideScores);
        transpose(layout.tokens, layout.head, value, layout.strideKeyValue, own.valueColumns.data(),
                  layout.strideScores);
        for (std::int64_t first = 0; first < layout.queries; first += kBlockRows) {
            const Block block = blockAt(first, layout, form.window, queries);
            float *dKey = own.dKeyValue.data() + block.begin * layout.strideKeyValue + group * layout.head;
            for (std::int64_t head = group * perGroup; head < (group + 1) * perGroup; ++head) {
                const std::int64_t at = first * layout.strideQuery + head * layout.head;
                multiplyRows(block.rows, block.keys(), layout.head, kept.query + at, layout.strideQuery,
                             own.keyColumns.data() + block.begin, layout.strideScores, own.scores.data(),
                             layout.strideScores, false);
                multiplyRows(block.rows, block.keys(), layout.head, own.dMixed.data() + at, layout.strideQuery,
                             own.valueColumns.data() + block.begin, layout.strideScores, own.dScores.data(),
                             layout.strideScores, false);
                softmaxRowsBackward(block.rows, block.keys(), own.scores.data(), own.dScores.data(),
                                    layout.strideScores, block.visible, form.isSquared,
                                    kept.scales + head * layout.queries + first);
                multiplyTransposed(block.keys(), layout.head, block.rows, own.scores.data(), layout.strideScores,
                                   own.dMixed.data() + at, layout.strideQuery, dKey + layout.grouped,
                                   layout.strideKeyValue, true);
                multiplyTransposed(block.keys(), layout.head, block.rows, own.dScores.data(), layout.strideScores,
                                   kept.query + at, layout.strideQuery, dKey, layout.strideKeyValue, true);
                multiplyRows(block.rows, layout.head, block.keys(), own.dScores.data(), layout.strideScores,
                             key + block.begin * layout.strideKeyValue, layout.strideKeyValue, own.dQuery.data() + at,
                             layout.strideQuery, false);
            }
        }
    }
    rotate(layout, layout.queries, form.heads, own.dQuery.data(), layout.strideQuery, cos, sin, queries, -1.0F);
    rotate(layout, layout.tokens, form.groups, own.dKeyValue.data(), layout.strideKeyValue, cos, sin, {}, -1.0F);
}

void backwardSequence(const Layout &layout, const AttentionForm &form, const float *x, const float *gain,
                      const BackwardPanels &panels, const at::Tensor &cos, const at::Tensor &sin,
                      const Queries &queries, const Kept &kept, const float *dY, float *dX, const Gradients &sums)
{
    Scratch &own = scratch;
    own.dMixed.require(floats(layout.queries, layout.strideQuery));
    own.normed.require(floats(layout.tokens, layout.strideNormed));
    own.dNormed.require(floats(layout.tokens, layout.strideNormed));
    multiply(layout.queries, dY, layout.width, panels.output, own.dMixed.data(), layout.strideQuery, false);
    multiplyTransposed(layout.width, layout.joined, layout.queries, dY, layout.width, kept.mixed, layout.strideQuery,
                       sums.output, layout.joined, true);
    scoresBackward(layout, form, kept, cos, sin, queries);

    layerNormAgain(layout.tokens, layout.width, x, layout.width, gain, kept.moments, own.normed.data(),
                   layout.strideNormed);
    const float *chosen = gathered(layout, own.normed.data(), layout.strideNormed, queries, own.chosen);
    multiplyTransposed(layout.joined, layout.width, layout.queries, own.dQuery.data(), layout.strideQuery, chosen,
                       layout.strideNormed, sums.query, layout.width, true);
    multiplyTransposed(2 * layout.grouped, layout.width, layout.tokens, own.dKeyValue.data(), layout.strideKeyValue,
                       own.normed.data(), layout.strideNormed, sums.keyValue, layout.width, true);
    multiply(layout.tokens, own.dKeyValue.data(), layout.strideKeyValue, panels.keyValue, own.dNormed.data(),
             layout.strideNormed, false);
    if (!queries.positions) {
        multiply(layout.queries, own.dQuery.data(), layout.strideQuery, panels.query, own.dNormed.data(),
                 layout.strideNormed, true);
        std::copy_n(dY, layout.tokens * layout.width, dX);
    } else {
        own.dChosen.require(floats(layout.queries, layout.strideNormed));
        multiply(layout.queries, own.dQuery.data(), layout.strideQuery, panels.query, own.dChosen.data(),
                 layout.strideNormed, false);
        std::fill_n(dX, layout.tokens * layout.width, 0.0F);
        for (std::int64_t q = 0; q < layout.queries; ++q) {
            const std::int64_t at = queries.at(q);
            addScaled(layout.width, own.dNormed.data() + at * layout.strideNormed,
                      own.dChosen.data() + q * layout.strideNormed, 1.0F);
            addScaled(layout.width, dX + at * layout.width, dY + q * layout.width, 1.0F);
        }
    }
    layerNormBackward(layout.tokens, layout.width, x, layout.width, gain, kept.moments, own.dNormed.data(),
                      layout.strideNormed, dX, layout.width, sums.gain);
}

/// Inputs that no gradient belongs to; each may be undefined.
struct Positions {
    at::Tensor cos;
    at::Tensor sin;
    at::Tensor queries;
};

class AttentionSublayer : public torch::autograd::Function<AttentionSublayer> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext *context, const at::Tensor &x, const at::Tensor &gain,
                              const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
                              const at::Tensor &output, const Positions &positions, const AttentionForm &form)
    {
        const auto &[cos, sin, queries] = positions;
        const Layout layout(x, cos, queries, form);
        const at::Tensor keptQuery = at::empty({layout.sequences * layout.queries, layout.strideQuery}, x.options());
        const at::Tensor keptKeyValue =
            at::empty({layout.sequences * layout.tokens, layout.strideKeyValue}, x.options());
        const at::Tensor keptMixed = at::empty_like(keptQuery);
        const at::Tensor moments = at::empty({layout.sequences * layout.tokens, 2}, x.options());
        const at::Tensor scales = at::empty({layout.sequences, form.heads, layout.queries, 2}, x.options());
        at::Tensor y = at::empty({layout.sequences, layout.queries, layout.width}, x.options());
        forwardInto(layout, form, x, {gain, query, key, value, output}, cos, sin, queries, y, [&](std::int64_t s) {
            return keptOf(layout, form.heads, keptQuery, keptKeyValue, keptMixed, moments, scales, s);
        });
        context->save_for_backward({x, gain, query, key, value, output, cos, sin, queries, keptQuery, keptKeyValue,
                                    keptMixed, moments, scales});
        auto &data = context->saved_data;
        data["heads"] = form.heads;
        data["groups"] = form.groups;
        data["headWidth"] = form.headWidth;
        data["window"] = form.window;
        data["isSquared"] = form.isSquared;
        data["queryScale"] = form.queryScale;
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                   const torch::autograd::variable_list &gradients)
    {
        const auto saved = context->get_saved_variables();
        auto &data = context->saved_data;
        const AttentionForm form{data["heads"].toInt(),  data["groups"].toInt(),     data["headWidth"].toInt(),
                                 data["window"].toInt(), data["isSquared"].toBool(), data["queryScale"].toDouble()};
        const at::Tensor &x = saved[0];
        const at::Tensor &gain = saved[1];
        const at::Tensor &cos = saved[6];
        const at::Tensor &queries = saved[8];
        const Layout layout(x, cos, queries, form);
        const at::Tensor dY = gradients[0].contiguous();
        BackwardPanels panels;
        const at::Tensor scaled = saved[2].detach() * form.queryScale;
        const at::Tensor keyValue = at::cat({saved[3].detach(), saved[4].detach()});
        panels.query.pack(scaled.const_data_ptr<float>(), layout.width, layout.joined, layout.width);
        panels.keyValue.pack(keyValue.const_data_ptr<float>(), layout.width, 2 * layout.grouped, layout.width);
        panels.output.pack(saved[5].const_data_ptr<float>(), layout.joined, layout.width, layout.joined);

        at::Tensor dX = at::empty_like(x);
        PartSums gainSums(layout.width);
        PartSums querySums(layout.joined * layout.width);
        PartSums keyValueSums(2 * layout.grouped * layout.width);
        PartSums outputSums(layout.width * layout.joined);
        forEachPart([&](std::int64_t part) {
            const Gradients sums{gainSums.begin(part), querySums.begin(part), keyValueSums.begin(part),
                                 outputSums.begin(part)};
            const PartRange range(layout.sequences, part);
            for (std::int64_t s = range.first; s < range.end; ++s) {
                const Queries own{queries.defined() ? queries.const_data_ptr<std::int64_t>() + s * layout.queries
                                                    : nullptr};
                backwardSequence(layout, form, x.const_data_ptr<float>() + s * layout.tokens * layout.width,
                                 gain.const_data_ptr<float>(), panels, cos, saved[7], own,
                                 keptOf(layout, form.heads, saved[9], saved[10], saved[11], saved[12], saved[13], s),
                                 dY.const_data_ptr<float>() + s * layout.queries * layout.width,
                                 dX.mutable_data_ptr<float>() + s * layout.tokens * layout.width, sums);
            }
        });
        const auto reduced = [](const PartSums &sums, const at::Tensor &like, double factor) {
            at::Tensor gradient = at::empty_like(like);
            sums.reduce(gradient.mutable_data_ptr<float>(), static_cast<float>(factor));
            return gradient;
        };
        const at::Tensor dKeyValue = reduced(keyValueSums, keyValue, 1.0);
        return {dX,
                reduced(gainSums, gain, 1.0),
                reduced(querySums, saved[2], form.queryScale),
                dKeyValue.narrow(0, 0, layout.grouped),
                dKeyValue.narrow(0, layout.grouped, layout.grouped),
                reduced(outputSums, saved[5], 1.0),
                at::Tensor(),
                at::Tensor()};
    }
};

} // namespace

at::Tensor attentionSublayer(const at::Tensor &x_BTD, const AttentionWeights &weights, const at::Tensor &cos_TR,
                             const at::Tensor &sin_TR, const at::Tensor &queries_BQ, const AttentionForm &form)
{
    const at::Tensor x = x_BTD.contiguous();
    const at::Tensor queries = queries_BQ.defined() ? queries_BQ.contiguous() : queries_BQ;
    const at::Tensor cos = cos_TR.defined() ? cos_TR.contiguous() : cos_TR;
    const at::Tensor sin = sin_TR.defined() ? sin_TR.contiguous() : sin_TR;
    if (at::GradMode::is_enabled())
        return AttentionSublayer::apply(x, weights.gain_D, weights.query, weights.key, weights.value, weights.output,
                                        Positions{cos, sin, queries}, form);
    const Layout layout(x, cos, queries, form);
    at::Tensor y = at::empty({layout.sequences, layout.queries, layout.width}, x.options());
    forwardInto(layout, form, x, weights, cos, sin, queries, y, [&](std::int64_t) {
        Scratch &own = scratch;
        own.query.require(floats(layout.queries, layout.strideQuery));
        own.mixed.require(floats(layout.queries, layout.strideQuery));
        own.keyValue.require(floats(layout.tokens, layout.strideKeyValue));
        own.moments.resize(static_cast<std::size_t>(layout.tokens));
        own.scales.resize(static_cast<std::size_t>(form.heads * layout.queries));
        return Kept{own.query.data(), own.keyValue.data(), own.mixed.data(), own.moments.data(), own.scales.data()};
    });
    return y;
}

} // namespace lookback::kernels::fused
