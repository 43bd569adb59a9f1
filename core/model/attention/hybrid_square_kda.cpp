// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_definition.h"

namespace lookback::model {

VariantDefinition variant_hybrid_square_kda();

VariantDefinition variant_hybrid_square_kda()
{
    return {.info = {.id = "hybrid_square_kda",
                     .family = Family::Kda,
                     .logits = LogitForm::Squared,
                     .explanation = "Delta attention, then all tokens, no position, squared",
                     .source = "kvbench, Taking Attention Out of Context, July 2026; Kimi Linear, arXiv 2510.26692",
                     .pattern = {{.design = "kda", .hasSoftmaxMap = false}, {.logits = LogitForm::Squared}}},
            .makeDesign = makeKdaHybrid};
}

} // namespace lookback::model
