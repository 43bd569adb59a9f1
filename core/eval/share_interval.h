// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "core/eval/accuracy.h"

namespace lookback::eval {

/// exactMatchInterval where sequences have different numbers of answers: `exactBySequence[i]` of `answersBySequence[i]`
/// are right. Sequences without answers say nothing.
Interval shareInterval(std::span<const std::int64_t> exactBySequence, std::span<const std::int64_t> answersBySequence);

} // namespace lookback::eval
