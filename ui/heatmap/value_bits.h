// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace lookback::ui {

// How the values of a map are kept for drawing. Both encodings are words whose order, as whole numbers, is that of the
// magnitudes; the sign is the last bit. So the strongest of two values is the larger word, a NaN wins over all, and a
// block's maximum is found without turning anything into a float.

/// The float itself, turned left by one bit: exact, 4 bytes.
struct FloatWords {
    using Word = std::uint32_t;
    static Word encode(float value) { return std::rotl(std::bit_cast<std::uint32_t>(value), 1); }
    static float decode(Word word) { return std::bit_cast<float>(std::rotr(word, 1)); }
};

/// Half precision (IEEE binary16, 2 bytes) of 2^15 times the value, turned left by one bit. Weights lie between -1 and
/// 1, so the factor uses the range of a half where they are: from 1.9e-9 on the relative error is at most 2^-11 / 2 =
/// 0.025 %; below, the absolute one at most 9e-13. Rounding is to the nearest, half to even, which is monotone: the
/// maximum of rounded values is the rounded maximum. What is beyond 2 becomes infinite, a NaN stays one.
struct HalfWords {
    using Word = std::uint16_t;
    static constexpr float kScale = 32768.0F;

    static Word encode(float value)
    {
        const auto bits = std::bit_cast<std::uint32_t>(value * kScale);
        const std::uint32_t sign = bits >> 31U;
        const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
        std::uint32_t half = 0;
        if (magnitude > 0x7F800000U) {
            half = 0x7E00U; // NaN
        } else if (magnitude >= 0x477FF000U) { // from 65,520 on the nearest is infinity
            half = 0x7C00U;
        } else if (magnitude < 0x38800000U) { // below 2^-14: multiples of 2^-24, which adding 0.5 rounds to
            half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
        } else {
            half = (magnitude - (112U << 23U) + 0xFFFU + ((magnitude >> 13U) & 1U)) >> 13U;
        }
        return static_cast<Word>((half << 1U) | sign);
    }

    static float decode(Word word)
    {
        const std::uint32_t sign = static_cast<std::uint32_t>(word & 1U) << 31U;
        const std::uint32_t half = static_cast<std::uint32_t>(word) >> 1U;
        // Moved to the place of a float's exponent and fraction the number is 2^-112 times too small; subnormal ones
        // come right by the multiplication.
        const float small = std::bit_cast<float>(half << 13U);
        const float value =
            half < 0x7C00U ? small * (0x1p112F / kScale) : std::bit_cast<float>(0x7F800000U | (half << 13U));
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
    }
};

} // namespace lookback::ui
