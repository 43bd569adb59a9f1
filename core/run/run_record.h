// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/compute.h"
#include "core/config.h"

namespace lookback::run {

enum class RunState {
    Queued,
    Initialising,
    Running,
    Paused,
    Stopping,
    Stopped, ///< Ended by the user before the last step; can be continued.
    Finished,
    Interrupted, ///< Its process went away; can be continued.
    Failed,
};

/// Which program's folder a run lies in.
enum class RunOrigin {
    Lookback,
    Kvbench, ///< Read as it is (specs/formats/kvbench.md); it cannot be trained further.
};

/// "queued", "initialising", ... also the spelling in run.json.
std::string_view stateWord(RunState state);

/// run.json: what was asked for, on what it ran, and how it ended. Format in specs/formats/run-folder.md.
struct RunRecord {
    static constexpr int kFormatVersion = 1;

    RunOrigin origin = RunOrigin::Lookback; ///< Not part of run.json.
    RunConfig config;
    std::string preset; ///< Preset that config was made from, or empty.
    std::string programVersion;
    std::string libtorchVersion;
    std::string processor;
    std::string device = "cpu"; ///< "cpu" or "cuda", the one really used.
    int threads = 1;
    Kernels kernels = Kernels::Fused; ///< Bits depend on it: a continued run keeps it.
    Precision precision = Precision::Float32; ///< Of training; likewise.
    std::string created; ///< ISO 8601, UTC.
    std::string started;
    std::string ended;
    RunState state = RunState::Queued; ///< As last written; see RunFolder for what is found out.
    std::string endReason; ///< One sentence, empty unless stopped or failed.
    std::int64_t step = 0; ///< Last finished step, as last written.

    bool operator==(const RunRecord &) const = default;
};

/// Throws Error with `subject` if this run can only be looked at, because kvbench trained it.
void requireTrainable(const RunRecord &record, const std::string &subject);

/// The text of run.json.
std::string recordToJson(const RunRecord &record);

/// Reads run.json's text. Throws Error with `subject`: damaged, not a run, or from a newer format (both named).
RunRecord recordFromJson(std::string_view text, const std::string &subject);

/// Now as ISO 8601 in UTC, "2026-07-31T14:05:09Z".
std::string currentTime();

} // namespace lookback::run
