// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_rope();

VariantDefinition variant_rope()
{
    return {.info = {.id = "rope",
                     .family = Family::FullRope,
                     .logits = LogitForm::Plain,
                     .explanation = "RoPE on every channel, sees all tokens",
                     .source = "kvbench, Taking Attention Out of Context, July 2026",
                     .pattern = {{.rotaryFraction = 1.0}}},
            .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
