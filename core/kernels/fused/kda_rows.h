// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Rows of Kimi Delta Attention before and after its recurrence; as in row_kernels.h, all in one thread, in an order
// that depends on sizes only. `heads` heads of `headWidth` numbers lie side by side.

namespace lookback::kernels::fused {

inline constexpr std::int64_t kKdaTaps = 4; ///< Tokens that the short convolution sees; the last is the present one.
inline constexpr float kKdaStrongestLogDecay = -5.0F; ///< See kernels::kKdaChunk for what it must not exceed.
inline constexpr float kKdaNormEps = 1e-6F;

/// convolved[t] = sum over taps of x[t + tap] * taps[tap], x three rows longer than `rows`; taps [kKdaTaps, width].
void shortConvolution(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, const float *taps,
                      float *convolved, std::int64_t strideConvolved);
/// dX of the last `rows` rows of x (what lies before a sequence has no gradient), and dTaps [kKdaTaps, width] added to.
void shortConvolutionBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX,
                              const float *taps, const float *dConvolved, std::int64_t strideConvolved, float *dX,
                              std::int64_t strideDX, float *dTaps);

/// y = silu(x); x and y may be the same.
void siluRows(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *y,
              std::int64_t strideY);
/// d becomes the gradient of x.
void siluRowsBackward(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *d,
                      std::int64_t strideD);

/// Divides each head by its Euclidean norm, at least 1e-12; the norms [rows, heads] are written.
void unitHeads(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, float *x, std::int64_t stride,
               float *norms);
/// d becomes the gradient of what was divided; `unit` is the quotient.
void unitHeadsBackward(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *unit,
                       std::int64_t stride, const float *norms, float *d, std::int64_t strideD);

/// x becomes the log decay: kKdaStrongestLogDecay * sigmoid((x + bias) * scales[head]).
void logDecay(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *bias, const float *scales,
              float *x, std::int64_t stride);
/// d, the gradient of the log decay, becomes that of x; `x` once more before the bias. Adds to dBias [heads *
/// headWidth] and to dLogScales [heads], the gradient of log(scales).
void logDecayBackward(std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *bias,
                      const float *scales, const float *x, std::int64_t stride, float *d, std::int64_t strideD,
                      float *dBias, float *dLogScales);

/// y = 1 / (1 + exp(-x)).
void sigmoidRows(std::int64_t rows, std::int64_t width, const float *x, std::int64_t strideX, float *y,
                 std::int64_t strideY);
/// dX = d * y * (1 - y).
void sigmoidRowsBackward(std::int64_t rows, std::int64_t width, const float *y, std::int64_t strideY, const float *d,
                         std::int64_t strideD, float *dX, std::int64_t strideDX);

/// Root mean square norm of one head with a gain, and a gate: y = x / rms(x) * gain * sigmoid(gate).
void gatedNorm(std::int64_t rows, std::int64_t headWidth, const float *x, std::int64_t strideX, const float *gain,
               const float *gate, std::int64_t strideGate, float *y, std::int64_t strideY);
/// y once more, and what dY means for x and gate; adds to dGain.
void gatedNormBackward(std::int64_t rows, std::int64_t headWidth, const float *x, std::int64_t strideX,
                       const float *gain, const float *gate, std::int64_t strideGate, const float *dY, float *y,
                       std::int64_t strideY, float *dX, std::int64_t strideDX, float *dGate, std::int64_t strideDGate,
                       float *dGain);

} // namespace lookback::kernels::fused
