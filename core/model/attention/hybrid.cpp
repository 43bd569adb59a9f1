// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_hybrid();

VariantDefinition variant_hybrid()
{
    return {.info = {.id = "hybrid",
                     .family = Family::HybridWindow,
                     .logits = LogitForm::Plain,
                     .explanation = "Short window with RoPE, then all tokens, no position",
                     .source = "kvbench, Taking Attention Out of Context, July 2026",
                     .pattern = {{.rotaryFraction = 1.0, .isWindowed = true}, {}}},
            .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
