// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/eval/accuracy.h"
#include "core/run/file.h"
#include "core/run/metrics.h"
#include "core/run/run_record.h"

namespace lookback::run {

/// A checkpoint file of a run folder.
struct CheckpointInfo {
    std::int64_t step = 0;
    std::filesystem::path file;
    std::uintmax_t bytes = 0;
    bool operator==(const CheckpointInfo &) const = default;
};

/// True if the folder holds a run of Lookback (run.json) or of kvbench.
bool isRunFolder(const std::filesystem::path &folder);

/// One run on disk: run.json, metrics.jsonl, accuracy_vs_context.json, checkpoints/step-<8 digits>.safetensors.
/// Or a folder of kvbench (core/run/kvbench.h), read as it is; evaluations of it are added as accuracy_vs_context.json.
/// A value that names a folder; every function reads or writes the disk anew. Absolute paths are never stored inside.
/// Small files are written whole: temporary name, every byte counted, flushed, renamed, folder flushed.
class RunFolder {
public:
    explicit RunFolder(const std::filesystem::path &folder);

    /// Makes a new folder `parent/name`, or name-2, name-3, ... if taken; exclusive, so that two programs never share
    /// one. Writes run.json. Throws Error (not writable, disk full, ...) and leaves nothing behind then.
    static RunFolder create(const std::filesystem::path &parent, const std::string &name, const RunRecord &record);

    /// Throws Error with one sentence if this is missing, not a run, damaged, or from a newer format.
    static RunFolder open(const std::filesystem::path &folder);

    const std::filesystem::path &path() const { return m_folder; }
    std::string name() const;

    RunRecord readRecord() const;
    void writeRecord(const RunRecord &record) const;

    MetricsLog readMetricsLog() const;
    std::filesystem::path metricsFile() const;

    /// Ascending steps; files that are not complete are listed too (they are checked when read).
    std::vector<CheckpointInfo> checkpoints() const;
    std::filesystem::path checkpointFile(std::int64_t step) const;

    /// All evaluated curves, ascending step. Missing file = none. Throws Error if damaged.
    std::vector<eval::AccuracyCurve> readAccuracy() const;
    /// Adds or replaces the curve of that step (points are merged by n) and writes the file.
    void writeAccuracy(const eval::AccuracyCurve &curve) const;
    /// Takes the curves of later steps out of the file.
    void dropAccuracyAfter(std::int64_t step) const;

private:
    std::filesystem::path m_folder;
};

/// A folder below a runs folder: a run, or the reason why it cannot be shown.
struct FoundRun {
    std::filesystem::path folder;
    std::optional<RunRecord> record;
    std::string problem; ///< One sentence if there is no record.
};

/// All runs directly below `root` (and `root` itself if it is one), by name. Stray files and folders without run.json
/// are passed over; a damaged run is listed with its reason. A missing root is an empty list.
std::vector<FoundRun> findRuns(const std::filesystem::path &root);

} // namespace lookback::run
