// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

/// The stored colours of the colour maps, 0xRRGGBB. Used through colour_map.h.
namespace lookback::ui::tables {

extern const std::array<std::uint32_t, 256> kViridis;
extern const std::array<std::uint32_t, 256> kCividis;
extern const std::array<std::uint32_t, 256> kMagma;
extern const std::array<std::uint32_t, 256> kGrey;
extern const std::array<std::uint32_t, 256> kDivergingLight;
extern const std::array<std::uint32_t, 256> kDivergingDark;

} // namespace lookback::ui::tables
