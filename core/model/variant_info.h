// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lookback::model {

/// Family of attention design; decides the hue of a curve.
enum class Family {
    FullRope,
    PartialRope,
    HybridWindow,
    HybridNoWindow,
    Kda,
    ChunkRetrieval,
    Baseline,
    Own,
};

/// What the softmax is applied to; decides the dash of a curve (solid = squared, dashed = plain).
enum class LogitForm { Plain, Squared };

/// What one attention sublayer does, for pictures and words; its computation is an AttentionDesign.
struct SublayerInfo {
    /// "softmax" or "kda"; other designs name themselves.
    std::string design = "softmax";
    double rotaryFraction = 0.0; ///< Share of each head that RoPE rotates: 1 full, 0.5 half, 0 no position (NoPE).
    bool isWindowed = false; ///< Sees only the last `window` keys.
    LogitForm logits = LogitForm::Plain;
    bool hasSoftmaxMap = true; ///< False for recurrent designs: their map is the matrix the recurrence amounts to.

    /// "RoPE, window", "no position, sees all tokens, logits squared", "Kimi delta attention", ...
    std::string words() const;
    bool operator==(const SublayerInfo &) const = default;
};

/// A variant as the picker, the legend and the command line show it.
struct VariantInfo {
    std::string id; ///< "hybrid_square"; also its name in files and options.
    Family family = Family::Own;
    LogitForm logits = LogitForm::Plain;
    std::string explanation; ///< One line: "Window of 10 with RoPE, then all, no position".
    std::string source; ///< Publication the design comes from.
    std::vector<SublayerInfo> pattern; ///< Repeated over the attention sublayers.

    /// What attention sublayer `index` (from 0) does.
    const SublayerInfo &sublayer(std::int64_t index) const;
    bool operator==(const VariantInfo &) const = default;
};

/// "Full RoPE", "Partial RoPE", "Hybrid with window", "Hybrid without window", "Delta attention (KDA) hybrid", ...
std::string_view familyTitle(Family family);

} // namespace lookback::model
