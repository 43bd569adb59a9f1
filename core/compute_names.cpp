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

std::string_view precisionName(Precision precision)
{
    return precision == Precision::Bfloat16 ? "bfloat16" : "float32";
}

Precision precisionFromName(std::string_view name, const std::string &subject)
{
    for (const Precision precision : {Precision::Float32, Precision::Bfloat16}) {
        if (name == precisionName(precision))
            return precision;
    }
    throw Error(subject, inQuotes(name) + " is not a known precision.", "Choose float32 or bfloat16.");
}

} // namespace lookback
