// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/knockout.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lookback::circuit {

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
