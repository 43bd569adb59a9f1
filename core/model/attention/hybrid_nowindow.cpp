// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_hybrid_nowindow();

VariantDefinition variant_hybrid_nowindow()
{
    return {.info = {.id = "hybrid_nowindow",
                     .family = Family::HybridNoWindow,
                     .logits = LogitForm::Plain,
                     .explanation = "As hybrid, but RoPE layers see all tokens",
                     .source = "kvbench, Taking Attention Out of Context, July 2026",
                     .pattern = {{.rotaryFraction = 1.0}, {}}},
            .makeDesign = makeSoftmaxAttention};
}

} // namespace lookback::model
