// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lookback::run {

/// One line of metrics.jsonl. Non-finite values are kept apart: JSON spells them "NaN", "Infinity", "-Infinity"
/// (strings, so that the log stays strict JSON); null or absent = missing (an empty optional).
struct MetricsRecord {
    std::int64_t step = 0;
    std::int64_t n_keys = 0;
    std::optional<double> loss; ///< Nats per scored digit of the training batch.
    std::optional<double> retrievalAcc; ///< Share of scored digits right, 0..1 ("retrieval_acc").
    std::optional<double> learningRate; ///< "lr"
    std::optional<double> gradientNorm; ///< "gradient_norm", before the update.
    std::optional<double> tokensPerSecond; ///< "tokens_per_second"
    std::optional<double> elapsedSeconds; ///< "elapsed_seconds", training time without pauses.
    bool operator==(const MetricsRecord &) const = default;
};

/// One line without the line end.
std::string metricsLine(const MetricsRecord &record);
/// The record of a line, or nothing if it is damaged.
std::optional<MetricsRecord> parseMetricsLine(std::string_view line);

/// A metrics file as read: steps rise strictly (a step written again replaces what followed its first writing).
struct MetricsLog {
    std::vector<MetricsRecord> records;
    std::vector<std::string> notes; ///< One quiet note for what was skipped: "line 12 is damaged", empty if nothing.
};
/// A missing file is an empty log. Throws Error only if the file cannot be read at all.
MetricsLog readMetrics(const std::filesystem::path &file);

} // namespace lookback::run
