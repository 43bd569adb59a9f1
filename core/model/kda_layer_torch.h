// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/config.h"
#include "core/kernels/fused/kda_sublayer_torch.h"
#include "core/model/attention_design_torch.h"

// Shapes: B sequences, T tokens, H heads, C head width, D model width, E = H x C, X = T + taps - 1.

namespace lookback::model {

/// What the recurrence of Kimi Delta Attention reads (kernels::kdaScan).
struct KdaInputs {
    at::Tensor query_BHTC; ///< After convolution and SiLU, of unit length.
    at::Tensor key_BHTC; ///< Likewise.
    at::Tensor value_BHTC; ///< After convolution and SiLU.
    at::Tensor logDecay_BHTC; ///< -5 sigmoid(exp(A_h) z)
    at::Tensor beta_BHT;
};

/// One Kimi delta attention sublayer (arXiv 2510.26692, in the form of kvbench; specs/architectures.md).
class KdaLayer final : public AttentionDesign {
public:
    explicit KdaLayer(const RunConfig &config);

    std::vector<ParameterInfo> parameters() const override;
    void bind(const std::vector<at::Tensor> &tensors) override;
    at::Tensor forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const override;
    bool hasFusedKernels() const override
    {
        return !changes().headGain_H.defined() && !changes().pattern && !changes().headOutput;
    }
    at::Tensor fusedSublayer(const at::Tensor &x_BTD, const at::Tensor &gain_D, const at::Tensor &queries_BQ,
                             Precision precision) const override;
    std::unique_ptr<AttentionStream> stream(std::int64_t capacityTokens) const override;
    std::unique_ptr<AttentionStream> fusedStream(std::int64_t capacityTokens) const override;
    std::unique_ptr<MapReader> mapReader(const at::Tensor &normed_TD, std::int64_t firstQuery,
                                         HeadRange heads) const override;
    at::Tensor values(const at::Tensor &normed_TD) const override;
    at::Tensor outputFromMixed(const at::Tensor &mixed_HTC, const at::Tensor &normed_TD) const override;
    double forwardFlop(std::int64_t tokens) const override;

    /// Channels [B, T, 3E] of query, key and value before the convolution.
    at::Tensor convolutionInput(const at::Tensor &normed_BTD) const;
    /// `padded_BXE`: convolutionInput with the three tokens before it (zeros at the start of a sequence).
    KdaInputs scanInputs(const at::Tensor &normed_BTD, const at::Tensor &padded_BXE) const;
    KdaInputs scanInputsOfWhole(const at::Tensor &normed_BTD) const;
    /// Norm per head, gate and output projection of scan outputs: [B, H, T, C] -> [B, T, D]. `positions_BT`: of the
    /// rows.
    at::Tensor output(const at::Tensor &scanned_BHTC, const at::Tensor &normed_BTD,
                      const at::Tensor &positions_BT) const;
    /// What is used instead of rows of the recurrence's matrix, [B, H, T, K].
    at::Tensor usedMatrix(at::Tensor matrix_BHTK, const at::Tensor &positions_BT, HeadRange heads) const;
    bool hasPattern() const { return static_cast<bool>(changes().pattern); }
    /// [1, count]
    at::Tensor positions(std::int64_t first, std::int64_t count) const;
    std::int64_t innerWidth() const { return m_heads * m_width; }

private:
    kernels::fused::KdaWeights fusedWeights() const;

    std::int64_t m_modelWidth;
    std::int64_t m_heads;
    std::int64_t m_width;
    at::Tensor m_query;
    at::Tensor m_key;
    at::Tensor m_value;
    at::Tensor m_convolution;
    at::Tensor m_decayDown;
    at::Tensor m_decayUp;
    at::Tensor m_beta;
    at::Tensor m_gate;
    at::Tensor m_output;
    at::Tensor m_normGain;
    at::Tensor m_decayScale;
    at::Tensor m_decayBias;
};

} // namespace lookback::model
