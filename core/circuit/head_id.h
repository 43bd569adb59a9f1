// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lookback::circuit {

/// A query head of an attention sublayer; both are counted from 0.
struct HeadId {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    auto operator<=>(const HeadId &) const = default;
};

/// "5:2".
std::string headText(const HeadId &id);
/// "5:2, 7:0"; "none" for no head.
std::string headsText(const std::vector<HeadId> &ids);

/// Reads headText's form: two whole numbers from 0 on. Throws Error with `subject` for anything else.
HeadId headFromText(std::string_view text, const std::string &subject);

/// Throws Error naming the first head that a model with so many layers and heads does not have.
void requireHeads(const std::vector<HeadId> &ids, std::int64_t layers, std::int64_t heads);

} // namespace lookback::circuit
