// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/variant_choice.h"

#include <algorithm>

#include "app/cli/values.h"
#include "core/model/variant_registry.h"

namespace lookback::cli {

std::vector<std::string> chosenVariants(const std::vector<std::string> &texts)
{
    const std::vector<std::string> names = nameList("--variant", texts);
    std::vector<std::string> chosen;
    const auto add = [&](const std::string &id) {
        if (std::find(chosen.begin(), chosen.end(), id) == chosen.end())
            chosen.push_back(id);
    };
    for (const std::string &name : names) {
        if (name == "all") {
            for (const model::VariantInfo &info : model::variants())
                add(info.id);
        } else {
            add(model::variantInfo(name).id);
        }
    }
    return chosen;
}

} // namespace lookback::cli
