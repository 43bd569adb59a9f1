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

/// Keys begin..end-1 that a query sees, counted from the first column of its block.
struct VisibleKeys {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// What a softmax row was divided by: probability = exp(form(logit) - maximum) * inverseSum.
struct SoftmaxScale {
    float maximum = 0.0F;
    float inverseSum = 0.0F;
};

/// Logits [rows, columns] become probabilities, 0 where not visible; the form squares them or not. Scales are written.
void softmaxRows(std::int64_t rows, std::int64_t columns, float *logits, std::int64_t stride,
                 const VisibleKeys *visible, bool isSquared, SoftmaxScale *scales);
/// From logits and dProbability: logits become probabilities, dProbability becomes what it means for the logits.
void softmaxRowsBackward(std::int64_t rows, std::int64_t columns, float *logits, float *dProbability,
                         std::int64_t stride, const VisibleKeys *visible, bool isSquared, const SoftmaxScale *scales);

/// Softmax of rows whose logits come block by block.
struct SoftmaxState {
    float maximum = 0.0F;
    float sum = 0.0F; ///< Of exp(form(logit) - maximum) so far; 0 = nothing was visible yet.
};

/// A block of logits [rows, columns] becomes exp(form(logit) - maximum so far), 0 where not visible. `mixed` [rows,
/// width], what was summed up before with the former maximum, is scaled to the new one (set to 0 if `isFirst`).
void softmaxBlock(std::int64_t rows, std::int64_t columns, float *logits, std::int64_t stride,
                  const VisibleKeys *visible, bool isSquared, SoftmaxState *states, std::int64_t width, float *mixed,
                  std::int64_t strideMixed, bool isFirst);
/// mixed /= sum of its row.
void finishSoftmax(std::int64_t rows, const SoftmaxState *states, std::int64_t width, float *mixed,
                   std::int64_t strideMixed);

/// to[c * strideTo + r] = from[r * strideFrom + c].
void transpose(std::int64_t rows, std::int64_t columns, const float *from, std::int64_t strideFrom, float *to,
               std::int64_t strideTo);
/// sum += x * factor, `count` numbers.
void addScaled(std::int64_t count, float *sum, const float *x, float factor);

} // namespace lookback::kernels::fused
