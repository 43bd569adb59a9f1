// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/run/checkpoint.h"
#include "core/run/run_folder.h"

namespace lookback::run {

/// Why a checkpoint was written and what it is kept for.
enum class CheckpointPurpose {
    Progress, ///< To go on from; only the newest two of these stay.
    Early, ///< Steps 0, 1, 2, 4, ... 512: how a circuit forms.
    Evaluation, ///< The model was evaluated there.
    Asked, ///< Somebody asked for it.
    Final,
};

/// A checkpoint as checkpoints/manifest.json records it, after its file was complete.
struct ManifestEntry {
    std::int64_t step = 0;
    std::uint64_t bytes = 0; ///< Of the file.
    std::string checksum; ///< The file's own, "crc32:0a1b2c3d".
    CheckpointPurpose purpose = CheckpointPurpose::Progress;
    bool operator==(const ManifestEntry &) const = default;
};

/// The text of manifest.json (specs/formats/checkpoint.md).
std::string manifestToJson(const std::vector<ManifestEntry> &entries);
/// Ascending steps. Throws Error with `subject`: damaged or from a newer format.
std::vector<ManifestEntry> manifestFromJson(std::string_view text, const std::string &subject);

/// True if a run with this configuration saves after `step` by itself: 0, powers of two up to 512, multiples of
/// checkpoint_every and evaluate_every, and the last step.
bool isCheckpointDue(const RunConfig &config, std::int64_t step);

/// What such a checkpoint is for.
CheckpointPurpose purposeOf(const RunConfig &config, std::int64_t step);

/// What a run of this configuration will keep, if nothing else is asked for.
struct CheckpointPlan {
    std::int64_t count = 0; ///< When it has finished.
    double bytesEach = 0.0; ///< Weights and two moments in float32; an estimate without the small parts.
    double bytesAtMost() const { return static_cast<double>(count + 1) * bytesEach; } ///< One more while it is written.
    bool operator==(const CheckpointPlan &) const = default;
};
CheckpointPlan checkpointPlan(const RunConfig &config);

/// Saves a run's checkpoints and lets go of those that are no longer needed. For the holder of the run's lock; one
/// thread.
class CheckpointStore {
public:
    /// Reads the manifest. A missing or damaged one is made anew from the files at the next save; `notes` (may be null)
    /// gets a sentence then. Files that no manifest knows are never removed. Throws NewerFormat if a newer Lookback
    /// wrote the manifest, which is left alone.
    explicit CheckpointStore(RunFolder folder, std::vector<std::string> *notes = nullptr);

    /// Writes the checkpoint (complete or absent), records it, and removes checkpoints that were for progress only and
    /// are older than the newest two; those only after the new file was read back and its checksum fits. A step at
    /// which the run was evaluated meanwhile stays. Throws Error if the checkpoint cannot be written; a manifest that
    /// cannot be written or a file that cannot be removed adds a sentence to `notes` instead.
    void save(const Checkpoint &checkpoint, CheckpointPurpose purpose, std::vector<std::string> *notes = nullptr);

    const std::vector<ManifestEntry> &entries() const { return m_entries; }

    /// Gives the checkpoints after `step` another name ("abandoned-<8 digits>.safetensors") and forgets them: the run
    /// went back, and they never became part of it. Nothing is deleted. Throws Error.
    void abandonAfter(std::int64_t step);

private:
    void removeSuperseded(std::vector<std::string> *notes);

    RunFolder m_folder;
    std::vector<ManifestEntry> m_entries; // ascending steps
};

/// Throws Error if the manifest of `folder` knows the checkpoint of that step with another size or checksum.
void requireAsRecorded(const RunFolder &folder, std::int64_t step, std::uint64_t bytes, const std::string &checksum);

} // namespace lookback::run
