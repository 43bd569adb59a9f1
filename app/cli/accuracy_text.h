// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/console.h"
#include "app/cli/json_text.h"
#include "core/eval/accuracy.h"

namespace lookback::cli {

/// Columns for points of accuracy by context length.
TextTable accuracyTable();
void addAccuracyRow(TextTable &table, const std::string &run, const eval::AccuracyCurve &curve,
                    const eval::AccuracyPoint &point);

/// n_keys, context_tokens, accuracy, low, high, sequences, answers, exact, mean_loss.
Json pointJson(const eval::AccuracyPoint &point);

/// A point as one object: run, variant, step, then those of pointJson.
Json accuracyJson(const std::filesystem::path &run, const eval::AccuracyCurve &curve, const eval::AccuracyPoint &point);

} // namespace lookback::cli
