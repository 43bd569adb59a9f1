// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/kda_rows.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fused/kda_rows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/kernels/fused/vector_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lookback::kernels::fused::HWY_NAMESPACE {

constexpr float kLeastNorm = 1e-12F;

void shortConvolution(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *taps,
                      float *convolved, std::int64_t strideConvolved)
{
    for (std::int64_t i = 0; i < width; i += kLanes) {
        const std::int64_t count = width - i;
        const V first = load(taps + i, count);
        const V second = load(taps + width + i, count);
        const V third = load(taps + 2 * width + i, count);
        const V last = load(taps + 3 * width + i, count);
        V a = load(x + i, count);
        V b = load(x + strideX + i, count);
        V c = load(x + 2 * strideX + i, count);
        for (std::int64_t r = 0; r < rows; ++r) {
            const V d = load(x + (r + 3) * strideX + i, count);
            store(hn::MulAdd(d, last, hn::MulAdd(c, third, hn::MulAdd(b, second, hn::Mul(a, first)))),
                  convolved + r * strideConvolved + i, count);
            a = b;
            b = c;
            c = d;
        }
    }
}

void shortConvolutionBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX,
                              const float *taps, const float *dConvolved, std::int64_t strideConvolved, float *dX,
                              std::int64_t strideDX, float *dTaps)
{
    for (std::int64_t i = 0; i < width; i += kLanes) {
        const std::int64_t count = width - i;
        V sums[kKdaTaps];
        V tap[kKdaTaps];
        for (std::int64_t k = 0; k < kKdaTaps; ++k) {
            tap[k] = load(taps + k * width + i, count);
            sums[k] = hn::Zero(kFloats);
        }
        V one = hn::Zero(kFloats); // gradients one, two and three rows later
        V two = hn::Zero(kFloats);
        V three = hn::Zero(kFloats);
        for (std::int64_t r = rows - 1; r >= 0; --r) {
            const V d = load(dConvolved + r * strideConvolved + i, count);
            for (std::int64_t k = 0; k < kKdaTaps; ++k)
                sums[k] = hn::MulAdd(d, load(x + (r + k) * strideX + i, count), sums[k]);
            const V sum =
                hn::MulAdd(d, tap[3], hn::MulAdd(one, tap[2], hn::MulAdd(two, tap[1], hn::Mul(three, tap[0]))));
            store(sum, dX + r * strideDX + i, count);
            three = two;
            two = one;
            one = d;
        }
        for (std::int64_t k = 0; k < kKdaTaps; ++k)
            store(hn::Add(sums[k], load(dTaps + k * width + i, count)), dTaps + k * width + i, count);
    }
}

void siluRows(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *y,
              std::int64_t strideY)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const V value = load(x + r * strideX + i, width - i);
            store(hn::Mul(value, sigmoid(value)), y + r * strideY + i, width - i);
        }
    }
}

void siluRowsBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *d,
                      std::int64_t strideD)
{
    const V one = all(1.0F);
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const std::int64_t count = width - i;
            const V value = load(x + r * strideX + i, count);
            const V s = sigmoid(value);
            const V slope = hn::Mul(s, hn::MulAdd(value, hn::Sub(one, s), one));
            float *to = d + r * strideD + i;
            store(hn::Mul(load(to, count), slope), to, count);
        }
    }
}

void unitHeads(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, float *x, std::int64_t stride,
               float *norms)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t h = 0; h < heads; ++h) {
            float *head = x + r * stride + h * headWidth;
            V squares = hn::Zero(kFloats);
            for (std::int64_t i = 0; i < headWidth; i += kLanes) {
                const V value = load(head + i, headWidth - i);
                squares = hn::MulAdd(value, value, squares);
            }
            const float norm = std::max(std::sqrt(sumOf(squares)), kLeastNorm);
            norms[r * heads + h] = norm;
            const V divisor = all(norm);
            for (std::int64_t i = 0; i < headWidth; i += kLanes)
                store(hn::Div(load(head + i, headWidth - i), divisor), head + i, headWidth - i);
        }
    }
}

void unitHeadsBackward(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *unit,
                       std::int64_t stride, const float *norms, float *d, std::int64_t strideD)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t h = 0; h < heads; ++h) {
            const float *head = unit + r * stride + h * headWidth;
            float *gradient = d + r * strideD + h * headWidth;
            const float norm = norms[r * heads + h];
            V dot = hn::Zero(kFloats);
            for (std::int64_t i = 0; i < headWidth; i += kLanes)
                dot = hn::MulAdd(load(head + i, headWidth - i), load(gradient + i, headWidth - i), dot);
            const V along = all(norm > kLeastNorm ? sumOf(dot) : 0.0F); // a norm at its bound does not move
            const V divisor = all(norm);
            for (std::int64_t i = 0; i < headWidth; i += kLanes) {
                const std::int64_t count = headWidth - i;
                const V across = hn::NegMulAdd(load(head + i, count), along, load(gradient + i, count));
                store(hn::Div(across, divisor), gradient + i, count);
            }
        }
    }
}

void logDecay(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *bias, const float *scales,
              float *x, std::int64_t stride)
{
    const V strongest = all(kKdaStrongestLogDecay);
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t h = 0; h < heads; ++h) {
            const V scale = all(scales[h]);
            float *head = x + r * stride + h * headWidth;
            for (std::int64_t i = 0; i < headWidth; i += kLanes) {
                const std::int64_t count = headWidth - i;
                const V logit = hn::Add(load(head + i, count), load(bias + h * headWidth + i, count));
                store(hn::Mul(strongest, sigmoid(hn::Mul(logit, scale))), head + i, count);
            }
        }
    }
}

void logDecayBackward(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *bias,
                      const float *scales, const float *x, std::int64_t stride, float *d, std::int64_t strideD,
                      float *dBias, float *dLogScales)
{
    const V one = all(1.0F);
    for (std::int64_t h = 0; h < heads; ++h) {
        const V scale = all(scales[h]);
        V sumOfScale = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < headWidth; i += kLanes) {
            const std::int64_t count = headWidth - i;
            const std::int64_t at = h * headWidth + i;
            const V shift = load(bias + at, count);
            V sumOfBias = hn::Zero(kFloats);
            for (std::int64_t r = 0; r < rows; ++r) {
                const V scaled = hn::Mul(hn::Add(load(x + r * stride + at, count), shift), scale);
                const V s = sigmoid(scaled);
                float *to = d + r * strideD + at;
                const V slope = hn::Mul(hn::Mul(s, hn::Sub(one, s)), all(kKdaStrongestLogDecay));
                const V dScaled = hn::Mul(load(to, count), slope); // 0 beyond the head
                const V dLogit = hn::Mul(dScaled, scale);
                store(dLogit, to, count);
                sumOfBias = hn::Add(sumOfBias, dLogit);
                sumOfScale = hn::MulAdd(dScaled, scaled, sumOfScale);
            }
            store(hn::Add(load(dBias + at, count), sumOfBias), dBias + at, count);
        }
        dLogScales[h] += sumOf(sumOfScale);
    }
}

void sigmoidRows(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *y,
                 std::int64_t strideY)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < width; i += kLanes)
            store(sigmoid(load(x + r * strideX + i, width - i)), y + r * strideY + i, width - i);
    }
}

void sigmoidRowsBackward(std::int64_t rows, std::int64_t width, const float *y, std::int64_t strideY, const float *d,
                         std::int64_t strideD, float *dX, std::int64_t strideDX)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < width; i += kLanes) {
            const std::int64_t count = width - i;
            const V value = load(y + r * strideY + i, count);
            const V slope = hn::NegMulAdd(value, value, value);
            store(hn::Mul(load(d + r * strideD + i, count), slope), dX + r * strideDX + i, count);
        }
    }
}

HWY_INLINE V inverseRootMeanSquare(const float *head, std::int64_t headWidth)
{
    V squares = hn::Zero(kFloats);
    for (std::int64_t i = 0; i < headWidth; i += kLanes) {
        const V value = load(head + i, headWidth - i);
        squares = hn::MulAdd(value, value, squares);
    }
    return all(1.0F / std::sqrt(sumOf(squares) / static_cast<float>(headWidth) + kKdaNormEps));
}

void gatedNorm(std::int64_t rows, std::int64_t headWidth, const float *x, std::int64_t strideX, const float *gain,
               const float *gate, std::int64_t strideGate, float *y, std::int64_t strideY)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *head = x + r * strideX;
        const V inverse = inverseRootMeanSquare(head, headWidth);
        for (std::int64_t i = 0; i < headWidth; i += kLanes) {
            const std::int64_t count = headWidth - i;
            const V normed = hn::Mul(hn::Mul(load(head + i, count), inverse), load(gain + i, count));
            store(hn::Mul(normed, sigmoid(load(gate + r * strideGate + i, count))), y + r * strideY + i, count);
        }
    }
}

void gatedNormBackward(std::int64_t rows, std::int64_t headWidth, const float *x, std::int64_t strideX,
                       const float *gain, const float *gate, std::int64_t strideGate, const float *dY, float *y,
                       std::int64_t strideY, float *dX, std::int64_t strideDX, float *dGate, std::int64_t strideDGate,
                       float *dGain)
{
    const V one = all(1.0F);
    const float share = 1.0F / static_cast<float>(headWidth);
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *head = x + r * strideX;
        const V inverse = inverseRootMeanSquare(head, headWidth);
        V dot = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < headWidth; i += kLanes) {
            const std::int64_t count = headWidth - i;
            const V scaled = hn::Mul(load(head + i, count), inverse);
            const V weight = load(gain + i, count);
            const V normed = hn::Mul(scaled, weight);
            const V opened = sigmoid(load(gate + r * strideGate + i, count));
            const V d = load(dY + r * strideY + i, count);
            store(hn::Mul(normed, opened), y + r * strideY + i, count);
            const V dOpened = hn::Mul(d, normed);
            store(hn::Mul(dOpened, hn::Mul(opened, hn::Sub(one, opened))), dGate + r * strideDGate + i, count);
            const V dNormed = hn::Mul(d, opened); // 0 beyond the head
            store(hn::MulAdd(dNormed, scaled, load(dGain + i, count)), dGain + i, count);
            const V dScaled = hn::Mul(dNormed, weight);
            dot = hn::MulAdd(dScaled, scaled, dot);
            store(dScaled, dX + r * strideDX + i, count);
        }
        const V mean = all(sumOf(dot) * share);
        for (std::int64_t i = 0; i < headWidth; i += kLanes) {
            const std::int64_t count = headWidth - i;
            float *to = dX + r * strideDX + i;
            const V scaled = hn::Mul(load(head + i, count), inverse);
            store(hn::Mul(hn::NegMulAdd(scaled, mean, load(to, count)), inverse), to, count);
        }
    }
}

} // namespace lookback::kernels::fused::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lookback::kernels::fused {

HWY_EXPORT(shortConvolution);
HWY_EXPORT(shortConvolutionBackward);
HWY_EXPORT(siluRows);
HWY_EXPORT(siluRowsBackward);
HWY_EXPORT(unitHeads);
HWY_EXPORT(unitHeadsBackward);
HWY_EXPORT(logDecay);
HWY_EXPORT(logDecayBackward);
HWY_EXPORT(sigmoidRows);
HWY_EXPORT(sigmoidRowsBackward);
HWY_EXPORT(gatedNorm);
HWY_EXPORT(gatedNormBackward);

void shortConvolution(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *taps,
                      float *convolved, std::int64_t strideConvolved)
{
    HWY_DYNAMIC_DISPATCH(shortConvolution)(rows, width, x, strideX, taps, convolved, strideConvolved);
}

void shortConvolutionBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX,
                              const float *taps, const float *dConvolved, std::int64_t strideConvolved, float *dX,
                              std::int64_t strideDX, float *dTaps)
{
    HWY_DYNAMIC_DISPATCH(shortConvolutionBackward)
    (rows, width, x, strideX, taps, dConvolved, strideConvolved, dX, strideDX, dTaps);
}

void siluRows(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *y,
              std::int64_t strideY)
{
    HWY_DYNAMIC_DISPATCH(siluRows)(rows, width, x, strideX, y, strideY);
}

void siluRowsBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *d,
                      std::int64_t strideD)
{
    HWY_DYNAMIC_DISPATCH(siluRowsBackward)(rows, width, x, strideX, d, strideD);
}

void unitHeads(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, float *x, std::int64_t stride,
               float *norms)
{
    HWY_DYNAMIC_DISPATCH(unitHeads)(rows, heads, headWidth, x, stride, norms);
}

void unitHeadsBackward(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *unit,
                       std::int64_t stride, const float *norms, float *d, std::int64_t strideD)
{
    HWY_DYNAMIC_DISPATCH(unitHeadsBackward)(rows, heads, headWidth, unit, stride, norms, d, strideD);
}

void logDecay(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *bias, const float *scales,
              float *x, std::int64_t stride)
{
    HWY_DYNAMIC_DISPATCH(logDecay)(rows, heads, headWidth, bias, scales, x, stride);
}

void logDecayBackward(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *bias,
                      const float *scales, const float *x, std::int64_t stride, float *d, std::int64_t strideD,
                      float *dBias, float *dLogScales)
{
    HWY_DYNAMIC_DISPATCH(logDecayBackward)
    (rows, heads, headWidth, bias, scales, x, stride, d, strideD, dBias, dLogScales);
}

void sigmoidRows(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *y,
                 std::int64_t strideY)
{
    HWY_DYNAMIC_DISPATCH(sigmoidRows)(rows, width, x, strideX, y, strideY);
}

void sigmoidRowsBackward(std::int64_t rows, std::int64_t width, const float *y, std::int64_t strideY, const float *d,
                         std::int64_t strideD, float *dX, std::int64_t strideDX)
{
    HWY_DYNAMIC_DISPATCH(sigmoidRowsBackward)(rows, width, y, strideY, d, strideD, dX, strideDX);
}

void gatedNorm(std::int64_t rows, std::int64_t headWidth, const float *x, std::int64_t strideX, const float *gain,
               const float *gate, std::int64_t strideGate, float *y, std::int64_t strideY)
{
    HWY_DYNAMIC_DISPATCH(gatedNorm)(rows, headWidth, x, strideX, gain, gate, strideGate, y, strideY);
}

void gatedNormBackward(std::int64_t rows, std::int64_t headWidth, const float *x, std::int64_t strideX,
                       const float *gain, const float *gate, std::int64_t strideGate, const float *dY, float *y,
                       std::int64_t strideY, float *dX, std::int64_t strideDX, float *dGate, std::int64_t strideDGate,
                       float *dGain)
{
    HWY_DYNAMIC_DISPATCH(gatedNormBackward)
    (rows, headWidth, x, strideX, gain, gate, strideGate, dY, y, strideY, dX, strideDX, dGate, strideDGate, dGain);
}

} // namespace lookback::kernels::fused
#endif
