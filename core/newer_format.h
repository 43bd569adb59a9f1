// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"

namespace lookback {

/// A file is in a newer format than this program knows. Whoever would write over that file, or over what a newer
/// program keeps beside it, ends instead: nothing of it may be lost.
class NewerFormat : public Error {
public:
    using Error::Error;
};

} // namespace lookback
