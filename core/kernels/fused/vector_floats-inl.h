// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of floats with a remainder, for each target of Highway; included by sources that are compiled for all of
// them.
#if defined(LOOKBACK_VECTOR_FLOATS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOOKBACK_VECTOR_FLOATS_INL_H
#undef LOOKBACK_VECTOR_FLOATS_INL_H
#else
#define LOOKBACK_VECTOR_FLOATS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lookback::kernels::fused::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, 16> kFloats;
using V = hn::Vec<decltype(kFloats)>;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(kFloats));

// Only these instruction sets leave memory alone that a mask excludes. With the others Highway's masked access is to a
// whole vector, reading on its border too: it would end the program, or undo what another thread writes beside it.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
HWY_INLINE V loadPart(const float *from, std::int64_t count)
{
    return hn::MaskedLoad(hn::FirstN(kFloats, static_cast<std::size_t>(count)), kFloats, from);
}

HWY_INLINE void storePart(V value, float *to, std::int64_t count)
{
    hn::BlendedStore(value, hn::FirstN(kFloats, static_cast<std::size_t>(count)), kFloats, to);
}
#else
HWY_INLINE V loadPart(const float *from, std::int64_t count)
{
    HWY_ALIGN float numbers[kLanes] = {};
    std::copy_n(from, count, numbers);
    return hn::Load(kFloats, numbers);
}

HWY_INLINE void storePart(V value, float *to, std::int64_t count)
{
    HWY_ALIGN float numbers[kLanes];
    hn::Store(value, kFloats, numbers);
    std::copy_n(numbers, count, to);
}
#endif

/// Up to kLanes of `count` numbers; 0 beyond.
HWY_INLINE V load(const float *from, std::int64_t count)
{
    return count >= kLanes ? hn::LoadU(kFloats, from) : loadPart(from, count);
}

HWY_INLINE void store(V value, float *to, std::int64_t count)
{
    if (count >= kLanes)
        hn::StoreU(value, kFloats, to);
    else
        storePart(value, to, count);
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

} // namespace lookback::kernels::fused::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
