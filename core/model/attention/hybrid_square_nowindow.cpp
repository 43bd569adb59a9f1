// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_hybrid_square_nowindow();

VariantDefinition variant_hybrid_square_nowindow()
{
    return {
        .info = {.id = "hybrid_square_nowindow",
                 .family = Family::HybridNoWindow,
                 .logits = LogitForm::Squared,
                 .explanation = "The same without window, logits squared",
                 .source = "kvbench, Taking Attention Out of Context, July 2026",
                 .pattern = {{.rotaryFraction = 1.0, .logits = LogitForm::Squared}, {.logits = LogitForm::Squared}}},
        .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
