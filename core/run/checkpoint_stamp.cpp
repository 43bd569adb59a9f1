// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/checkpoint_stamp.h"

#include <algorithm>
#include <vector>

#include <sys/stat.h>

namespace lookback::run {

CheckpointStamp::CheckpointStamp(const RunFolder &folder, std::int64_t step) : m_step(step)
{
    const std::vector<CheckpointInfo> checkpoints = folder.checkpoints();
    const auto found = step < 0 && !checkpoints.empty() ? checkpoints.end() - 1
                                                        : std::ranges::find(checkpoints, step, &CheckpointInfo::step);
    if (found == checkpoints.end())
        return;
    m_step = found->step;
    struct stat status = {};
    if (stat(found->file.c_str(), &status) == 0)
        m_file = File{.device = status.st_dev,
                      .number = status.st_ino,
                      .bytes = status.st_size,
                      .changedSeconds = status.st_mtim.tv_sec,
                      .changedNanoseconds = status.st_mtim.tv_nsec};
}

bool CheckpointStamp::isStill(const CheckpointStamp &earlier) const
{
    return m_step == earlier.m_step && (!m_file || m_file == earlier.m_file);
}

} // namespace lookback::run
