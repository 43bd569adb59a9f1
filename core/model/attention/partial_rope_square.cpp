// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_partial_rope_square();

VariantDefinition variant_partial_rope_square()
{
    return {.info = {.id = "partial_rope_square",
                     .family = Family::PartialRope,
                     .logits = LogitForm::Squared,
                     .explanation = "As partial_rope, logits squared",
                     .source = "kvbench, Taking Attention Out of Context, July 2026",
                     .pattern = {{.rotaryFraction = 0.5, .logits = LogitForm::Squared}}},
            .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
