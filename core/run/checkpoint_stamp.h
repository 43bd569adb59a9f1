// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/run/run_folder.h"

namespace lookback::run {

/// The file of a checkpoint as it lies on disk, to tell whether what was read of it still counts: a run may be deleted
/// and made again under the same name.
class CheckpointStamp {
public:
    CheckpointStamp() = default;
    /// Of the checkpoint of `step`, -1 = the newest one. Reads the folder, not the file.
    CheckpointStamp(const RunFolder &folder, std::int64_t step);

    /// As found: that of the newest checkpoint if -1 was asked for and there is one.
    std::int64_t step() const { return m_step; }
    /// True if a model read at `earlier` is that of this one. A file that cannot be looked at now does not change what
    /// was read before.
    bool isStill(const CheckpointStamp &earlier) const;

private:
    struct File {
        std::uint64_t device = 0;
        std::uint64_t number = 0;
        std::int64_t bytes = 0;
        std::int64_t changedSeconds = 0;
        std::int64_t changedNanoseconds = 0;
        bool operator==(const File &) const = default;
    };

    std::int64_t m_step = -1;
    std::optional<File> m_file;
};

} // namespace lookback::run
