// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/config.h"
#include "core/model/variant_info.h"

namespace lookback::model {

class AttentionDesign; // attention_design_torch.h

/// Builds the computation of attention sublayer `layer` (from 0).
using MakeDesign = std::unique_ptr<AttentionDesign> (*)(const RunConfig &config, const SublayerInfo &sublayer,
                                                        std::int64_t layer);

/// A registry entry: how a variant is shown, and what builds its sublayers.
struct VariantDefinition {
    VariantInfo info;
    MakeDesign makeDesign = nullptr;
};

/// Softmax attention with any rotary fraction, window and logit form (the eight variants without recurrence).
std::unique_ptr<AttentionDesign> makeSoftmaxAttention(const RunConfig &config, const SublayerInfo &sublayer,
                                                      std::int64_t layer);

/// Kimi delta attention for sublayers with design "kda", softmax attention for the others.
std::unique_ptr<AttentionDesign> makeKdaHybrid(const RunConfig &config, const SublayerInfo &sublayer,
                                               std::int64_t layer);

/// Adds a variant at run time, after those of variants.def. Call before any other thread uses the registry.
/// Throws Error if the id is taken.
void addVariant(VariantDefinition definition);

/// Throws Error that lists the known ids, near ones first.
const VariantDefinition &variantDefinition(std::string_view id);

} // namespace lookback::model
