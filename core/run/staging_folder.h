// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace lookback::run {

/// Where something for `target` is made before it is renamed into place: a folder of this process below it, whose name
/// begins with a dot, so that it is no run to anyone who looks meanwhile. Made by whoever uses it; what is left in it
/// goes with this object.
class StagingFolder {
public:
    explicit StagingFolder(const std::filesystem::path &target);
    ~StagingFolder();
    StagingFolder(const StagingFolder &) = delete;
    StagingFolder &operator=(const StagingFolder &) = delete;

    const std::filesystem::path &path() const { return m_folder; }

private:
    std::filesystem::path m_folder;
};

} // namespace lookback::run
