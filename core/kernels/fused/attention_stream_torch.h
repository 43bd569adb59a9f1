// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/kernels/fused/attention_sublayer_torch.h"
#include "core/kernels/fused/matrix_panels.h"

// Shapes: P tokens of one piece, Q chosen rows of it, D model width, R rotated pairs of numbers.

namespace lookback::kernels::fused {

/// Attention of one sequence that comes piece by piece, float32 on the CPU, without grad: keys and values are kept
/// (the last window - 1 of them where there is a window), scores are computed block by block with running maxima, so
/// that memory grows with the tokens only. The bits do not depend on the number of threads.
class StreamedAttention {
public:
    /// `capacityTokens`: the longest sequence.
    StreamedAttention(const AttentionWeights &weights, const AttentionForm &form, std::int64_t capacityTokens);

    /// The next piece, normalised [P, D] -> outputs [P, D] (without residual), or [Q, D] of the rows `rows_Q` (int64)
    /// of it. cos and sin [P, R] are those of the piece's positions; undefined = no rotation.
    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &cos_PR, const at::Tensor &sin_PR,
                    const at::Tensor &rows_Q);

private:
    void append(std::int64_t tokens, const at::Tensor &normed_PD, const at::Tensor &cos_PR, const at::Tensor &sin_PR);
    void makeRoom(std::int64_t tokens);

    AttentionForm m_form;
    std::int64_t m_width;
    Panels m_query;
    Panels m_keyValue;
    Panels m_output;
    std::int64_t m_capacity; ///< Tokens that fit into the buffers below.
    std::int64_t m_first = 0; ///< Position of the first token that is kept.
    std::int64_t m_position = 0; ///< Tokens read.
    AlignedFloats m_keys; ///< Of each group, panels of kPanel tokens: [capacity / kPanel][C][kPanel].
    AlignedFloats m_values; ///< Of each group [capacity][stride].
    AlignedFloats m_piece;
    AlignedFloats m_queries;
    AlignedFloats m_mixed;
};

} // namespace lookback::kernels::fused
