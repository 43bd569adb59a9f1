// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fused/row_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lookback::kernels::fused::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, 16> kFloats;
using V = hn::Vec<decltype(kFloats)>;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(kFloats));
constexpr float kEps = 1e-5F;

/// Up to kLanes of `count` numbers; 0 beyond.
HWY_INLINE V load(const float *from, std::int64_t count)
{
    return count >= kLanes ? hn::LoadU(kFloats, from)
                           : hn::MaskedLoad(hn::FirstN(kFloats, static_cast<std::size_t>(count)), kFloats, from);
}

HWY_INLINE void store(V value, float *to, std::int64_t count)
{
    if (count >= kLanes)
        hn::StoreU(value, kFloats, to);
    else
        hn::BlendedStore(value, hn::FirstN(kFloats, static_cast<std::size_t>(count)), kFloats, to);
}

HWY_INLINE float sumOf(V value)
{
    return hn::GetLane(hn::SumOfLanes(kFloats, value));
}

HWY_INLINE V all(float value)
{
    return hn::Set(kFloats, value);
}

/// 1 / (1 + exp(-x)) without overflow.
HWY_INLINE V sigmoid(V x)
{
    const V small = hn::Exp(kFloats, hn::Neg(hn::Abs(x)));
    const V one = all(1.0F);
    return hn::Div(hn::IfThenElse(hn::Ge(x, hn::Zero(kFloats)), one, small), hn::Add(one, small));
}

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

/// Lanes of columns i.. that lie in begin..end-1.
HWY_INLINE hn::Mask<decltype(kFloats)> seen(std::int64_t i, const VisibleKeys &visible)
{
    const auto lanes = [](std::int64_t count) {
        return hn::FirstN(kFloats, static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, kLanes)));
    };
    return hn::AndNot(lanes(visible.begin - i), lanes(visible.end - i));
}

void softmaxRows(std::int64_t rows, std::int64_t columns, float *logits, std::int64_t stride,
                 const VisibleKeys *visible, bool isSquared, SoftmaxScale *scales)
{
    const V least = all(-std::numeric_limits<float>::infinity());
    for (std::int64_t r = 0; r < rows; ++r) {
        float *row = logits + r * stride;
        const VisibleKeys keys = visible[r];
        const std::int64_t from = keys.begin / kLanes * kLanes;
        V most = least;
        for (std::int64_t i = from; i < keys.end; i += kLanes) {
            V logit = hn::LoadU(kFloats, row + i);
            if (isSquared)
                logit = hn::Mul(logit, logit);
            most = hn::Max(most, hn::IfThenElse(seen(i, keys), logit, least));
        }
        const float maximum = hn::GetLane(hn::MaxOfLanes(kFloats, most));
        V sum = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < from; i += kLanes)
            hn::StoreU(hn::Zero(kFloats), kFloats, row + i);
        std::int64_t i = from;
        for (; i < keys.end; i += kLanes) {
            V logit = hn::LoadU(kFloats, row + i);
            if (isSquared)
                logit = hn::Mul(logit, logit);
            const auto isSeen = seen(i, keys);
            const V difference = hn::IfThenElseZero(isSeen, hn::Sub(logit, all(maximum)));
            const V weight = hn::IfThenElseZero(isSeen, hn::Exp(kFloats, difference));
            hn::StoreU(weight, kFloats, row + i);
            sum = hn::Add(sum, weight);
        }
        for (; i < columns; i += kLanes)
            hn::StoreU(hn::Zero(kFloats), kFloats, row + i);
        const float inverse = 1.0F / sumOf(sum);
        for (i = from; i < keys.end; i += kLanes)
            hn::StoreU(hn::Mul(hn::LoadU(kFloats, row + i), all(inverse)), kFloats, row + i);
        scales[r] = {maximum, inverse};
    }
}

void softmaxRowsBackward(std::int64_t rows, std::int64_t columns, float *logits, float *dProbability,
                         std::int64_t stride, const VisibleKeys *visible, bool isSquared, const SoftmaxScale *scales)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        float *row = logits + r * stride;
        float *dRow = dProbability + r * stride;
        const VisibleKeys keys = visible[r];
        const std::int64_t from = keys.begin / kLanes * kLanes;
        const V maximum = all(scales[r].maximum);
        const V inverse = all(scales[r].inverseSum);
        const auto probabilityOf = [&](V logit, std::int64_t i) {
            const auto isSeen = seen(i, keys);
            const V form = isSquared ? hn::Mul(logit, logit) : logit;
            const V difference = hn::IfThenElseZero(isSeen, hn::Sub(form, maximum));
            return hn::IfThenElseZero(isSeen, hn::Mul(hn::Exp(kFloats, difference), inverse));
        };
        V dot = hn::Zero(kFloats);
        for (std::int64_t i = from; i < keys.end; i += kLanes) {
            const V probability = probabilityOf(hn::LoadU(kFloats, row + i), i);
            const V d = hn::IfThenElseZero(seen(i, keys), hn::LoadU(kFloats, dRow + i));
            dot = hn::MulAdd(probability, d, dot);
            // Kept until the dot product is known: p, and p * 2 logit where the form squares.
            const V logit = hn::IfThenElseZero(seen(i, keys), hn::LoadU(kFloats, row + i));
            hn::StoreU(d, kFloats, dRow + i);
            hn::StoreU(isSquared ? logit : probability, kFloats, row + i);
        }
        const V total = all(sumOf(dot));
        for (std::int64_t i = 0; i < from; i += kLanes) {
            hn::StoreU(hn::Zero(kFloats), kFloats, row + i);
            hn::StoreU(hn::Zero(kFloats), kFloats, dRow + i);
        }
        std::int64_t i = from;
        for (; i < keys.end; i += kLanes) {
            const V stored = hn::LoadU(kFloats, row + i);
            const V probability = isSquared ? probabilityOf(stored, i) : stored;
            V dLogit = hn::Mul(probability, hn::Sub(hn::LoadU(kFloats, dRow + i), total));
            dLogit = isSquared ? hn::Mul(dLogit, hn::Add(stored, stored)) : dLogit;
            hn::StoreU(probability, kFloats, row + i);
            hn::StoreU(dLogit, kFloats, dRow + i);
        }
        for (; i < columns; i += kLanes) {
            hn::StoreU(hn::Zero(kFloats), kFloats, row + i);
            hn::StoreU(hn::Zero(kFloats), kFloats, dRow + i);
        }
    }
}

void softmaxBlock(std::int64_t rows, std::int64_t columns, float *logits, std::int64_t stride,
                  const VisibleKeys *visible, bool isSquared, SoftmaxState *states, std::int64_t width, float *mixed,
                  std::int64_t strideMixed, bool isFirst)
{
    const V least = all(-std::numeric_limits<float>::infinity());
    for (std::int64_t r = 0; r < rows; ++r) {
        float *row = logits + r * stride;
        float *sums = mixed + r * strideMixed;
        const VisibleKeys keys = visible[r];
        SoftmaxState &state = states[r];
        if (isFirst) {
            for (std::int64_t i = 0; i < width; i += kLanes)
                store(hn::Zero(kFloats), sums + i, width - i);
        }
        const bool sees = keys.begin < keys.end;
        const std::int64_t from = sees ? keys.begin / kLanes * kLanes : 0;
        const std::int64_t end = sees ? keys.end : 0;
        V most = least;
        for (std::int64_t i = from; i < end; i += kLanes) {
            V logit = hn::LoadU(kFloats, row + i);
            if (isSquared)
                logit = hn::Mul(logit, logit);
            hn::StoreU(logit, kFloats, row + i);
            most = hn::Max(most, hn::IfThenElse(seen(i, keys), logit, least));
        }
        if (sees) {
            const float found = hn::GetLane(hn::MaxOfLanes(kFloats, most));
            const bool isNew = state.sum == 0.0F;
            if (isNew) {
                state.maximum = found;
            } else if (found > state.maximum) {
                const float factor = std::exp(state.maximum - found);
                state.maximum = found;
                state.sum *= factor;
                for (std::int64_t i = 0; i < width; i += kLanes)
                    store(hn::Mul(load(sums + i, width - i), all(factor)), sums + i, width - i);
            }
        }
        const V maximum = all(state.maximum);
        V sum = hn::Zero(kFloats);
        for (std::int64_t i = 0; i < from; i += kLanes)
            hn::StoreU(hn::Zero(kFloats), kFloats, row + i);
        std::int64_t i = from;
        for (; i < end; i += kLanes) {
            const auto isSeen = seen(i, keys);
            const V difference = hn::IfThenElseZero(isSeen, hn::Sub(hn::LoadU(kFloats, row + i), maximum));
            const V weight = hn::IfThenElseZero(isSeen, hn::Exp(kFloats, difference));
            hn::StoreU(weight, kFloats, row + i);
            sum = hn::Add(sum, weight);
        }
        for (; i < columns; i += kLanes)
            hn::StoreU(hn::Zero(kFloats), kFloats, row + i);
        state.sum += sumOf(sum);
    }
}

void finishSoftmax(std::int64_t rows, const SoftmaxState *states, std::int64_t width, float *mixed,
                   std::int64_t strideMixed)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const V factor = all(1.0F / states[r].sum);
        float *row = mixed + r * strideMixed;
        for (std::int64_t i = 0; i < width; i += kLanes)
            store(hn::Mul(load(row + i, width - i), factor), row + i, width - i);
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
HWY_EXPORT(softmaxRows);
HWY_EXPORT(softmaxRowsBackward);
HWY_EXPORT(softmaxBlock);
HWY_EXPORT(finishSoftmax);
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

void softmaxRows(std::int64_t rows, std::int64_t columns, float *logits, std::int64_t stride,
                 const VisibleKeys *visible, bool isSquared, SoftmaxScale *scales)
{
    HWY_DYNAMIC_DISPATCH(softmaxRows)(rows, columns, logits, stride, visible, isSquared, scales);
}

void softmaxRowsBackward(std::int64_t rows, std::int64_t columns, float *logits, float *dProbability,
                         std::int64_t stride, const VisibleKeys *visible, bool isSquared, const SoftmaxScale *scales)
{
    HWY_DYNAMIC_DISPATCH(softmaxRowsBackward)
    (rows, columns, logits, dProbability, stride, visible, isSquared, scales);
}

void softmaxBlock(std::int64_t rows, std::int64_t columns, float *logits, std::int64_t stride,
                  const VisibleKeys *visible, bool isSquared, SoftmaxState *states, std::int64_t width, float *mixed,
                  std::int64_t strideMixed, bool isFirst)
{
    HWY_DYNAMIC_DISPATCH(softmaxBlock)
    (rows, columns, logits, stride, visible, isSquared, states, width, mixed, strideMixed, isFirst);
}

void finishSoftmax(std::int64_t rows, const SoftmaxState *states, std::int64_t width, float *mixed,
                   std::int64_t strideMixed)
{
    HWY_DYNAMIC_DISPATCH(finishSoftmax)(rows, states, width, mixed, strideMixed);
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
