// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_selection.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "core/run/run_search.h"

namespace lookback::cli {

Selection selectRuns(const std::vector<std::string> &arguments, const Session &session, SearchDepth depth)
{
    if (arguments.empty())
        throw UsageError("RUN", "Say which run, for example lookback-runs/hybrid_square-seed0.");
    Selection selection;
    std::vector<std::filesystem::path> known;
    const auto add = [&](run::RunFolder folder, run::RunRecord record, bool isFound) {
        std::error_code error;
        std::filesystem::path real = std::filesystem::weakly_canonical(folder.path(), error);
        if (error)
            real = folder.path();
        if (std::find(known.begin(), known.end(), real) != known.end())
            return;
        known.push_back(real);
        selection.runs.push_back({std::move(folder), std::move(record), isFound});
    };
    const auto tell = [&](const Error &error) {
        printError(error, session.isVerbose);
        ++selection.faults;
    };
    for (const std::string &argument : arguments) {
        std::filesystem::path path = argument;
        if (!path.has_filename() && path.has_parent_path())
            path = path.parent_path(); // "runs/a/" and "runs/a" are the same
        try {
            std::error_code error;
            if (!std::filesystem::is_directory(path, error) || run::isRunFolder(path)) {
                run::RunFolder folder = run::RunFolder::open(path); // says what is wrong with it
                run::RunRecord record = folder.readRecord();
                add(std::move(folder), std::move(record), false);
                continue;
            }
            const std::vector<run::FoundRun> all =
                depth == SearchDepth::Below ? run::findRunsBelow(path) : run::findRuns(path);
            if (all.empty()) {
                throw Error("\"" + argument + "\"", "It is not a run, and there is no run in it.",
                            "A run is a folder with a run.json that \"lookback-cli train\" made.");
            }
            for (const run::FoundRun &found : all) {
                if (found.record)
                    add(run::RunFolder(found.folder), *found.record, true);
                else
                    tell(Error({}, found.problem));
            }
        } catch (const Error &error) {
            if (arguments.size() == 1)
                throw;
            tell(error); // the others are worked on all the same
        }
    }
    return selection;
}

Error aboutRun(const run::RunFolder &folder, const Error &error)
{
    const std::string path = folder.path().string();
    if (error.subject().find(path) != std::string::npos)
        return error;
    return Error(path, (error.subject().empty() ? "" : error.subject() + ": ") + error.message(), error.remedy(),
                 error.details());
}

void noteOlderCheckpoint(const run::RunFolder &folder, std::int64_t usedStep)
{
    const std::vector<run::CheckpointInfo> checkpoints = folder.checkpoints();
    if (!checkpoints.empty() && checkpoints.back().step > usedStep) {
        note("\"" + folder.path().string() + "\": The checkpoint of step " + std::to_string(checkpoints.back().step)
             + " cannot be read; step " + std::to_string(usedStep) + " is used.");
    }
}

} // namespace lookback::cli
