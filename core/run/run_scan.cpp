// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_scan.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/run_folder.h"
#include "core/run/run_lock.h"

namespace lookback::run {

namespace {

bool needsLivingProcess(RunState state)
{
    switch (state) {
    case RunState::Queued:
    case RunState::Initialising:
    case RunState::Running:
    case RunState::Paused:
    case RunState::Stopping:
        return true;
    case RunState::Stopped:
    case RunState::Finished:
    case RunState::Interrupted:
    case RunState::Failed:
        return false;
    }
    return false;
}

RunSnapshot unreadable(const std::filesystem::path &folder, const std::string &problem)
{
    RunSnapshot snapshot;
    snapshot.id = runIdOf(folder);
    snapshot.name = folder.filename().string();
    snapshot.state = RunState::Failed;
    snapshot.reason = problem;
    snapshot.isReadable = false;
    return snapshot;
}

} // namespace

RunId runIdOf(const std::filesystem::path &folder)
{
    std::error_code ignored;
    const std::filesystem::path absolute = std::filesystem::absolute(folder, ignored).lexically_normal();
    // "a/b/" names the folder b as "a/b" does.
    return (absolute.has_filename() ? absolute : absolute.parent_path()).string();
}

std::optional<MetricsRecord> lastMetrics(const std::filesystem::path &file)
{
    constexpr std::uint64_t kTail = 8192; // some twenty lines, in case the last ones are damaged
    std::error_code fault;
    if (!std::filesystem::exists(file, fault))
        return std::nullopt;
    InputFile input(file);
    const std::uint64_t count = std::min(input.size(), kTail);
    input.moveTo(input.size() - count);
    std::string text(static_cast<std::size_t>(count), '\0');
    text.resize(input.read(text.data(), text.size()));
    for (std::size_t end = text.rfind('\n'); end != std::string::npos && end > 0;) {
        const std::size_t before = text.rfind('\n', end - 1);
        const std::size_t first = before == std::string::npos ? 0 : before + 1;
        if (const auto record = parseMetricsLine(std::string_view(text).substr(first, end - first)))
            return record;
        end = before;
    }
    return std::nullopt;
}

RunSnapshot scanRun(const std::filesystem::path &folder)
{
    try {
        const RunFolder run = RunFolder::open(folder);
        RunSnapshot snapshot;
        snapshot.id = runIdOf(folder);
        snapshot.name = run.name();
        snapshot.record = run.readRecord();
        snapshot.state = snapshot.record.state;
        snapshot.reason = snapshot.record.endReason;
        for (const CheckpointInfo &info : run.checkpoints())
            snapshot.checkpointSteps.push_back(info.step);
        try {
            snapshot.last = lastMetrics(run.metricsFile());
        } catch (const Error &error) { // the run can be looked at and evaluated without its log
            snapshot.reason = error.sentence();
        }
        snapshot.step = std::max(snapshot.record.step, snapshot.last ? snapshot.last->step : 0);
        snapshot.elapsedSeconds = snapshot.last ? snapshot.last->elapsedSeconds.value_or(0.0) : 0.0;

        const std::optional<LockOwner> owner = RunLock::owner(folder);
        if (owner) {
            snapshot.isForeign = true;
            if (owner->isWaiting)
                snapshot.state = RunState::Queued;
            else if (!needsLivingProcess(snapshot.state))
                snapshot.state = RunState::Running;
            snapshot.reason = (owner->isWaiting ? "Waits in the queue of " : "Trained by ") + owner->words() + ".";
        } else if (needsLivingProcess(snapshot.state)) {
            snapshot.state = RunState::Interrupted;
            const std::int64_t saved = snapshot.checkpointSteps.empty() ? 0 : snapshot.checkpointSteps.back();
            snapshot.reason = snapshot.step == 0 && saved == 0
                ? "Its program ended before the first step."
                : "Its program ended at step " + std::to_string(snapshot.step) + "; "
                    + (saved > 0 ? "step " + std::to_string(saved) + " is kept." : "no checkpoint was kept yet.");
        }
        return snapshot;
    } catch (...) {
        const Error error = caughtError(folder.string());
        return unreadable(folder, error.message() + (error.remedy().empty() ? "" : " " + error.remedy()));
    }
}

std::vector<RunSnapshot> scanRuns(const std::filesystem::path &root)
{
    std::vector<RunSnapshot> snapshots;
    for (const FoundRun &found : findRuns(root)) {
        if (found.record)
            snapshots.push_back(scanRun(found.folder));
        else
            snapshots.push_back(unreadable(found.folder, found.problem));
    }
    return snapshots;
}

} // namespace lookback::run
