// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/staging_folder.h"

#include <string>
#include <system_error>

#include <unistd.h>

namespace lookback::run {

StagingFolder::StagingFolder(const std::filesystem::path &target)
    : m_folder(target / (".copy-" + std::to_string(::getpid())))
{
}

StagingFolder::~StagingFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
}

} // namespace lookback::run
