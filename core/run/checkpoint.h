// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/run/run_folder.h"
#include "core/run/safetensors.h"

namespace lookback::run {

/// Everything that moves while a run trains, after `step` finished steps. One safetensors file; its layout is in
/// specs/formats/checkpoint.md.
///
/// Batches and initial weights are pure functions of (seed, step), so config and step are the whole generator and
/// schedule state, and without promotion_accuracy the curriculum's too.
struct Checkpoint {
    static constexpr int kFormatVersion = 1;

    RunConfig config; ///< As trained with.
    std::int64_t step = 0; ///< Finished steps.
    double elapsedSeconds = 0.0; ///< Training time without pauses.
    std::int64_t skippedSteps = 0; ///< Of `step`, those without an update because something was not finite.
    double rateFactor = 1.0; ///< On the learning rate of the schedule; below 1 after the run went back.
    bool hasGoneBack = false; ///< Because of values that were not finite; a run does so once.
    std::string curriculum; ///< State of a curriculum with promotion (train::Curriculum); empty if steps decide.
    std::string programVersion; ///< Of the writer.
    std::string libtorchVersion;
    std::string device = "cpu";
    int threads = 1;
    std::vector<StoredTensor> weights; ///< F32, under the state names of the model.
    std::string checksum; ///< Of the file it was read from.
    std::vector<StoredTensor> moments; ///< F32, "optimizer.exp_avg.<name>" and "optimizer.exp_avg_sq.<name>".
};

enum class CheckpointParts { Weights, All };

/// Writes the file whole (temporary name, counted, flushed, renamed) with a checksum over everything in it. Throws
/// Error; an older file of that name is untouched then. Gives the checksum, "crc32:0a1b2c3d".
std::string writeCheckpoint(const std::filesystem::path &file, const Checkpoint &checkpoint);

/// Reads and checks a file (also a kvbench `.pt`, which has weights only); with CheckpointParts::Weights `moments`
/// stays empty. Throws Error with one sentence if it is missing, cut, of another kind, of a newer format, or if its
/// checksum does not fit.
Checkpoint readCheckpoint(const std::filesystem::path &file, CheckpointParts parts = CheckpointParts::All);

/// The newest checkpoint of the folder that can be read; nothing if there is none. Each newer one that was passed over
/// adds a sentence to `notes` (may be null).
std::optional<Checkpoint> newestCheckpoint(const RunFolder &folder, CheckpointParts parts = CheckpointParts::All,
                                           std::vector<std::string> *notes = nullptr);

/// The same for whoever trains on from it, over what follows. One that a newer Lookback wrote is not passed over:
/// throws NewerFormat.
std::optional<Checkpoint> checkpointToGoOnFrom(const RunFolder &folder, std::vector<std::string> *notes = nullptr);

/// The checkpoint after `step`; -1 = the newest that can be read. Throws Error that names the steps there are.
Checkpoint checkpointAt(const RunFolder &folder, std::int64_t step, CheckpointParts parts = CheckpointParts::All);

/// Throws Error naming field and both values if a run with configuration `run` cannot go on from `checkpoint`: every
/// field decides the numbers of the remaining steps except those of FieldGroup::Records, which may change.
void requireContinuable(const RunConfig &run, const Checkpoint &checkpoint);

} // namespace lookback::run
