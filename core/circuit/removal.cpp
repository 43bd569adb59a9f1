// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/removal.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/json.h"
#include "core/near_names.h"

namespace lookback::circuit {

namespace {

constexpr std::array<std::string_view, 3> kRemovals{"zero", "mean", "uniform"};

} // namespace

std::string_view removalName(Removal removal)
{
    return kRemovals[static_cast<std::size_t>(removal)];
}

Removal removalFromName(std::string_view name, const std::string &subject)
{
    for (std::size_t i = 0; i < kRemovals.size(); ++i) {
        if (kRemovals[i] == name)
            return static_cast<Removal>(i);
    }
    const std::vector<std::string> known(kRemovals.begin(), kRemovals.end());
    throw Error(subject, inQuotes(name) + " is not one of the choices: " + joined(known) + ".",
                didYouMean(name, known));
}

Intervention normalised(Intervention intervention)
{
    std::ranges::sort(intervention.heads);
    const auto repeated = std::ranges::unique(intervention.heads);
    intervention.heads.erase(repeated.begin(), repeated.end());
    if (intervention.heads.empty())
        intervention.removal = Removal::Zero;
    return intervention;
}

} // namespace lookback::circuit
