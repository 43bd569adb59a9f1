// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fused/softmax_rows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/kernels/fused/vector_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lookback::kernels::fused::HWY_NAMESPACE {

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

} // namespace lookback::kernels::fused::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lookback::kernels::fused {

HWY_EXPORT(softmaxRows);
HWY_EXPORT(softmaxRowsBackward);
HWY_EXPORT(softmaxBlock);
HWY_EXPORT(finishSoftmax);

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

} // namespace lookback::kernels::fused
#endif
