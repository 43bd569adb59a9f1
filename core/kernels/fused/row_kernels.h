// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Operations on rows of floats that lie `stride` apart; all in one thread, in an order that depends on sizes only.

namespace lookback::kernels::fused {

/// Mean and reciprocal standard deviation of a row.
struct RowMoments {
    float mean = 0.0F;
    float inverseDeviation = 0.0F;
};

/// Layer norm with eps 1e-5 and a gain: normed = (x - mean) * inverseDeviation * gain. Moments are written.
void layerNorm(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
               float *normed, std::int64_t strideNormed, RowMoments *moments);
/// The same from moments that are known.
void layerNormAgain(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
                    const RowMoments *moments, float *normed, std::int64_t strideNormed);
/// Adds to dX what dNormed means for x, and to dGain [width].
void layerNormBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *gain,
                       const RowMoments *moments, const float *dNormed, std::int64_t strideDNormed, float *dX,
                       std::int64_t strideDX, float *dGain);

/// hidden = silu(gate) * up.
void swiglu(std::int64_t rows, std::int64_t width, const float *gate, const float *up, std::int64_t stride,
            float *hidden, std::int64_t strideHidden);
/// hidden once more, and what dHidden means for gate and up. dGate and dUp have strideHidden, too.
void swigluBackward(std::int64_t rows, std::int64_t width, const float *gate, const float *up, std::int64_t stride,
                    const float *dHidden, float *hidden, float *dGate, float *dUp, std::int64_t strideHidden);

/// Rotates the first 2 * half numbers of each of `heads` heads of a row (width `headWidth` each, side by side) by the
/// angles of row t, half-split: cos and sin are [rows, half]. `sign` -1 turns back.
void rotateHeads(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, std::int64_t half, float *x,
                 std::int64_t stride, const float *cos, const float *sin, std::int64_t strideAngles, float sign);

/// to[c * strideTo + r] = from[r * strideFrom + c].
void transpose(std::int64_t rows, std::int64_t columns, const float *from, std::int64_t strideFrom, float *to,
               std::int64_t strideTo);
/// sum += x * factor, `count` numbers.
void addScaled(std::int64_t count, float *sum, const float *x, float factor);

} // namespace lookback::kernels::fused
