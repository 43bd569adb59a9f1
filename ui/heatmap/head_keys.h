// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/circuit/head_id.h"

namespace lookback::ui {

/// Where an arrow key, Home or End (Qt::Key) leads from a head in a grid with layers below each other and `heads` heads
/// each; it may lead outside. Nothing for other keys.
std::optional<circuit::HeadId> headAfterKey(int key, circuit::HeadId head, std::int64_t heads);

} // namespace lookback::ui
