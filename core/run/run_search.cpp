// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_search.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "core/error.h"
#include "core/run/file.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepest = 8;

/// Knows where it has been, so that links which run in circles end.
class Search {
public:
    std::vector<FoundRun> found;

    void look(const fs::path &folder, int depth)
    {
        struct stat status { };
        if (stat(folder.c_str(), &status) != 0 || !m_seen.emplace(status.st_dev, status.st_ino).second)
            return;
        if (isRunFolder(folder)) {
            FoundRun run{.folder = folder, .record = {}, .problem = {}};
            try {
                run.record = RunFolder(folder).readRecord();
            } catch (...) {
                run.problem = caughtError(folder.string()).sentence();
            }
            found.push_back(std::move(run));
            return;
        }
        if (depth == kDeepest)
            return;
        std::vector<fs::path> folders;
        std::error_code fault;
        fs::directory_iterator entry(folder, fault);
        for (const fs::directory_iterator end; !fault && entry != end; entry.increment(fault)) {
            std::error_code unknown; // a link that leads nowhere is passed over
            if (entry->is_directory(unknown) && !entry->path().filename().native().starts_with('.'))
                folders.push_back(entry->path());
        }
        std::sort(folders.begin(), folders.end());
        for (const fs::path &below : folders)
            look(below, depth + 1);
    }

private:
    std::set<std::pair<dev_t, ino_t>> m_seen;
};

} // namespace

std::vector<FoundRun> findRunsBelow(const fs::path &root)
{
    std::error_code fault;
    static_cast<void>(fs::directory_iterator(root, fault));
    if (fault)
        throw Error(root.string(), "The runs folder cannot be listed: " + systemReason(fault.value()) + ".",
                    "Choose another folder.");
    Search search;
    search.look(root, 0);
    return std::move(search.found);
}

} // namespace lookback::run
