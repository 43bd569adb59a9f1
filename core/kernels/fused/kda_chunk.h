// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Steps of one chunk of Kimi Delta Attention's recurrence that are not matrix products. C is the head width, b the
// inclusive sum of log decays within the chunk; `rows` of the kChunkTokens tokens are there, the others count as tokens
// that neither read nor write. Buffers of a chunk have rows `stride` floats apart.

namespace lookback::kernels::fused {

inline constexpr std::int64_t kChunkTokens = 16; ///< kernels::kKdaChunk

/// Keys and queries of a chunk, times what the decays make of them; [kChunkTokens, C] each.
struct DecayedRows {
    float *key = nullptr; ///< k exp(b)
    float *query = nullptr; ///< q exp(b)
    float *shrunk = nullptr; ///< k exp(-b)
    float *toEnd = nullptr; ///< k exp(b_last - b)
    float *kept = nullptr; ///< [C]: exp(b_last)
    std::int64_t stride = 0;
};

/// Where a chunk's tokens lie.
struct ChunkInput {
    const float *query = nullptr;
    const float *key = nullptr;
    std::int64_t stride = 0;
    const float *logDecay = nullptr;
    std::int64_t strideLogDecay = 0;
};

/// Also own[r] = q_r k_r: what a query finds of its own token's key, which no decay touches.
void decayRows(std::int64_t rows, std::int64_t headWidth, const ChunkInput &in, const DecayedRows &to, float *own);

/// Gradients of query, key and log decay.
struct ChunkGradients {
    float *query = nullptr;
    float *key = nullptr;
    std::int64_t stride = 0;
    float *logDecay = nullptr;
    std::int64_t strideLogDecay = 0;
};
/// From those of the decayed rows, and of own.
void decayRowsBackward(std::int64_t rows, std::int64_t headWidth, const ChunkInput &in, const DecayedRows &decayed,
                       const DecayedRows &d, const float *dOwn, const ChunkGradients &to);

/// Sets to 0 all but what lies below the diagonal of both halves of [2 * kChunkTokens, kChunkTokens].
void keepPast(float *overlaps);

/// z_r = value_r - read_r - sum over i < r of overlaps_ri x_i, x_r = beta_r z_r; [kChunkTokens, C] each.
void solveWrites(std::int64_t rows, std::int64_t headWidth, const float *value, std::int64_t strideValue,
                 const float *read, const float *beta, std::int64_t strideBeta, const float *overlaps, float *unscaled,
                 float *writes, std::int64_t stride);
/// From dWrites: gradients of value and beta, and `negative` = minus the gradient of z, 0 beyond `rows`.
void solveWritesBackward(std::int64_t rows, std::int64_t headWidth, const float *dWrites, const float *beta,
                         std::int64_t strideBeta, const float *overlaps, const float *unscaled, float *negative,
                         std::int64_t stride, float *dValue, std::int64_t strideValue, float *dBeta,
                         std::int64_t strideDBeta);

/// Row k of state [C, C] times factors[k].
void scaleRows(std::int64_t headWidth, float *state, std::int64_t stride, const float *factors);
/// dots[k] = row k of a times row k of b.
void rowDots(std::int64_t headWidth, const float *a, const float *b, std::int64_t stride, float *dots);

} // namespace lookback::kernels::fused
