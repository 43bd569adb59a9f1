// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/kernels/fused/matrix_panels.h"

// The gated delta rule of Kimi Delta Attention (kernels::kdaScan) for one head of one sequence, in one thread. C is the
// head width; rows of all operands are tokens.

namespace lookback::kernels::fused {

/// Rows of what the recurrence of one head reads, or of the gradients of that; Number is float or const float.
template <typename Number> struct KdaHeadOf {
    Number *query = nullptr;
    Number *key = nullptr;
    Number *value = nullptr;
    std::int64_t stride = 0; ///< Of query, key and value.
    Number *logDecay = nullptr;
    std::int64_t strideLogDecay = 0;
    Number *beta = nullptr; ///< One number a token.
    std::int64_t strideBeta = 0;

    KdaHeadOf at(std::int64_t token) const
    {
        return {query + token * stride,
                key + token * stride,
                value + token * stride,
                stride,
                logDecay + token * strideLogDecay,
                strideLogDecay,
                beta + token * strideBeta,
                strideBeta};
    }
};
using KdaHead = KdaHeadOf<const float>;
using KdaHeadGradients = KdaHeadOf<float>;

/// Scans one head after the other with the same buffers, and remembers the last scan for the backward pass.
class KdaScan {
public:
    /// Floats of a state: rows of C numbers, paddedColumns(C) apart.
    static std::int64_t stateFloats(std::int64_t headWidth) { return headWidth * paddedColumns(headWidth); }

    /// outputs [tokens, C]; `state` is that before the first token, then that after the last. `remembers`: backward
    /// follows.
    void forward(std::int64_t tokens, std::int64_t headWidth, const KdaHead &head, float *state, float *outputs,
                 std::int64_t strideOutputs, bool remembers);

    /// Gradients of the last scan's inputs. The states before it and after it have none.
    void backward(std::int64_t tokens, std::int64_t headWidth, const KdaHead &head, const float *dOutputs,
                  std::int64_t strideOutputs, const KdaHeadGradients &gradients);

private:
    AlignedFloats m_chunks; ///< One after the other, or a single one.
    AlignedFloats m_work;
};

} // namespace lookback::kernels::fused
