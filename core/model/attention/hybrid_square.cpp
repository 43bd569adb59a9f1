// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_hybrid_square();

VariantDefinition variant_hybrid_square()
{
    return {.info = {.id = "hybrid_square",
                     .family = Family::HybridWindow,
                     .logits = LogitForm::Squared,
                     .explanation = "As hybrid, logits squared",
                     .source = "kvbench, Taking Attention Out of Context, July 2026",
                     .pattern = {{.rotaryFraction = 1.0, .isWindowed = true, .logits = LogitForm::Squared},
                                 {.logits = LogitForm::Squared}}},
            .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
