// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/model/parameter_info.h"

namespace lookback::model {

/// "layers.<i>.": even i = attention sublayers, odd i = feed-forward sublayers.
std::string layerPrefix(std::int64_t sublayer);

/// All parameters of the model that `config` describes, in the order of Transformer::parameters(). Throws Error for an
/// unknown variant; other faults are for requireRunnable to find.
std::vector<ParameterInfo> modelParameters(const RunConfig &config);

} // namespace lookback::model
