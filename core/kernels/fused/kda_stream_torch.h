// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/fused/kda_scan.h"
#include "core/kernels/fused/kda_sublayer_torch.h"

// Shapes: P tokens of one piece, Q chosen rows of it, D model width.

namespace lookback::kernels::fused {

/// Kimi delta attention of one sequence that comes piece by piece, float32 on the CPU, without grad: the states of the
/// heads and the convolution's past are kept, so that memory does not grow with the sequence. The bits do not depend on
/// the number of threads.
class StreamedKda {
public:
    explicit StreamedKda(const KdaWeights &weights);

    /// The next piece, normalised [P, D] -> outputs [P, D] (without residual), or [Q, D] of the rows `rows_Q` (int64)
    /// of it.
    at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q);

private:
    KdaLayout layoutFor(std::int64_t tokens) const;

    KdaForm m_form;
    std::int64_t m_width;
    KdaOperands m_operands;
    Panels m_joinedWeights;
    Panels m_decayUp;
    Panels m_output;
    std::vector<KdaScan> m_scans; ///< One a head.
    AlignedFloats m_states;
    AlignedFloats m_joined;
    AlignedFloats m_past; ///< Joined rows before the piece.
    AlignedFloats m_convolved;
    AlignedFloats m_active;
    AlignedFloats m_norms;
    AlignedFloats m_decay;
    AlignedFloats m_beta;
    AlignedFloats m_scanned;
    AlignedFloats m_mixed;
    AlignedFloats m_chosen;
};

} // namespace lookback::kernels::fused
