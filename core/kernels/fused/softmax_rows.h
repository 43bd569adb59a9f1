// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Softmax over rows of logits that lie `stride` apart; in one thread, in an order that depends on sizes only.

namespace lookback::kernels::fused {

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

} // namespace lookback::kernels::fused
