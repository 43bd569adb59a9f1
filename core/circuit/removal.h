// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/circuit/head_id.h"

namespace lookback::circuit {

/// How a head is removed (specs/circuit.md).
enum class Removal {
    Zero, ///< It adds nothing.
    Mean, ///< It adds what it adds on average at that place of an entry, over other sequences of that length.
    Uniform, ///< It looks at everything that it may see alike.
};
/// "zero", "mean", "uniform".
std::string_view removalName(Removal removal);
/// Throws Error about `subject` that lists the names.
Removal removalFromName(std::string_view name, const std::string &subject);

/// A set of heads that are removed together. None of them is the intact model.
struct Intervention {
    std::vector<HeadId> heads{};
    Removal removal = Removal::Zero;
    bool operator==(const Intervention &) const = default;
};

/// The same model in one spelling: heads by layer and head, each once; without heads the removal does not matter.
Intervention normalised(Intervention intervention);

} // namespace lookback::circuit
