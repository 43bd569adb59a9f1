// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/kda_sublayer_torch.h"

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

KdaLayout layoutOf(const at::Tensor &x_BTD, const KdaForm &form, const at::Tensor &queries_BQ)
{
    return {x_BTD.size(0), x_BTD.size(1), x_BTD.size(2), queries_BQ.defined() ? queries_BQ.size(1) : x_BTD.size(1),
            form};
}

const std::int64_t *positionsOf(const at::Tensor &queries_BQ, std::int64_t sequence)
{
    return queries_BQ.defined() ? queries_BQ.const_data_ptr<std::int64_t>() + sequence * queries_BQ.size(1) : nullptr;
}

KdaKept keptOf(const KdaLayout &layout, const at::Tensor &joined, const at::Tensor &moments, std::int64_t sequence)
{
    return {joined.data_ptr<float>() + sequence * layout.joinedRows() * layout.strideJoined,
            reinterpret_cast<RowMoments *>(moments.data_ptr<float>()) + sequence * layout.tokens};
}

void forwardInto(const KdaLayout &layout, const at::Tensor &x, const at::Tensor &gain, const KdaWeights &weights,
                 const at::Tensor &queries, at::Tensor &y, const std::function<KdaKept(std::int64_t)> &keptOfSequence)
{
    const KdaOperands operands(weights);
    const KdaVectors vectors = operands.vectors(gain.const_data_ptr<float>());
    KdaForwardPanels panels(layout.precision);
    panels.joined.packTransposed(operands.joined.const_data_ptr<float>(), layout.width, layout.width, layout.joined);
    panels.decayUp.packTransposed(weights.decayUp.const_data_ptr<float>(), layout.rank, layout.rank, layout.inner);
    panels.output.packTransposed(weights.output.const_data_ptr<float>(), layout.inner, layout.inner, layout.width);
    forEachPart([&](std::int64_t part) {
        const PartRange range(layout.sequences, part);
        for (std::int64_t s = range.first; s < range.end; ++s)
            kdaForward(layout, x.const_data_ptr<float>() + s * layout.tokens * layout.width, vectors, panels,
                       positionsOf(queries, s), keptOfSequence(s),
                       y.mutable_data_ptr<float>() + s * layout.queries * layout.width);
    });
}

/// Inputs that no gradient belongs to.
struct KdaChoices {
    at::Tensor queries_BQ; ///< May be undefined.
    Precision precision = Precision::Float32;
};

class KdaSublayer : public torch::autograd::Function<KdaSublayer> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext *context, const at::Tensor &x, const at::Tensor &gain,
                              const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
                              const at::Tensor &convolution, const at::Tensor &decayDown, const at::Tensor &decayUp,
                              const at::Tensor &beta, const at::Tensor &gate, const at::Tensor &output,
                              const at::Tensor &normGain, const at::Tensor &logScale, const at::Tensor &bias,
                              const KdaChoices &choices)
    {
        const at::Tensor &queries = choices.queries_BQ;
        const KdaWeights weights{query, key,  value,  convolution, decayDown, decayUp,
                                 beta,  gate, output, normGain,    logScale,  bias};
        const KdaLayout layout = layoutOf(x, formOf(weights, choices.precision), queries);
        const at::Tensor joined = at::empty({layout.sequences * layout.joinedRows(), layout.strideJoined}, x.options());
        const at::Tensor moments = at::empty({layout.sequences * layout.tokens, 2}, x.options());
        at::Tensor y = at::empty({layout.sequences, layout.queries, layout.width}, x.options());
        forwardInto(layout, x, gain, weights, queries, y,
                    [&](std::int64_t s) { return keptOf(layout, joined, moments, s); });
        context->save_for_backward({x, gain, query, key, value, convolution, decayDown, decayUp, beta, gate, output,
                                    normGain, logScale, bias, queries, joined, moments});
        context->saved_data["isBfloat16"] = choices.precision == Precision::Bfloat16;
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                   const torch::autograd::variable_list &gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0];
        const at::Tensor &gain = saved[1];
        const KdaWeights weights{saved[2], saved[3], saved[4],  saved[5],  saved[6],  saved[7],
                                 saved[8], saved[9], saved[10], saved[11], saved[12], saved[13]};
        const at::Tensor &queries = saved[14];
        const Precision precision =
            context->saved_data["isBfloat16"].toBool() ? Precision::Bfloat16 : Precision::Float32;
        const KdaLayout layout = layoutOf(x, formOf(weights, precision), queries);
        const at::Tensor dY = gradients[0].contiguous();
        const KdaOperands operands(weights);
        const KdaVectors vectors = operands.vectors(gain.const_data_ptr<float>());
        KdaBackwardPanels panels(layout.precision);
        Panels forwardDecayUp(layout.precision);
        const float *decayUp = weights.decayUp.const_data_ptr<float>();
        panels.joined.pack(operands.joined.const_data_ptr<float>(), layout.width, layout.joined, layout.width);
        panels.decayUp.pack(decayUp, layout.rank, layout.inner, layout.rank);
        panels.output.pack(weights.output.const_data_ptr<float>(), layout.inner, layout.width, layout.inner);
        forwardDecayUp.packTransposed(decayUp, layout.rank, layout.rank, layout.inner);

        at::Tensor dX = at::empty_like(x);
        PartSums gainSums(layout.width);
        PartSums joinedSums(layout.joined * layout.width);
        PartSums tapSums(kKdaTaps * 3 * layout.inner);
        PartSums decayUpSums(layout.inner * layout.rank);
        PartSums outputSums(layout.width * layout.inner);
        PartSums normGainSums(layout.head);
        PartSums scaleSums(layout.heads);
        PartSums biasSums(layout.inner);
        forEachPart([&](std::int64_t part) {
            const KdaSums sums{gainSums.begin(part),    joinedSums.begin(part), tapSums.begin(part),
                               decayUpSums.begin(part), outputSums.begin(part), normGainSums.begin(part),
                               scaleSums.begin(part),   biasSums.begin(part)};
            const PartRange range(layout.sequences, part);
            for (std::int64_t s = range.first; s < range.end; ++s)
                kdaBackward(layout, x.const_data_ptr<float>() + s * layout.tokens * layout.width, vectors, panels,
                            forwardDecayUp, positionsOf(queries, s), keptOf(layout, saved[15], saved[16], s),
                            dY.const_data_ptr<float>() + s * layout.queries * layout.width,
                            dX.mutable_data_ptr<float>() + s * layout.tokens * layout.width, sums);
        });
        const auto reduced = [](const PartSums &sums, const at::Tensor &like) {
            at::Tensor gradient = at::empty_like(like);
            sums.reduce(gradient.mutable_data_ptr<float>());
            return gradient;
        };
        const at::Tensor dJoined = reduced(joinedSums, operands.joined);
        const auto rows = [&dJoined](std::int64_t first, std::int64_t count) {
            return dJoined.narrow(0, first, count);
        };
        const std::int64_t inner = layout.inner;
        return {dX,
                reduced(gainSums, gain),
                rows(0, inner),
                rows(inner, inner),
                rows(2 * inner, inner),
                reduced(tapSums, operands.taps).t().contiguous().view_as(weights.convolution),
                rows(layout.rankAt(), layout.rank),
                reduced(decayUpSums, weights.decayUp),
                rows(layout.betaAt(), layout.heads),
                rows(layout.gateAt(), inner),
                reduced(outputSums, weights.output),
                reduced(normGainSums, weights.normGain_C),
                reduced(scaleSums, weights.decayLogScale_H),
                reduced(biasSums, weights.decayBias_E),
                at::Tensor()};
    }
};

} // namespace

KdaForm formOf(const KdaWeights &weights, Precision precision)
{
    return {weights.decayLogScale_H.size(0), weights.normGain_C.size(0), weights.decayDown.size(0), precision};
}

KdaOperands::KdaOperands(const KdaWeights &weights)
    : joined(at::cat({weights.query.detach(), weights.key.detach(), weights.value.detach(), weights.gate.detach(),
                      weights.decayDown.detach(), weights.beta.detach()})),
      taps(weights.convolution.detach().squeeze(1).t().contiguous()), scales(weights.decayLogScale_H.detach().exp()),
      bias(weights.decayBias_E.detach().contiguous()), normGain(weights.normGain_C.detach().contiguous())
{
}

KdaVectors KdaOperands::vectors(const float *gain) const
{
    return {gain, taps.const_data_ptr<float>(), bias.const_data_ptr<float>(), scales.const_data_ptr<float>(),
            normGain.const_data_ptr<float>()};
}

at::Tensor kdaSublayer(const at::Tensor &x_BTD, const at::Tensor &gain_D, const KdaWeights &weights,
                       const at::Tensor &queries_BQ, Precision precision)
{
    const at::Tensor x = x_BTD.contiguous();
    const at::Tensor queries = queries_BQ.defined() ? queries_BQ.contiguous() : queries_BQ;
    if (at::GradMode::is_enabled()) {
        return KdaSublayer::apply(x, gain_D, weights.query, weights.key, weights.value, weights.convolution,
                                  weights.decayDown, weights.decayUp, weights.beta, weights.gate, weights.output,
                                  weights.normGain_C, weights.decayLogScale_H, weights.decayBias_E,
                                  KdaChoices{queries, precision});
    }
    const KdaLayout layout = layoutOf(x, formOf(weights, precision), queries);
    at::Tensor y = at::empty({layout.sequences, layout.queries, layout.width}, x.options());
    forwardInto(layout, x, gain_D, weights, queries, y, [&](std::int64_t) { return kdaKeptInScratch(layout); });
    return y;
}

} // namespace lookback::kernels::fused
