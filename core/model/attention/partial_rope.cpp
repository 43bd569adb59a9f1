// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_partial_rope();

VariantDefinition variant_partial_rope()
{
    return {.info = {.id = "partial_rope",
                     .family = Family::PartialRope,
                     .logits = LogitForm::Plain,
                     .explanation = "RoPE on half of each head, sees all tokens",
                     .source = "kvbench, Taking Attention Out of Context, July 2026",
                     .pattern = {{.rotaryFraction = 0.5}}},
            .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
