// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/eval/accuracy.h"
#include "core/run/checkpoint.h"
#include "core/run/run_folder.h"
#include "core/run/run_record.h"

namespace lookback::run {

/// True for a folder `runs/<variant>` as the published kvbench code writes it: no run.json, but metrics.jsonl,
/// eval.json or checkpoints/ckpt_*.pt.
bool isKvbenchFolder(const std::filesystem::path &folder);

/// What such a folder says about itself. The variant comes from its newest readable checkpoint, else from the folder's
/// name; widths come from the weights' shapes. What a kvbench folder does not record has the published value: four
/// query heads (but KDA), window, task, schedule. Throws Error: no known variant, or weights of no known shape.
RunRecord kvbenchRecord(const std::filesystem::path &folder);

/// checkpoints/ckpt_step<N>.pt and ckpt_final.pt, ascending.
std::vector<CheckpointInfo> kvbenchCheckpoints(const std::filesystem::path &folder);

/// Weights of such a checkpoint, without optimizer state. Throws Error as readTorchCheckpoint does.
Checkpoint readKvbenchCheckpoint(const std::filesystem::path &file);

/// The curve of this variant in the accuracy_vs_context.json beside the variant folders; empty if there is none.
/// kvbench keeps no counts: 128 sequences a point as published, no interval. Throws Error if the file is damaged.
std::vector<eval::AccuracyCurve> kvbenchAccuracy(const std::filesystem::path &folder, const RunRecord &record);

/// {n_sweep: [...], curves: {variant: [...]}}: by variant, n and accuracy. Throws Error with `subject`.
std::map<std::string, std::vector<std::pair<std::int64_t, double>>> kvbenchAccuracyTable(std::string_view text,
                                                                                         const std::string &subject);

/// eval.json: cross-entropy by entry index (nats a digit) by step. Throws Error with `subject`.
std::map<std::int64_t, std::vector<double>> kvbenchPerIndexLoss(std::string_view text, const std::string &subject);

/// Writes `folder` (a run of Lookback) as `target`/<variant>/ with metrics.jsonl and checkpoints/ckpt_step<N>.pt for
/// each checkpoint, and its newest evaluation into `target`/accuracy_vs_context.json, where curves of other variants
/// stay. Throws Error; an existing `target`/<variant> is refused.
void exportAsKvbench(const RunFolder &folder, const std::filesystem::path &target);

} // namespace lookback::run
