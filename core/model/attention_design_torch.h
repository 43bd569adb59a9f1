// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/model/parameter_info.h"

// Shapes: B sequences, T tokens, P tokens of one piece, Q queries, K keys, H query heads, D model width.

namespace lookback::model {

/// Reads one sequence piece by piece and remembers what later pieces need: cached keys and values, a window of them,
/// or a recurrent state. No gradients. However a sequence is cut, the outputs are those of the whole, to rounding.
class AttentionStream {
public:
    virtual ~AttentionStream() = default;

    /// The next piece, normalised [P, D] -> outputs [P, D]; or [Q, D] of the rows `rows_Q` (int64, ascending) of this
    /// piece, if that tensor is defined. Later pieces may see all rows of this one either way.
    virtual at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) = 0;

    /// Tokens that a piece should have, so that intermediate values stay small, when `position` tokens were read.
    virtual std::int64_t pieceTokens(std::int64_t position) const = 0;
};

/// One attention sublayer: everything between its norm and the residual. Owns no weights; it names them, and is given
/// the tensors once. Used by one thread at a time.
class AttentionDesign {
public:
    virtual ~AttentionDesign() = default;

    /// What the sublayer trains, names without "layers.<i>.". Quick: also called just to count.
    virtual std::vector<ParameterInfo> parameters() const = 0;

    /// The tensors of parameters(), in that order; all of one type on one device. Called once, before anything below.
    virtual void bind(const std::vector<at::Tensor> &tensors) = 0;

    /// Training form, with grad mode on it records the graph: normalised [B, T, D] -> outputs [B, T, D]. If
    /// `queries_BQ` (int64 positions in 0..T-1) is defined, only the outputs of those positions, [B, Q, D].
    virtual at::Tensor forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const = 0;

    /// A reader for one sequence of up to `capacityTokens` tokens.
    virtual std::unique_ptr<AttentionStream> stream(std::int64_t capacityTokens) const = 0;

    /// What queries queryBegin..queryEnd-1 take from each position, [H, Q, T], without the other rows: the exact
    /// probabilities of a softmax (0 where not visible), or the signed matrix that a recurrence amounts to.
    virtual at::Tensor map(const at::Tensor &normed_TD, std::int64_t queryBegin, std::int64_t queryEnd) const = 0;

    /// The vectors that the columns of map() weigh, [H, T, C], so that map x values, heads joined, is what the rest of
    /// the sublayer (output projection, gate) is applied to.
    virtual at::Tensor values(const at::Tensor &normed_TD) const = 0;

    /// Outputs [T, D] from map() x values(), [H, T, C]: output projection, and norm and gate where the design has them.
    virtual at::Tensor outputFromMixed(const at::Tensor &mixed_HTC, const at::Tensor &normed_TD) const = 0;

    /// Nominal floating-point operations of one forward pass over T tokens of one sequence, parameters included.
    virtual double forwardFlop(std::int64_t tokens) const = 0;
};

} // namespace lookback::model
