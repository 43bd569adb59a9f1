// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/json_text.h"

#include <cmath>

namespace lookback::cli {

Json jsonNumber(const std::optional<double> &number)
{
    if (!number)
        return nullptr;
    if (std::isnan(*number))
        return "NaN";
    if (std::isinf(*number))
        return *number > 0 ? "Infinity" : "-Infinity";
    return *number;
}

std::string jsonLine(const Json &value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace lookback::cli
