// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/feed_forward_torch.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/kernels/fused/parts_torch.h"

namespace lookback::kernels::fused {

namespace {

// Rows that go through all operations together: gate, up and hidden values of a tile stay in the second-level cache.
constexpr std::int64_t kTileRows = 96;

/// Buffers of one thread, kept between calls.
struct Scratch {
    AlignedFloats normed;
    AlignedFloats gate;
    AlignedFloats up;
    AlignedFloats hidden;
    AlignedFloats dHidden;
    AlignedFloats dNormed;
    std::vector<RowMoments> moments;
};
thread_local Scratch scratch;

struct Sizes {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t hidden = 0;
};

Sizes sizesOf(const at::Tensor &x, const at::Tensor &gate)
{
    return {x.numel() / x.size(-1), x.size(-1), gate.size(0)};
}

/// gates and ups [rows, hidden] and moments are kept if they are given.
void forwardInto(const Sizes &sizes, const float *x, const float *gain, const at::Tensor &gate, const at::Tensor &up,
                 const at::Tensor &down, Precision precision, float *y, float *gates, float *ups, RowMoments *moments)
{
    const std::int64_t width = sizes.width;
    const std::int64_t hidden = sizes.hidden;
    Panels gatePanels(precision);
    Panels upPanels(precision);
    Panels downPanels(precision);
    gatePanels.packTransposed(gate.const_data_ptr<float>(), width, width, hidden);
    upPanels.packTransposed(up.const_data_ptr<float>(), width, width, hidden);
    downPanels.packTransposed(down.const_data_ptr<float>(), hidden, hidden, width);
    const std::int64_t strideNormed = rowStride(width);
    const std::int64_t strideHidden = rowStride(hidden);
    forEachPart([&](std::int64_t part) {
        const PartRange range(sizes.rows, part);
        Scratch &own = scratch;
        own.normed.require(static_cast<std::size_t>(kTileRows * strideNormed));
        own.hidden.require(static_cast<std::size_t>(kTileRows * strideHidden));
        if (!gates) {
            own.gate.require(static_cast<std::size_t>(kTileRows * hidden));
            own.up.require(static_cast<std::size_t>(kTileRows * hidden));
            own.moments.resize(kTileRows);
        }
        for (std::int64_t row = range.first; row < range.end; row += kTileRows) {
            const std::int64_t rows = std::min(kTileRows, range.end - row);
            const float *tileX = x + row * width;
            float *tileY = y + row * width;
            float *tileGate = gates ? gates + row * hidden : own.gate.data();
            float *tileUp = ups ? ups + row * hidden : own.up.data();
            layerNorm(rows, width, tileX, width, gain, own.normed.data(), strideNormed,
                      moments ? moments + row : own.moments.data());
            multiply(rows, own.normed.data(), strideNormed, gatePanels, tileGate, hidden, false);
            multiply(rows, own.normed.data(), strideNormed, upPanels, tileUp, hidden, false);
            swiglu(rows, hidden, tileGate, tileUp, hidden, own.hidden.data(), strideHidden);
            std::copy_n(tileX, rows * width, tileY);
            multiply(rows, own.hidden.data(), strideHidden, downPanels, tileY, width, true);
        }
    });
}

class FeedForward : public torch::autograd::Function<FeedForward> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext *context, const at::Tensor &x, const at::Tensor &gain,
                              const at::Tensor &gate, const at::Tensor &up, const at::Tensor &down, Precision precision)
    {
        const Sizes sizes = sizesOf(x, gate);
        at::Tensor y = at::empty_like(x);
        const at::Tensor gates = at::empty({sizes.rows, sizes.hidden}, x.options());
        const at::Tensor ups = at::empty_like(gates);
        const at::Tensor moments = at::empty({sizes.rows, 2}, x.options());
        forwardInto(sizes, x.const_data_ptr<float>(), gain.const_data_ptr<float>(), gate, up, down, precision,
                    y.mutable_data_ptr<float>(), gates.mutable_data_ptr<float>(), ups.mutable_data_ptr<float>(),
                    reinterpret_cast<RowMoments *>(moments.mutable_data_ptr<float>()));
        context->save_for_backward({x, gain, gate, up, down, gates, ups, moments});
        context->saved_data["isBfloat16"] = precision == Precision::Bfloat16;
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                   const torch::autograd::variable_list &gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0];
        const at::Tensor &gain = saved[1];
        const at::Tensor dY = gradients[0].contiguous();
        const Sizes sizes = sizesOf(x, saved[2]);
        const std::int64_t width = sizes.width;
        const std::int64_t hidden = sizes.hidden;
        const auto *moments = reinterpret_cast<const RowMoments *>(saved[7].const_data_ptr<float>());
        const Precision precision =
            context->saved_data["isBfloat16"].toBool() ? Precision::Bfloat16 : Precision::Float32;
        Panels gate(precision);
        Panels up(precision);
        Panels down(precision);
        gate.pack(saved[2].const_data_ptr<float>(), width, hidden, width);
        up.pack(saved[3].const_data_ptr<float>(), width, hidden, width);
        down.pack(saved[4].const_data_ptr<float>(), hidden, width, hidden);

        at::Tensor dX = at::empty_like(x);
        PartSums gainSums(width);
        PartSums gateSums(hidden * width);
        PartSums upSums(hidden * width);
        PartSums downSums(width * hidden);
        const std::int64_t strideNormed = rowStride(width);
        const std::int64_t strideHidden = rowStride(hidden);
        forEachPart([&](std::int64_t part) {
            const PartRange range(sizes.rows, part);
            float *dGain = gainSums.begin(part);
            float *dGate = gateSums.begin(part);
            float *dUp = upSums.begin(part);
            float *dDown = downSums.begin(part);
            Scratch &own = scratch;
            for (AlignedFloats *floats : {&own.normed, &own.dNormed})
                floats->require(static_cast<std::size_t>(kTileRows * strideNormed));
            for (AlignedFloats *floats : {&own.hidden, &own.dHidden, &own.gate, &own.up})
                floats->require(static_cast<std::size_t>(kTileRows * strideHidden));
            for (std::int64_t row = range.first; row < range.end; row += kTileRows) {
                const std::int64_t rows = std::min(kTileRows, range.end - row);
                const float *tileX = x.const_data_ptr<float>() + row * width;
                const float *tileDY = dY.const_data_ptr<float>() + row * width;
                float *tileDX = dX.mutable_data_ptr<float>() + row * width;
                multiply(rows, tileDY, width, down, own.dHidden.data(), strideHidden, false);
                swigluBackward(rows, hidden, saved[5].const_data_ptr<float>() + row * hidden,
                               saved[6].const_data_ptr<float>() + row * hidden, hidden, own.dHidden.data(),
                               own.hidden.data(), own.gate.data(), own.up.data(), strideHidden);
                layerNormAgain(rows, width, tileX, width, gain.const_data_ptr<float>(), moments + row,
                               own.normed.data(), strideNormed);
                multiply(rows, own.gate.data(), strideHidden, gate, own.dNormed.data(), strideNormed, false);
                multiply(rows, own.up.data(), strideHidden, up, own.dNormed.data(), strideNormed, true);
                multiplyTransposed(width, hidden, rows, tileDY, width, own.hidden.data(), strideHidden, dDown, hidden,
                                   true, precision);
                multiplyTransposed(hidden, width, rows, own.gate.data(), strideHidden, own.normed.data(), strideNormed,
                                   dGate, width, true, precision);
                multiplyTransposed(hidden, width, rows, own.up.data(), strideHidden, own.normed.data(), strideNormed,
                                   dUp, width, true, precision);
                std::copy_n(tileDY, rows * width, tileDX);
                layerNormBackward(rows, width, tileX, width, gain.const_data_ptr<float>(), moments + row,
                                  own.dNormed.data(), strideNormed, tileDX, width, dGain);
            }
        });
        torch::autograd::variable_list result{dX};
        const PartSums *sums[] = {&gainSums, &gateSums, &upSums, &downSums};
        for (std::size_t i = 0; i < 4; ++i) {
            at::Tensor gradient = at::empty_like(saved[i + 1]);
            sums[i]->reduce(gradient.mutable_data_ptr<float>());
            result.push_back(gradient);
        }
        result.push_back(at::Tensor()); // of the precision
        return result;
    }
};

} // namespace

at::Tensor feedForward(const at::Tensor &x, const at::Tensor &gain_D, const at::Tensor &gate_FD,
                       const at::Tensor &up_FD, const at::Tensor &down_DF, Precision precision)
{
    if (at::GradMode::is_enabled())
        return FeedForward::apply(x.contiguous(), gain_D, gate_FD, up_FD, down_DF, precision);
    const at::Tensor contiguous = x.contiguous();
    at::Tensor y = at::empty_like(contiguous);
    forwardInto(sizesOf(contiguous, gate_FD), contiguous.const_data_ptr<float>(), gain_D.const_data_ptr<float>(),
                gate_FD, up_FD, down_DF, precision, y.mutable_data_ptr<float>(), nullptr, nullptr, nullptr);
    return y;
}

} // namespace lookback::kernels::fused
