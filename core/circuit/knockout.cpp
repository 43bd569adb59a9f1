// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/knockout.h"

#include <array>
#include <charconv>
#include <cmath>

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

std::string differenceText(const eval::PairedDifference &difference)
{
    if (!difference.isDistinguishable)
        return "not distinguishable here";
    std::array<char, 32> buffer;
    const double points = 100.0 * std::abs(difference.difference);
    const std::to_chars_result end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), points, std::chars_format::fixed, 2);
    return (difference.difference < 0.0 ? "-" : "+") + std::string(buffer.data(), end.ptr) + " points";
}

} // namespace lookback::circuit
