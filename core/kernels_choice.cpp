// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compute.h"
#include "core/error.h"
#include "core/json.h"

namespace lookback {

std::string_view kernelsName(Kernels kernels)
{
    return kernels == Kernels::Fused ? "fused" : "reference";
}

Kernels kernelsFromName(std::string_view name, const std::string &subject)
{
    for (const Kernels kernels : {Kernels::Reference, Kernels::Fused}) {
        if (name == kernelsName(kernels))
            return kernels;
    }
    throw Error(subject, inQuotes(name) + " are not known kernels.", "Choose reference or fused.");
}

} // namespace lookback
