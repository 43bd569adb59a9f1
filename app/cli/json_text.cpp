// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/json_text.h"

#include "core/json.h"

namespace lookback::cli {

Json jsonNumber(const std::optional<double> &number)
{
    return number ? Json(realToJson(*number)) : Json(nullptr);
}

std::string jsonLine(const Json &value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace lookback::cli
