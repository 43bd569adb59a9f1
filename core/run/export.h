// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run_folder.h"

namespace lookback::run {

/// The training log as a table: one header line with the names of metrics.jsonl, then a line for each record, `\n`
/// after each. A missing value is empty; non-finite ones are NaN, Infinity, -Infinity. Numbers read back exactly.
std::string metricsCsv(const std::vector<MetricsRecord> &records);

/// All evaluated points as a table: variant, step, n_keys, context_tokens, accuracy, low, high, sequences, answers,
/// exact, digits_right, mean_loss.
std::string accuracyCsv(const std::vector<eval::AccuracyCurve> &curves);

/// One value at one step, as TensorBoard keeps it.
struct ScalarEvent {
    double wallTime = 0.0; ///< Seconds since 1970, UTC.
    std::int64_t step = 0;
    std::string tag;
    float value = 0.0F;
};

/// The bytes of a TensorBoard event file: records framed with masked CRC-32C, each a protocol buffer of TensorFlow's
/// Event message (tensorflow/core/util/event.proto: wall_time 1, step 2, file_version 3, summary 5).
std::string tensorBoardEvents(const std::vector<ScalarEvent> &events);

/// A run's log and evaluations as events: tags loss, retrieval_acc, lr, gradient_norm, tokens_per_second and n_keys,
/// and exact_match/n=<n>. Missing values are left out, non-finite ones kept.
std::vector<ScalarEvent> scalarEvents(const RunFolder &folder);

enum class ExportFormat { Csv, Npy, TensorBoard, Kvbench, Run };

/// "csv", "npy", "tensorboard", "kvbench", "run".
std::string_view exportFormatName(ExportFormat format);

/// Writes a run below `target` and gives the files or folders made: <name>.metrics.csv and <name>.accuracy.csv, or the
/// same as .npy; <name>/events.out.tfevents.<time>.lookback; a kvbench folder (kvbench.h); or a copy of a finished run
/// (finished_run.h). Existing files of other runs stay; an older export of the same run to CSV or TensorBoard is
/// replaced. Throws Error, also if `target` is a run itself.
/// `earlierSteps`: of ExportFormat::Run, checkpoints that are kept beside the last one.
std::vector<std::filesystem::path> exportRun(const RunFolder &folder, ExportFormat format,
                                             const std::filesystem::path &target,
                                             const std::vector<std::int64_t> &earlierSteps = {});

} // namespace lookback::run
