// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_rope_square();

VariantDefinition variant_rope_square()
{
    return {.info = {.id = "rope_square",
                     .family = Family::FullRope,
                     .logits = LogitForm::Squared,
                     .explanation = "As rope, logits squared before the softmax",
                     .source = "kvbench, Taking Attention Out of Context, July 2026",
                     .pattern = {{.rotaryFraction = 1.0, .logits = LogitForm::Squared}}},
            .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
