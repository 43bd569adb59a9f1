// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/reference_runs.h"

#include <string>
#include <system_error>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/run_folder.h"
#include "core/run/staging_folder.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

void throwIf(const std::error_code &fault, const fs::path &path, const std::string &what)
{
    if (fault)
        throw Error(path.string(), what + ": " + systemReason(fault.value()) + ".", systemRemedy(fault.value()));
}

} // namespace

fs::path referenceRunsFolder()
{
    std::error_code fault;
    const fs::path program = fs::read_symlink("/proc/self/exe", fault);
    if (fault)
        return {};
    const fs::path folder = program.parent_path().parent_path() / "share" / "lookback" / "reference-runs";
    return fs::is_directory(folder, fault) ? folder : fs::path();
}

std::vector<fs::path> copyRuns(const fs::path &from, const fs::path &folder)
{
    std::error_code fault;
    fs::create_directories(folder, fault);
    throwIf(fault, folder, "The folder cannot be made");
    if (!fs::exists(from, fault))
        throwIf(fault ? fault : std::make_error_code(std::errc::no_such_file_or_directory), from,
                "The folder cannot be read");
    const StagingFolder staging(folder);
    std::vector<fs::path> copied;
    for (const FoundRun &run : findRuns(from)) {
        const fs::path target = folder / run.folder.filename();
        if (fs::exists(fs::symlink_status(target, fault)))
            continue;
        const fs::path unfinished = staging.path() / target.filename();
        fs::create_directories(staging.path(), fault);
        if (!fault)
            fs::copy(run.folder, unfinished, fs::copy_options::recursive, fault);
        if (!fault)
            fs::rename(unfinished, target, fault);
        throwIf(fault, target, "The run cannot be copied here");
        copied.push_back(target);
    }
    return copied;
}

} // namespace lookback::run
