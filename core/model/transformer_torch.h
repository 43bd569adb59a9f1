// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/compute.h"
#include "core/config.h"
#include "core/model/dropout_torch.h"
#include "core/model/variant_info.h"
#include "core/progress.h"

// Shapes: B sequences, T tokens, P tokens of a piece, D model width, V vocabulary (12), H query heads, Q query and
// K key positions, S scored positions.

namespace lookback::model {

class AttentionDesign;
class MapReader;
struct EvaluationChanges;
struct HeadRange;
struct MapRows;

using NamedTensor = std::pair<std::string, at::Tensor>;

/// Reads one sequence piece by piece, as it arrives; see Transformer::stream.
class TransformerStream {
public:
    virtual ~TransformerStream() = default;
    /// The next tokens (int64 [P], any P of 1 or more): their logits [P, V].
    virtual at::Tensor feed(const at::Tensor &tokens_P) = 0;
};

/// The backbone with the attention sublayers of one variant (specs/architectures.md). Parameters are plain leaf tensors
/// under the state names of the runs folder (E.weight, layers.<i>.Wq.weight, ...). One thread at a time; models of
/// different threads share nothing.
class Transformer {
public:
    /// Throws Error if the configuration cannot be built. Parameters are zero until initialise or load.
    Transformer(const RunConfig &config, at::ScalarType dtype, at::Device device);
    ~Transformer();
    Transformer(Transformer &&) noexcept;
    Transformer &operator=(Transformer &&) noexcept;

    /// Which code computes; Fused at first. Means something in float32 on the CPU only. `precision`: of the products of
    /// forward and forwardAt, where their sublayers have fused kernels; everything else stays float32.
    void setKernels(Kernels kernels, Precision precision = Precision::Float32);
    /// Whether every sublayer is computed by fused kernels.
    bool isWhollyFused() const;

    /// What forward and forwardAt drop from now on; nothing at first. Evaluation never drops anything.
    void setDropout(const Dropout &dropout);

    /// PyTorch's default initialisation drawn from Philox: a pure function of the seed and the parameter names.
    void initialise(std::uint64_t seed);

    /// In a fixed order; the tensors share storage with the model.
    std::vector<NamedTensor> parameters() const;

    /// Copies values in (float32 and float64 are converted). Throws Error that lists what is missing, unexpected or of
    /// another shape or type; nothing is changed then.
    void load(const std::vector<NamedTensor> &values);

    /// Logits [B, T, V] for every position. `tokens_BT`: int64, on the model's device. With grad mode on it records the
    /// graph.
    at::Tensor forward(const at::Tensor &tokens_BT) const;

    /// Logits [S, V] at the flat positions b * T + t of `positions_S` only: same values as forward, cheaper at the end.
    at::Tensor forwardAt(const at::Tensor &tokens_BT, const at::Tensor &positions_S) const;

    /// Logits [S, V] of one sequence of any length without grad, in memory that does not grow with T^2: full attention
    /// by query blocks, windowed layers in their band, recurrent layers as a stream. `positions_S`: int64 in any order.
    /// Throws Cancelled soon after `stop` was asked for.
    at::Tensor evaluateAt(const at::Tensor &tokens_T, const at::Tensor &positions_S, std::stop_token stop = {}) const;

    /// A reader without grad for one sequence of up to `capacityTokens` tokens; the model must outlive it.
    std::unique_ptr<TransformerStream> stream(std::int64_t capacityTokens) const;

    std::int64_t attentionLayers() const;
    const SublayerInfo &sublayer(std::int64_t attentionLayer) const;
    const RunConfig &config() const;

    /// The same from the last of attentionInputs, without computing what comes before again.
    at::Tensor evaluateFromLastInput(const at::Tensor &input_TD, const at::Tensor &positions_S,
                                     std::stop_token stop = {}) const;

    /// The same from the input of any attention sublayer: nothing before it is computed.
    at::Tensor evaluateFromInput(std::int64_t layer, const at::Tensor &input_TD, const at::Tensor &positions_S,
                                 std::stop_token stop = {}) const;

    /// Hidden states [T, D] that enter attention sublayer `layer` (before its norm), for each layer, of one sequence.
    /// `progress` counts layers.
    std::vector<at::Tensor> attentionInputs(const at::Tensor &tokens_T, std::stop_token stop = {},
                                            const ProgressFunction &progress = {}) const;

    /// Exact weights [H, Q, K] of layer `layer` for queries queryBegin..queryEnd-1, from its input of attentionInputs;
    /// for recurrent designs the signed matrix that the recurrence amounts to.
    at::Tensor attentionMap(std::int64_t layer, const at::Tensor &input_TD, std::int64_t queryBegin,
                            std::int64_t queryEnd) const;

    /// The same row block by row block, of some heads only. Read it without grad; the model must outlive it.
    std::unique_ptr<MapReader> mapReader(std::int64_t layer, const at::Tensor &input_TD, std::int64_t firstQuery,
                                         HeadRange heads) const;

    /// Some rows of it, of some heads, without grad (AttentionDesign::mapRows).
    MapRows mapRows(std::int64_t layer, const at::Tensor &input_TD, const at::Tensor &queries_Q, HeadRange heads) const;

    /// Changes attention sublayer `layer` without retraining, for everything computed after it; a default-constructed
    /// value undoes it.
    void setChanges(std::int64_t layer, EvaluationChanges changes);

    /// The computation of attention sublayer `layer`, and its input [.., D] after the norm.
    const AttentionDesign &attention(std::int64_t layer) const;
    at::Tensor normedInput(std::int64_t layer, const at::Tensor &input) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::model
