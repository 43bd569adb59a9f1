// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/row_kernels.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fused/row_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/kernels/fused/vector_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lookback::kernels::fused::HWY_NAMESPACE {

constexpr float kEps = 1e-5F;

void layerNormAgain(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
                    const RowMoments *moments, float *normed, std::int64_t strideNormed)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const V mean = all(moments[r].mean);
        const V inverse = all(moments[r].inverseDeviation);
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const V centred = hn::Mul(hn::Sub(load(x + r * strideX + i, width - i), mean), inverse);
            store(hn::Mul(centred, load(gain + i, width - i)), normed + r * strideNormed + i, width - i);
        }
    }
}

void layerNorm(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
               float *normed, std::int64_t strideNormed, RowMoments *moments)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *row = x + r * strideX;
        V sum = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < width; i += kLanes)
            sum = hn::Add(sum, load(row + i, width - i));
        const float mean = sumOf(sum) / static_cast<float>(width);
        V squares = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < width; i += kLanes) {
            V centred = hn::Sub(load(row + i, width - i), all(mean));
            if (width - i < kLanes)
                centred = hn::IfThenElseZero(hn::FirstN(kFloats, static_cast<std::size_t>(width - i)), centred);
            squares = hn::MulAdd(centred, centred, squares);
        }
        moments[r] = {mean, 1.0F / std::sqrt(sumOf(squares) / static_cast<float>(width) + kEps)};
    }
    HWY_NAMESPACE::layerNormAgain(rows, width, x, strideX, gain, moments, normed, strideNormed);
}

void layerNormBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
                       const RowMoments *moments, const float *dNormed, std::int64_t strideDNormed, float *dX,
                       std::int64_t strideDX, float *dGain)
{
    const float share = 1.0F / static_cast<float>(width);
    for (std::int64_t r = 0; r < rows; ++r) {
        const V mean = all(moments[r].mean);
        const V inverse = all(moments[r].inverseDeviation);
        V sum = hn::Zero(kFloats);
        V dot = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const std::int64_t count = width - i;
            const V centred = hn::Mul(hn::Sub(load(x + r * strideX + i, count), mean), inverse);
            const V d = load(dNormed + r * strideDNormed + i, count);
            store(hn::MulAdd(d, centred, load(dGain + i, count)), dGain + i, count);
            const V dCentred = hn::Mul(d, load(gain + i, count)); // 0 beyond the row
            sum = hn::Add(sum, dCentred);
            dot = hn::MulAdd(dCentred, centred, dot);
        }
        const V meanOfD = all(sumOf(sum) * share);
        const V meanOfDot = all(sumOf(dot) * share);
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const std::int64_t count = width - i;
            const V centred = hn::Mul(hn::Sub(load(x + r * strideX + i, count), mean), inverse);
            const V dCentred = hn::Mul(load(dNormed + r * strideDNormed + i, count), load(gain + i, count));
            const V change = hn::NegMulAdd(centred, meanOfDot, hn::Sub(dCentred, meanOfD));
            float *to = dX + r * strideDX + i;
            store(hn::MulAdd(inverse, change, load(to, count)), to, count);
        }
    }
}

void swiglu(std::int64_t rows, std::int64_t width, const float *gate, const float *up, std::int64_t stride,
            float *hidden, std::int64_t strideHidden)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const V g = load(gate + r * stride + i, width - i);
            const V u = load(up + r * stride + i, width - i);
            store(hn::Mul(hn::Mul(g, sigmoid(g)), u), hidden + r * strideHidden + i, width - i);
        }
    }
}

void swigluBackward(std::int64_t rows, std::int64_t width, const float *gate, const float *up, std::int64_t stride,
                    const float *dHidden, float *hidden, float *dGate, float *dUp, std::int64_t strideHidden)
{
    const V one = all(1.0F);
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const std::int64_t count = width - i;
            const V g = load(gate + r * stride + i, count);
            const V u = load(up + r * stride + i, count);
            const V d = load(dHidden + r * strideHidden + i, count);
            const V s = sigmoid(g);
            const V silu = hn::Mul(g, s);
            store(hn::Mul(silu, u), hidden + r * strideHidden + i, count);
            store(hn::Mul(d, silu), dUp + r * strideHidden + i, count);
            // d silu / d g = s (1 + g (1 - s))
            const V slope = hn::Mul(s, hn::MulAdd(g, hn::Sub(one, s), one));
            store(hn::Mul(hn::Mul(d, u), slope), dGate + r * strideHidden + i, count);
        }
    }
}

void rotateHeads(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, std::int64_t half, float *x,
                 std::int64_t stride, const float *cos, const float *sin, std::int64_t strideAngles, float sign)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < half; i += kLanes) {
            const std::int64_t count = half - i;
            const V c = load(cos + r * strideAngles + i, count);
            const V s = hn::Mul(all(sign), load(sin + r * strideAngles + i, count));
            for (std::int64_t h = 0; h < heads; ++h) {
                float *first = x + r * stride + h * headWidth + i;
                const V a = load(first, count);
                const V b = load(first + half, count);
                store(hn::NegMulAdd(b, s, hn::Mul(a, c)), first, count);
                store(hn::MulAdd(a, s, hn::Mul(b, c)), first + half, count);
            }
        }
    }
}

void addScaled(std::int64_t count, float *sum, const float *x, float factor)
{
    for (std::int64_t i = 0; i < count; i += kLanes)
        store(hn::MulAdd(load(x + i, count - i), all(factor), load(sum + i, count - i)), sum + i, count - i);
}

} // namespace lookback::kernels::fused::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lookback::kernels::fused {

HWY_EXPORT(layerNorm);
HWY_EXPORT(layerNormAgain);
HWY_EXPORT(layerNormBackward);
HWY_EXPORT(swiglu);
HWY_EXPORT(swigluBackward);
HWY_EXPORT(rotateHeads);
HWY_EXPORT(addScaled);

void layerNorm(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
               float *normed, std::int64_t strideNormed, RowMoments *moments)
{
    HWY_DYNAMIC_DISPATCH(layerNorm)(rows, width, x, strideX, gain, normed, strideNormed, moments);
}

void layerNormAgain(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
                    const RowMoments *moments, float *normed, std::int64_t strideNormed)
{
    HWY_DYNAMIC_DISPATCH(layerNormAgain)(rows, width, x, strideX, gain, moments, normed, strideNormed);
}

void layerNormBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
                       const RowMoments *moments, const float *dNormed, std::int64_t strideDNormed, float *dX,
                       std::int64_t strideDX, float *dGain)
{
    HWY_DYNAMIC_DISPATCH(layerNormBackward)
    (rows, width, x, strideX, gain, moments, dNormed, strideDNormed, dX, strideDX, dGain);
}

void swiglu(std::int64_t rows, std::int64_t width, const float *gate, const float *up, std::int64_t stride,
            float *hidden, std::int64_t strideHidden)
{
    HWY_DYNAMIC_DISPATCH(swiglu)(rows, width, gate, up, stride, hidden, strideHidden);
}

void swigluBackward(std::int64_t rows, std::int64_t width, const float *gate, const float *up, std::int64_t stride,
                    const float *dHidden, float *hidden, float *dGate, float *dUp, std::int64_t strideHidden)
{
    HWY_DYNAMIC_DISPATCH(swigluBackward)
    (rows, width, gate, up, stride, dHidden, hidden, dGate, dUp, strideHidden);
}

void rotateHeads(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, std::int64_t half, float *x,
                 std::int64_t stride, const float *cos, const float *sin, std::int64_t strideAngles, float sign)
{
    HWY_DYNAMIC_DISPATCH(rotateHeads)(rows, heads, headWidth, half, x, stride, cos, sin, strideAngles, sign);
}

void addScaled(std::int64_t count, float *sum, const float *x, float factor)
{
    HWY_DYNAMIC_DISPATCH(addScaled)(count, sum, x, factor);
}

void transpose(std::int64_t rows, std::int64_t columns, const float *from, std::int64_t strideFrom, float *to,
               std::int64_t strideTo)
{
    constexpr std::int64_t kSquare = 16;
    for (std::int64_t r = 0; r < rows; r += kSquare) {
        const std::int64_t rowEnd = std::min(rows, r + kSquare);
        for (std::int64_t c = 0; c < columns; ++c) {
            for (std::int64_t i = r; i < rowEnd; ++i)
                to[c * strideTo + i] = from[i * strideFrom + c];
        }
    }
}

} // namespace lookback::kernels::fused
#endif
