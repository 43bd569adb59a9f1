// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/json_members.h"

namespace lookback {

/// A kind of file that keeps tables measured of one checkpoint: one JSON object with "format", "format_version",
/// "weights" (fingerprint of what was measured) and "tables".
struct MeasuredFileKind {
    const char *format; ///< "lookback-head-measures"
    std::int64_t version = 1; ///< Newest that is known.
    const char *content; ///< "The measured heads", of sentences.
    const DamageWords &damage;
};

/// The text of such a file. `tables`: a JSON array.
std::string measuredFileText(const MeasuredFileKind &kind, const std::string &fingerprint,
                             nlohmann::ordered_json tables);

/// The tables of a file that was parsed into `object`; `fingerprint` may be null. Throws Error about `subject` for
/// another kind or a damaged frame, NewerFormat for a newer version.
const nlohmann::json &measuredTables(const nlohmann::json &object, const std::string &subject,
                                     const MeasuredFileKind &kind, std::string *fingerprint);

} // namespace lookback
