// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/compute.h"
#include "core/kernels/rotary_torch.h"
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

/// Query heads begin..end-1 of a sublayer.
struct HeadRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t count() const { return end - begin; }
};

/// Reads the rows of a sublayer's map in order, so that a map of any size is made in pieces. No gradients.
class MapReader {
public:
    virtual ~MapReader() = default;

    /// The next `rows` queries, [H, rows, T] of the heads asked for. However rows are cut, the same to rounding.
    virtual at::Tensor next(std::int64_t rows) = 0;
};

/// Some rows of a map.
struct MapRows {
    at::Tensor weights_HQT;
    /// Whether the logit, before it was squared, is below 0 (bool); only where logits are squared, else undefined.
    at::Tensor isNegative_HQT;
};

/// Weights of consecutive or chosen rows of a map, as a pattern change gets them.
struct PatternRows {
    at::Tensor weights_BHQK; ///< What the model would use; 0 where not visible. Signed for recurrent designs.
    at::Tensor positions_BQ; ///< int64, of the rows; one row of positions may stand for all sequences.
    std::int64_t firstKey = 0; ///< Position of the first column.
    HeadRange heads; ///< Which heads these are.
};

/// Changes to a trained sublayer, without retraining. A default one changes nothing. A design applies those that mean
/// something to it, in all its forms: forward, stream and map.
struct EvaluationChanges {
    /// Makes the rotary table of some positions (int64 [T]) instead of kernels::rotaryTable: other angles, another
    /// base, mapped positions, another precision.
    std::function<kernels::RotaryTable(const at::Tensor &positions_T, std::int64_t rotatedWidth, double base,
                                       const at::TensorOptions &options)>
        rotaryTable;
    /// Logits are divided by it, before they are squared.
    double temperature = 1.0;
    /// What attention reads instead of the keys [B, G, K, C] (after RoPE) or values that it would cache.
    std::function<at::Tensor(const at::Tensor &)> keyCodec;
    std::function<at::Tensor(const at::Tensor &)> valueCodec;
    /// Factor of each query head's share of the output, [H]; 0 removes a head. Undefined = all 1.
    at::Tensor headGain_H;
    /// What is used instead of the weights of a map, [B, H, Q, K] as given; recurrent designs take the matrix that
    /// their recurrence amounts to. Costs whole maps, also where a window or a recurrence would not need them.
    std::function<at::Tensor(const PatternRows &rows)> pattern;
    /// What the output projection reads instead of the heads [B, Q, H, C], after norm and gate where the design has
    /// them; given the positions [B, Q] (or [1, Q] for all sequences) of the rows.
    std::function<at::Tensor(const at::Tensor &heads_BQHC, const at::Tensor &positions_BQ)> headOutput;
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

    /// Holds for all calls after it, until the next. Streams made before are not affected; do not use them any more.
    virtual void setChanges(EvaluationChanges changes) { m_changes = std::move(changes); }

    /// Training form, with grad mode on it records the graph: normalised [B, T, D] -> outputs [B, T, D]. If
    /// `queries_BQ` (int64 positions in 0..T-1) is defined, only the outputs of those positions, [B, Q, D].
    virtual at::Tensor forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const = 0;

    /// Whether the two below may be called: the design has fused kernels, for its changes, too. They are for float32 on
    /// the CPU.
    virtual bool hasFusedKernels() const { return false; }

    /// The whole sublayer in one pass: x [B, T, D] (those of `queries_BQ` only, if defined) + forward(norm(x) * gain),
    /// products with weights in `precision`.
    virtual at::Tensor fusedSublayer(const at::Tensor & /*x_BTD*/, const at::Tensor & /*gain_D*/,
                                     const at::Tensor & /*queries_BQ*/, Precision /*precision*/) const
    {
        return {};
    }

    /// As stream, by fused kernels.
    virtual std::unique_ptr<AttentionStream> fusedStream(std::int64_t /*capacityTokens*/) const { return nullptr; }

    /// A reader for one sequence of up to `capacityTokens` tokens.
    virtual std::unique_ptr<AttentionStream> stream(std::int64_t capacityTokens) const = 0;

    /// A reader, from row `firstQuery` on, of what queries take from each position: the exact probabilities of a
    /// softmax (0 where not visible), or the signed matrix that a recurrence amounts to. Only `heads` are computed. The
    /// design must outlive the reader and keep its changes.
    virtual std::unique_ptr<MapReader> mapReader(const at::Tensor &normed_TD, std::int64_t firstQuery,
                                                 HeadRange heads) const = 0;

    /// The rows `queries_Q` (int64, ascending) of the map, of some heads, without grad. Costs what these rows cost
    /// where rows do not depend on earlier ones; else, as here, a map up to the last of them, read in pieces.
    virtual MapRows mapRows(const at::Tensor &normed_TD, const at::Tensor &queries_Q, HeadRange heads) const;

    /// The vectors that the columns of the map weigh, [H, T, C], so that map x values, heads joined, is what the rest
    /// of the sublayer (output projection, gate) is applied to.
    virtual at::Tensor values(const at::Tensor &normed_TD) const = 0;

    /// Outputs [T, D] from map x values(), [H, T, C]: output projection, and norm and gate where the design has them.
    virtual at::Tensor outputFromMixed(const at::Tensor &mixed_HTC, const at::Tensor &normed_TD) const = 0;

    /// Nominal floating-point operations of one forward pass over T tokens of one sequence, parameters included.
    virtual double forwardFlop(std::int64_t tokens) const = 0;

protected:
    const EvaluationChanges &changes() const { return m_changes; }

private:
    EvaluationChanges m_changes;
};

} // namespace lookback::model
