// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/reference_runs.h"

#include <algorithm>
#include <system_error>

#include <unistd.h>

#include "core/error.h"
#include "core/run/file.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

void throwIf(const std::error_code &fault, const fs::path &path, const std::string &what)
{
    if (fault)
        throw Error(path.string(), what + ": " + systemReason(fault.value()) + ".", systemRemedy(fault.value()));
}

/// The run folders directly below, by name.
std::vector<fs::path> runFoldersIn(const fs::path &folder)
{
    std::vector<fs::path> runs;
    std::error_code fault;
    for (fs::directory_iterator entry(folder, fault); !fault && entry != fs::directory_iterator();
         entry.increment(fault)) {
        std::error_code ignored;
        if (fs::is_regular_file(entry->path() / "run.json", ignored))
            runs.push_back(entry->path());
    }
    throwIf(fault, folder, "The folder cannot be read");
    std::sort(runs.begin(), runs.end());
    return runs;
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
    std::vector<fs::path> copied;
    for (const fs::path &run : runFoldersIn(from)) {
        const fs::path target = folder / run.filename();
        if (fs::exists(fs::symlink_status(target, fault)))
            continue;
        // A folder that begins with a dot is no run to anyone who looks meanwhile.
        const fs::path unfinished = folder / (".copy-" + std::to_string(getpid()) + "-" + run.filename().string());
        fs::copy(run, unfinished, fs::copy_options::recursive, fault);
        if (!fault)
            fs::rename(unfinished, target, fault);
        if (fault) {
            std::error_code ignored;
            fs::remove_all(unfinished, ignored);
            throwIf(fault, target, "The run cannot be copied here");
        }
        copied.push_back(target);
    }
    return copied;
}

} // namespace lookback::run
