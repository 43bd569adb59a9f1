// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/config.h"
#include "core/model/variant_info.h"

// Shapes: B sequences, T tokens, D model width, V vocabulary (12), H query heads, Q query and K key positions.

namespace lookback::model {

using NamedTensor = std::pair<std::string, at::Tensor>;

/// The backbone with the attention sublayers of one variant (specs/architectures.md). Parameters are plain leaf tensors
/// under the state names of the runs folder (E.weight, layers.<i>.Wq.weight, ...).
class Transformer {
public:
    /// Throws Error if the configuration cannot be built. Parameters are zero until initialise or load.
    Transformer(const RunConfig &config, at::ScalarType dtype, at::Device device);
    ~Transformer();
    Transformer(Transformer &&) noexcept;

    /// PyTorch's default initialisation drawn from Philox: a pure function of the seed and the parameter names.
    void initialise(std::uint64_t seed);

    /// In a fixed order; the tensors share storage with the model.
    std::vector<NamedTensor> parameters() const;

    /// Copies values in. Throws Error that lists what is missing, unexpected or of another shape or type; nothing is
    /// changed then.
    void load(const std::vector<NamedTensor> &values);

    /// Logits for every position. `tokens_BT`: int64, on the model's device. With grad mode on it records the graph.
    at::Tensor forward(const at::Tensor &tokens_BT) const;

    /// Logits [S, V] at the flat positions b * T + t of `positions_S` only: same values as forward, cheaper at the end.
    at::Tensor forwardAt(const at::Tensor &tokens_BT, const at::Tensor &positions_S) const;

    /// Logits [S, V] of one sequence of any length without grad, in memory that does not grow with T^2: full attention
    /// by query blocks, windowed layers in their band, recurrent layers as a stream.
    at::Tensor evaluateAt(const at::Tensor &tokens_T, const at::Tensor &positions_S) const;

    std::int64_t attentionLayers() const;
    const SublayerInfo &sublayer(std::int64_t attentionLayer) const;
    const RunConfig &config() const;

    /// Hidden states [T, D] that enter attention sublayer `layer` (before its norm), for each layer, of one sequence.
    std::vector<at::Tensor> attentionInputs(const at::Tensor &tokens_T) const;

    /// Exact weights [H, Q, K] of layer `layer` for queries queryBegin..queryEnd-1, from its input of attentionInputs;
    /// for recurrent designs the signed matrix that the recurrence amounts to.
    at::Tensor attentionMap(std::int64_t layer, const at::Tensor &input_TD, std::int64_t queryBegin,
                            std::int64_t queryEnd) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::model
