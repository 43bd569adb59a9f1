// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_info.h"

namespace lookback::model {

std::string SublayerInfo::words() const
{
    if (design == "kda")
        return "Kimi delta attention";
    std::string text;
    if (rotaryFraction <= 0.0)
        text = "no position";
    else if (rotaryFraction >= 1.0)
        text = "RoPE";
    else if (rotaryFraction == 0.5)
        text = "RoPE on half of each head";
    else
        text = "RoPE on a part of each head";
    text += isWindowed ? ", window" : ", sees all tokens";
    if (logits == LogitForm::Squared)
        text += ", logits squared";
    return design == "softmax" ? text : design + ": " + text;
}

const SublayerInfo &VariantInfo::sublayer(std::int64_t index) const
{
    return pattern.at(static_cast<std::size_t>(index) % pattern.size());
}

std::string_view familyTitle(Family family)
{
    switch (family) {
    case Family::FullRope:
        return "Full RoPE";
    case Family::PartialRope:
        return "Partial RoPE";
    case Family::HybridWindow:
        return "Hybrid with window";
    case Family::HybridNoWindow:
        return "Hybrid without window";
    case Family::Kda:
        return "Delta attention (KDA) hybrid";
    case Family::ChunkRetrieval:
        return "Chunk retrieval";
    case Family::Baseline:
        return "Baselines";
    case Family::Own:
        break;
    }
    return "Your own";
}

} // namespace lookback::model
