// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/attention_sublayer_torch.h"

#include <functional>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/kernels/fused/parts_torch.h"

namespace lookback::kernels::fused {

namespace {

AttentionLayout layoutOf(const at::Tensor &x_BTD, const at::Tensor &cos_TR, const at::Tensor &queries_BQ,
                         const AttentionForm &form)
{
    const std::int64_t tokens = x_BTD.size(1);
    return {x_BTD.size(0),
            tokens,
            x_BTD.size(2),
            queries_BQ.defined() ? queries_BQ.size(1) : tokens,
            cos_TR.defined() ? cos_TR.size(1) : 0,
            form};
}

Rotation rotationOf(const at::Tensor &cos_TR, const at::Tensor &sin_TR)
{
    if (!cos_TR.defined())
        return {};
    return {cos_TR.const_data_ptr<float>(), sin_TR.const_data_ptr<float>()};
}

/// The share of `sequence` in what a call keeps.
Kept keptOf(const AttentionLayout &layout, std::int64_t heads, const at::Tensor &query, const at::Tensor &keyValue,
            const at::Tensor &mixed, const at::Tensor &moments, const at::Tensor &scales, std::int64_t sequence)
{
    return {query.data_ptr<float>() + sequence * layout.queries * layout.strideQuery,
            keyValue.data_ptr<float>() + sequence * layout.tokens * layout.strideKeyValue,
            mixed.data_ptr<float>() + sequence * layout.queries * layout.strideQuery,
            reinterpret_cast<RowMoments *>(moments.data_ptr<float>()) + sequence * layout.tokens,
            reinterpret_cast<SoftmaxScale *>(scales.data_ptr<float>()) + sequence * heads * layout.queries};
}

void forwardInto(const AttentionLayout &layout, const AttentionForm &form, const at::Tensor &x,
                 const AttentionWeights &weights, const at::Tensor &cos, const at::Tensor &sin,
                 const at::Tensor &queries, at::Tensor &y,
                 const std::function<Kept(std::int64_t sequence)> &keptOfSequence)
{
    ForwardPanels panels(form.precision);
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
                            weights.gain_D.const_data_ptr<float>(), panels, rotationOf(cos, sin), own,
                            keptOfSequence(s), y.mutable_data_ptr<float>() + s * layout.queries * layout.width);
        }
    });
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
        const AttentionLayout layout = layoutOf(x, cos, queries, form);
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
        data["isBfloat16"] = form.precision == Precision::Bfloat16;
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                   const torch::autograd::variable_list &gradients)
    {
        const auto saved = context->get_saved_variables();
        auto &data = context->saved_data;
        const AttentionForm form{data["heads"].toInt(),
                                 data["groups"].toInt(),
                                 data["headWidth"].toInt(),
                                 data["window"].toInt(),
                                 data["isSquared"].toBool(),
                                 data["queryScale"].toDouble(),
                                 data["isBfloat16"].toBool() ? Precision::Bfloat16 : Precision::Float32};
        const at::Tensor &x = saved[0];
        const at::Tensor &gain = saved[1];
        const at::Tensor &cos = saved[6];
        const at::Tensor &queries = saved[8];
        const AttentionLayout layout = layoutOf(x, cos, queries, form);
        const at::Tensor dY = gradients[0].contiguous();
        BackwardPanels panels(form.precision);
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
            const AttentionSums sums{gainSums.begin(part), querySums.begin(part), keyValueSums.begin(part),
                                     outputSums.begin(part)};
            const PartRange range(layout.sequences, part);
            for (std::int64_t s = range.first; s < range.end; ++s) {
                const Queries own{queries.defined() ? queries.const_data_ptr<std::int64_t>() + s * layout.queries
                                                    : nullptr};
                backwardSequence(layout, form, x.const_data_ptr<float>() + s * layout.tokens * layout.width,
                                 gain.const_data_ptr<float>(), panels, rotationOf(cos, saved[7]), own,
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
    const AttentionLayout layout = layoutOf(x, cos, queries, form);
    at::Tensor y = at::empty({layout.sequences, layout.queries, layout.width}, x.options());
    forwardInto(layout, form, x, weights, cos, sin, queries, y,
                [&](std::int64_t) { return keptInScratch(layout, form.heads); });
    return y;
}

} // namespace lookback::kernels::fused
